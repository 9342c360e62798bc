"""Feeds questions to mem0 and prints what it has stored after each, a JSON line a question. Needs mem0 only."""

import json
import sys
import tempfile
import time
from typing import Any

from mem0 import Memory  # type: ignore[import-not-found, unused-ignore]
from openai.resources.chat.completions import Completions

USER = "u1"
used = {"requests": 0, "input": 0, "output": 0}
plain_create = Completions.create


def metered_create(self: Completions, *positional: Any, **named: Any) -> Any:
    """Ask the model, and count what that used."""
    reply = plain_create(self, *positional, **named)
    used["requests"] += 1
    used["input"] += reply.usage.prompt_tokens if reply.usage else 0
    used["output"] += reply.usage.completion_tokens if reply.usage else 0
    return reply


def main() -> None:
    """Read the job from standard input."""
    job = json.load(sys.stdin)
    Completions.create = metered_create  # type: ignore[method-assign]
    folder = tempfile.mkdtemp()
    embedder = {"model": job["embedding_model"], "openai_base_url": job["embedding_base_url"]}
    llm = {"model": job["model"], "openai_base_url": job["base_url"], "temperature": 0, "max_tokens": 1500}
    probe = Memory.from_config({"embedder": {"provider": "openai", "config": embedder}}).embedding_model
    dimensions = len(probe.embed("probe", "add"))
    memory = Memory.from_config(
        {
            "llm": {"provider": "openai", "config": llm},
            "embedder": {"provider": "openai", "config": {**embedder, "embedding_dims": dimensions}},
            "vector_store": {"provider": "qdrant", "config": {"path": folder, "embedding_model_dims": dimensions}},
            "history_db_path": f"{folder}/history.db",
        }
    )
    for question in job["questions"]:
        started = time.monotonic()
        used.update(requests=0, input=0, output=0)
        memory.add([{"role": "user", "content": question}], user_id=USER)
        stored = memory.get_all(filters={"user_id": USER}, top_k=1000)["results"]
        turn = {"memories": [one["memory"] for one in stored], "seconds": round(time.monotonic() - started, 2), **used}
        print(json.dumps(turn, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
