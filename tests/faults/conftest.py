"""Everything here runs on an emulator that holds under concurrency, with the clients of the deployment."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from shared.aws import dynamodb_client, sqs_client
from tests.support.aws import create_queue, create_tables
from tests.support.clock import FakeClock
from tests.support.faults import Wire
from tests.support.models import EchoChat, ScriptedReader
from tests.support.system import System
from tools.local.emulator import CREDENTIALS, Emulator, emulator
from tools.local.ports import free_port

PROGRAM = Path(__file__).parents[2] / ".tools" / "bin" / "ministack"
_numbers = count(1)


@pytest.fixture(scope="session")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """One emulator with the tables of the template; the process's own clients talk to it."""
    state = tmp_path_factory.mktemp("emulator")
    with (
        (state / "lock").open("w") as lock,
        emulator(PROGRAM, free_port(), state, lock.fileno()) as running,
        pytest.MonkeyPatch.context() as environment,
    ):
        create_tables(running.client("dynamodb"))
        for name, value in zip(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), CREDENTIALS, strict=True):
            environment.setenv(name, value)
        environment.setenv("AWS_ENDPOINT_URL", running.url)
        yield running


@pytest.fixture
def deployed(aws: Emulator) -> Callable[..., System]:
    """Return what makes a deployment of its own clients and its own queue over the emulator's tables.

    Its clock starts now: the emulator deletes what has expired by its own.
    """

    def deploy(**settings: Any) -> System:
        queue_url = create_queue(aws.client("sqs"), f"doorbell-{next(_numbers)}")
        return System(
            dynamodb_client.__wrapped__(),
            sqs_client.__wrapped__(),
            queue_url,
            dict(os.environ),
            clock=FakeClock(datetime.now(UTC)),
            **settings,
        )

    return deploy


@pytest.fixture
def users() -> Iterator[str]:
    """Ids of users that nobody else has."""
    return (f"user-{next(_numbers)}" for _ in count())


@pytest.fixture
def wire() -> Wire:
    """Return the wire that lies under and around everything that `system` calls."""
    return Wire()


@pytest.fixture
def system(deployed: Callable[..., System], wire: Wire) -> System:
    """Return a deployment on the wire, which never sleeps."""
    system = deployed(
        threads=3,
        model=wire.around(EchoChat(), "model"),
        reader=wire.around(ScriptedReader(), "reader"),
        sleep=lambda _: None,
    )
    wire.under(system.dynamodb, system.sqs)
    return system
