"""R3: a worker that is killed leaves nothing half done, and the redelivery finishes it, once."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.faults.acting import ask, learn, track
from tests.support.events import sqs_event
from tests.support.model_server import hangs, model_server
from tests.support.system import System

ROOT = Path(__file__).parents[2]
WORKER = """
import json, sys
from functions.role_memory.handler import handler
from tests.support.events import FakeContext
handler(json.load(sys.stdin), FakeContext())
"""


def test_killed_worker_is_finished_by_the_redelivery(deployed: Callable[..., System], users: Iterator[str]) -> None:
    system, user = deployed(threads=3), next(users)
    # GIVEN a worker process that waits for its model
    ask(system, user, "I am a gardener and my roses have black spots")
    [message] = system.sqs.receive_message(QueueUrl=system.queue_url)["Messages"]
    with model_server() as server:
        server.behaviour = hangs
        environment = os.environ | {"OPENAI_BASE_URL": server.url, "DOORBELL_QUEUE_URL": system.queue_url}
        process = subprocess.Popen(  # noqa: S603 our own interpreter
            [sys.executable, "-c", WORKER], cwd=ROOT, env=environment, stdin=subprocess.PIPE, text=True
        )
        assert process.stdin is not None
        with process.stdin as events:
            json.dump(sqs_event(message["Body"], receipt_handle=message["ReceiptHandle"]), events)
        assert server.asked.wait(60)
        # WHEN it is killed
        process.send_signal(signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL
    assert track(system, user) == []
    # THEN the redelivery finishes it, and another one finds nothing to do
    for _ in range(2):
        learn(system, user)
        assert [one["metadata"]["coveredTurns"] for one in track(system, user)] == [[1]]
