"""The built artifacts, and what they run against: an emulator of the store and the queue, and the stand-in model."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.aws import CONVERSATION_TABLE, ROLE_MEMORY_TABLE, create_queue, create_tables
from tools.artifacts.build import TOOLS, Runtime, build, runtime
from tools.artifacts.environment import environment
from tools.artifacts.sandbox import Sandbox, function_sandbox
from tools.local.emulator import Emulator, emulator
from tools.local.ports import free_port
from tools.local.stand_in import MODEL, StandIn

Start = Callable[..., Sandbox]


@pytest.fixture(scope="session")
def lambda_runtime() -> Runtime:
    """Find what runs the artifacts."""
    return runtime()


@pytest.fixture(scope="session")
def artifacts(tmp_path_factory: pytest.TempPathFactory, lambda_runtime: Runtime) -> Path:
    """Build all artifacts once, for this machine; or take those of the folder that ``ARTIFACTS`` names."""
    if "ARTIFACTS" in os.environ:
        return Path(os.environ["ARTIFACTS"]).resolve()
    return build(tmp_path_factory.mktemp("artifacts"), lambda_runtime.version)


@pytest.fixture(scope="session")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """Run an emulator with nothing in it."""
    state = tmp_path_factory.mktemp("aws")
    with (
        (state / "lock").open("w") as lock,
        emulator(TOOLS / "bin/ministack", free_port(), state, lock.fileno()) as aws,
    ):
        yield aws


@pytest.fixture(scope="session")
def model() -> Iterator[StandIn]:
    """Run the stand-in model."""
    with StandIn() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        yield server
        server.shutdown()


@dataclass
class Deployment:
    """What the template makes, with the functions started one by one, as asked for."""

    parameters: dict[str, str]
    launch: Callable[..., AbstractContextManager[Sandbox]]
    folder: Path
    running: ExitStack
    dynamodb: Any
    queue_url: str
    started: dict[str, Sandbox] = field(default_factory=dict)

    def start(self, function: str, parameters: dict[str, str] | None = None, **limits: int) -> Sandbox:
        """Start a fresh sandbox of ``function``."""
        variables = environment(function, self.parameters | (parameters or {}))
        log = self.folder / f"{function}-{len(list(self.folder.iterdir()))}.log"
        return self.running.enter_context(self.launch(function, variables, log=log, **limits))

    def invoke(self, function: str, event: object) -> Any:
        """Invoke the warm sandbox of ``function``, starting it the first time."""
        if function not in self.started:
            self.started[function] = self.start(function)
        return self.started[function].invoke(event)


@pytest.fixture(scope="session")
def tables(aws: Emulator) -> str:
    """Make the tables and the queue, and return the address of the queue."""
    create_tables(aws.client("dynamodb"))
    return create_queue(aws.client("sqs"))


@pytest.fixture(scope="module")
def deployment(
    artifacts: Path,
    lambda_runtime: Runtime,
    aws: Emulator,
    model: StandIn,
    tables: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Deployment]:
    """Offer the functions over one store; they end with the module that asked for them."""
    parameters = {
        "AwsEndpointUrl": aws.url,
        "ConversationTable": CONVERSATION_TABLE,
        "RoleMemoryTable": ROLE_MEMORY_TABLE,
        "DoorbellQueue": tables,
        "OpenAiBaseUrl": f"{model.url}/v1",
        "OpenAiApiKey": MODEL,
        "ChatModel": MODEL,
        "RoleModel": MODEL,
    }
    launch = partial(function_sandbox, artifacts, runtime=lambda_runtime)
    folder = tmp_path_factory.mktemp("sandboxes")
    with ExitStack() as running:
        yield Deployment(parameters, launch, folder, running, aws.client("dynamodb"), tables)
