"""mem0 from PyPI, in an environment of its own, on the same model and embedder.

It stores sentences about the user instead of a role: they are read as what it holds of who the user is. It knows no
decisions, preferences, confidence or overview, so that those keys are left out of its score.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from evals.dialogues import Dialogue
from evals.playing import Played, PlayedDialogue
from evals.scoring import Stored
from functions.role_memory.settings import RoleSettings
from shared.records import Tokens

VERSION = "2.2.1"
WORKER = Path(__file__).parent / "mem0_worker.py"
KEPT = ("PATH", "LANG", "UV_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
"""What an installation may need of the environment; nothing else of it reaches mem0."""
UV = Path(__file__).parents[2] / ".tools" / "bin" / "uv"


class BaselineFailed(Exception):
    """A baseline could not be played, and why."""


def play_mem0(dialogue: Dialogue, settings: RoleSettings) -> PlayedDialogue:
    """Play ``dialogue`` in a process with mem0.

    Raises
    ------
    BaselineFailed
        There is no embeddings endpoint, or mem0 failed.
    """
    if not settings.embedding_model:
        raise BaselineFailed(
            "mem0 needs an embeddings endpoint: set EMBEDDING_MODEL, and EMBEDDING_BASE_URL if it is another."
        )
    uv = str(UV) if UV.exists() else "uv"
    with tempfile.TemporaryDirectory() as folder:
        job = {
            "questions": [turn.question for turn in dialogue.turns],
            "model": settings.role_model,
            "base_url": settings.openai_base_url,
            "embedding_model": settings.embedding_model,
            "embedding_base_url": settings.embedding_base_url or settings.openai_base_url,
        }
        kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
        # Its history file and its vectors live in a home of their own: nothing is left from the dialogue before.
        private = {
            "HOME": folder,
            "MEM0_DIR": folder,
            "MEM0_TELEMETRY": "False",
            "OPENAI_API_KEY": settings.openai_api_key or "none",
            "UV_CACHE_DIR": kept.get("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv")),
        }
        done = subprocess.run(  # noqa: S603 the command is ours
            # -P: its own folder holds a module of the name of the package.
            [uv, "run", "--quiet", "--no-project", "--with", f"mem0ai=={VERSION}", "python", "-P", str(WORKER)],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            env=kept | private,
            cwd=folder,
            check=False,
        )
    if done.returncode:
        raise BaselineFailed(f"mem0 failed:\n{done.stderr[-2000:]}")
    turns = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return PlayedDialogue(
        dialogue=dialogue.id,
        turns=tuple(
            Played(
                turn=number,
                stored=Stored(identities=tuple(turn["memories"])),
                snapshot={"memories": turn["memories"]},
                seconds=turn["seconds"],
                requests=turn["requests"],
                tokens=Tokens(input=turn["input"], output=turn["output"]),
            )
            for number, turn in enumerate(turns, start=1)
        ),
    )
