"""Drive a scripted day through the built functions and print what a turn takes and costs.

The functions run under Lambda's own runtime loop over an emulator that counts capacity as DynamoDB does. Milliseconds
are those of this machine, without the model's; tokens are what the stand-in model would be sent, four bytes a token.
"""

import argparse
import json
import sys
import tempfile
import threading
import tomllib
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.artifacts.build import TOOLS, build, runtime
from tools.artifacts.environment import environment
from tools.artifacts.resources import create, parameters
from tools.artifacts.sandbox import Sandbox, function_sandbox
from tools.capacity.bill import report
from tools.capacity.meter import Meter
from tools.local.emulator import emulator
from tools.local.ports import free_port
from tools.local.stand_in import StandIn

QUESTIONS = (
    "研究下回锅肉的做法",
    "改进一下口味，让他更加适合于老人和小孩",
    "我想在进一步研究一下适合于家庭成员的回锅肉做法，详细一点",
    "How long does the pork keep in the fridge once it is cooked?",
    "I work as a nurse on nights, so what can I prepare the day before?",
)
PRICES = Path(__file__).parent / "prices.toml"
BYTES_A_TOKEN = 4


@dataclass
class Day:
    """A running system and what it has counted, turn by turn."""

    chat: Sandbox
    worker: Sandbox
    meter: Meter
    model: StandIn
    turns: list[Counter[str]] = field(default_factory=list)

    def turn(self, user: str, session: str, question: str) -> None:
        """Ask one question, let the worker read it, and write down what both took."""
        self.model.requests.clear()
        self.meter.take()
        body = json.dumps({"session_id": session, "message": question}, ensure_ascii=False)
        headers = {"X-User-Id": user, "Content-Type": "application/json"}
        reply = self.chat.invoke(_event(headers, body))
        assert reply["statusCode"] == 200, reply
        answered = self.meter.take()
        record = json.loads(Path("tests/events/doorbell.json").read_text("utf-8"))
        record["Records"][0]["body"] = json.dumps({"userId": user, "sessionId": session})
        assert self.worker.invoke(record) == {"batchItemFailures": []}
        learned = self.meter.take()
        took = answered + learned
        took["sqs requests"] += 2  # the event source receives and deletes
        took["chat ms"], took["worker ms"] = (round(each.durations_ms[-1]) for each in (self.chat, self.worker))
        took["model calls"] = len(self.model.requests)
        for request in self.model.requests:
            sent = "".join(message["content"] for message in request["messages"])
            took["input tokens"] += len(sent.encode()) // BYTES_A_TOKEN
        took["output tokens"] = 300 + 250 * (
            len(self.model.requests) - 1
        )  # an answer, and what is read from a question
        self.turns.append(took)


def _event(headers: dict[str, str], body: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(Path("tests/events/chat.json").read_text("utf-8"))
    multiple = {name: [value] for name, value in headers.items()}
    return event | {"headers": headers, "multiValueHeaders": multiple, "body": body}


def measure(built: Path, sessions: int, turns: int, window: int = 100) -> list[list[Counter[str]]]:
    """Return what each turn of each session took; the model sees ``window`` messages."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        state = Path(folder)
        lock = running.enter_context((state / "lock").open("w"))
        aws = running.enter_context(emulator(TOOLS / "bin/ministack", free_port(), state, lock.fileno()))
        meter, model = running.enter_context(Meter(aws.url)), running.enter_context(StandIn())
        for server in (meter, model):
            threading.Thread(target=server.serve_forever, daemon=True).start()
            running.callback(server.shutdown)
        values = create(aws) | parameters(meter.url, model.url) | {"ConversationMaxMessages": str(window)}
        chat, worker = (
            running.enter_context(
                function_sandbox(built, name, environment(name, values), runtime=runtime(), log=state / f"{name}.log")
            )
            for name in ("ChatFunction", "RoleMemoryFunction")
        )
        day = Day(chat, worker, meter, model)
        day.turn("warm", "up", QUESTIONS[0])  # the cold start is measured elsewhere
        found = []
        for number in range(sessions):
            day.turns = []
            for turn in range(turns):
                day.turn(f"user-{number}", "s1", QUESTIONS[turn % len(QUESTIONS)] + "!" * (turn // len(QUESTIONS)))
            found.append(day.turns)
        return found


def main() -> int:
    """Measure and print."""
    options = argparse.ArgumentParser(prog="make capacity", description=__doc__)
    options.add_argument("--sessions", type=int, default=2)
    options.add_argument("--turns", type=int, default=90, help="of each session; the window is full after 50")
    options.add_argument("--build", type=Path, help="folder of artifacts that are built already")
    wanted = options.parse_args()
    built = wanted.build or build(Path(".local/capacity"), runtime().version)
    print(report(measure(built.resolve(), wanted.sessions, wanted.turns), tomllib.loads(PRICES.read_text("utf-8"))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
