"""Cold starts, as a ratio to the smallest function one can write with Powertools and boto3, in the same run.

What counts is the init phase and the first request up to its first call of the model (its end where it calls none), so
that importing later hides nothing. Measured is the processor time of the function's process, the least of several
starts: what else runs on this machine, and how fast the emulators answer, is not the function's doing.
"""

import json
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.artifacts.conftest import Deployment
from tests.artifacts.processes import runtimes
from tests.support.events import rest_event, sqs_event
from tools.artifacts.build import Runtime
from tools.artifacts.environment import environment
from tools.artifacts.sandbox import Sandbox, sandbox
from tools.local.emulator import Emulator

STARTS = 5
MOST = {"ChatFunction": 2.0, "RoleMemoryFunction": 2.0, "MemoryApiFunction": 1.3}
ASKING = {"ChatFunction", "RoleMemoryFunction"}
"""Who calls the model."""
EMPTY = """
import boto3
from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.event_handler import APIGatewayRestResolver

logger, metrics, app = Logger(), Metrics(), APIGatewayRestResolver(enable_validation=True)
dynamodb = boto3.client("dynamodb")


@app.get("/api/health")
def health() -> dict[str, int]:
    return {"tables": len(dynamodb.list_tables()["TableNames"])}


@metrics.log_metrics
def handler(event, context):
    return app.resolve(event, context)
"""


@dataclass
class Clock:
    """Stops when the model is called for the first time, else when the reply is there."""

    log: Path
    begin: float = field(default_factory=time.monotonic)
    wall_ms: float = 0
    cpu_ms: float = 0
    called: bool = False

    def stop(self) -> None:
        if not self.wall_ms:
            self.wall_ms = (time.monotonic() - self.begin) * 1000
            (runtime,) = runtimes(self.log)
            tasks = Path(f"/proc/{runtime}/task").glob("*/schedstat")
            self.cpu_ms = sum(int(task.read_text().split()[0]) for task in tasks) / 1e6


class Model(ThreadingHTTPServer):
    """A model that refuses everybody, and stops the clock."""

    clock: Clock


class Refusal(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        self.server.clock.stop()
        self.server.clock.called = True
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def refusing() -> Iterator[Model]:
    with Model(("127.0.0.1", 0), Refusal) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def empty(artifacts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the artifact of the smallest function there is, with the libraries of the memory API."""
    folder = tmp_path_factory.mktemp("empty") / "EmptyFunction"
    shutil.copytree(artifacts / "MemoryApiFunction", folder, copy_function=os.link)
    (folder / "empty.py").write_text(EMPTY)
    return folder


@pytest.fixture(scope="module")
def cold_starts(
    aws: Emulator, deployment: Deployment, refusing: Model, empty: Path, lambda_runtime: Runtime
) -> dict[str, list[Clock]]:
    """Start each function several times, in turns, and measure; the key of the model is a secret, as where deployed."""
    secret = aws.client("secretsmanager").create_secret(Name="key-of-the-model", SecretString="key")["ARN"]
    body = {"message": "How do I prune old roses?"}
    deployment.invoke("ChatFunction", rest_event("POST", "/api/chat", user="cold", body=body))
    events = {
        "MemoryApiFunction": rest_event("GET", "/api/user/memory/latest", user="cold"),
        "ChatFunction": rest_event("POST", "/api/chat", user="colder", body=body),
        "RoleMemoryFunction": sqs_event(json.dumps({"userId": "cold", "sessionId": "__default__"})),
    }
    model = {"OpenAiBaseUrl": f"http://127.0.0.1:{refusing.server_port}"}
    model |= {"OpenAiApiKey": "", "OpenAiApiKeySecretArn": secret}
    variables = environment("MemoryApiFunction", deployment.parameters)
    found: dict[str, list[Clock]] = {name: [] for name in ("empty", *events)}

    def measure(name: str, started: Sandbox, event: object) -> None:
        refusing.clock = clock = Clock(started.log)
        assert "errorType" not in started.invoke(event)
        assert clock.called == (name in ASKING)
        clock.stop()
        found[name].append(clock)

    for number in range(STARTS):
        log = deployment.folder / f"empty-{number}.log"
        with sandbox(
            empty, "empty.handler", variables, runtime=lambda_runtime, log=log, seconds=29, megabytes=512
        ) as started:
            measure("empty", started, rest_event("GET", "/api/health"))
        for name, event in events.items():
            measure(name, deployment.start(name, model), event)
    return found


@pytest.mark.parametrize("function", MOST)
def test_cold_start_is_a_small_multiple_of_the_smallest(
    cold_starts: dict[str, list[Clock]], function: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # GIVEN several cold starts of a function and of the smallest there is
    cpu = {name: min(clock.cpu_ms for clock in clocks) for name, clocks in cold_starts.items()}
    wall = {name: min(clock.wall_ms for clock in clocks) for name, clocks in cold_starts.items()}
    with capsys.disabled():
        for unit, times in (("processor", cpu), ("clock", wall)):
            ours, smallest = times[function], times["empty"]
            print(
                f"\n{function}: {ours / smallest:.2f} × the smallest ({ours:.0f} / {smallest:.0f} ms, {unit})", end=""
            )
    # THEN the fastest of each are near one another
    assert cpu[function] < MOST[function] * cpu["empty"]
