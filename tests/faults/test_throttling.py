"""A request that is throttled or contended is retried with jitter, and no request outlives its function."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from shared.aws import REQUEST_SECONDS
from shared.errors import Busy, MemoryFault, ModelUnavailable
from tests.faults.acting import ask, learn, store_questions, track
from tests.support.faults import FOR_GOOD, Do, Fault, Wire, error_reply
from tests.support.models import EchoChat
from tests.support.system import System

APPEND = "TransactWriteItems conversation 1"


def refusing(code: str, status: int = 400) -> Fault:
    return lambda _: error_reply(status, code)


def conflicting(_: Do) -> Any:
    """Cancel the transaction of a question, which has two parts in a session that exists."""
    reasons = [{"Code": "TransactionConflict"}, {"Code": "None"}]
    return error_reply(400, "TransactionCanceledException", CancellationReasons=reasons)


PASSING = [
    pytest.param(refusing("ProvisionedThroughputExceededException"), id="throughput"),
    pytest.param(refusing("ThrottlingException"), id="throttling"),
    pytest.param(refusing("RequestLimitExceeded"), id="limit"),
    pytest.param(refusing("TransactionInProgressException"), id="in-progress"),
    pytest.param(refusing("InternalServerError", 500), id="server-error"),
    pytest.param(refusing("BadGateway", 502), id="gateway"),
    pytest.param(conflicting, id="conflict"),
]


@pytest.fixture
def pauses(system: System) -> list[float]:
    """Return the pauses that the store makes from now on, none of which is slept."""
    pauses: list[float] = []
    system.sleep = pauses.append
    system.__post_init__()
    return pauses


@pytest.fixture
def user(system: System, users: Iterator[str], pauses: list[float]) -> str:
    """Return a user who has asked before, which is over when the pauses are looked at."""
    user = next(users)
    ask(system, user, "earlier")
    pauses.clear()
    return user


@pytest.mark.parametrize("fault", PASSING)
def test_passing_fault_is_retried_with_jitter(
    system: System, wire: Wire, user: str, pauses: list[float], fault: Fault
) -> None:
    # GIVEN a store that refuses a question three times WHEN it is asked THEN it is answered
    with wire.fault(APPEND, fault, times=3):
        assert ask(system, user, "mine").turn == 2
    # AND each pause is somewhere below twice the one before
    assert len(pauses) == 3
    assert all(0 <= pause <= 0.03 * 2**attempt for attempt, pause in enumerate(pauses))
    assert len(set(pauses)) == 3


@pytest.mark.parametrize("fault", PASSING)
def test_fault_that_does_not_pass_is_busy(
    system: System, wire: Wire, user: str, pauses: list[float], fault: Fault
) -> None:
    with wire.fault(APPEND, fault, times=FOR_GOOD), pytest.raises(Busy) as busy:
        ask(system, user, "mine")
    assert busy.value.retry_after
    assert wire.calls.count("TransactWriteItems conversation 6") == 1
    assert "TransactWriteItems conversation 7" not in wire.calls
    assert sum(pauses) < 2


def test_items_left_unprocessed_are_asked_for_again(system: System, wire: Wire, user: str, pauses: list[float]) -> None:
    """Throttling inside a batch is no error of the batch."""

    def unprocessed(_: Do) -> Any:
        wanted = json.loads(wire.requests[-1].body)["RequestItems"]  # type: ignore[arg-type]
        return error_reply(200, "", Responses={}, UnprocessedKeys=wanted)

    pauses.clear()
    with wire.fault("BatchGetItem conversation 1", unprocessed, times=2):
        store_questions(system, user, "next", head=system.stores.heads.session(user, "s1"))
    assert len(pauses) == 2
    assert ask(system, user, "mine").turn == 3


@dataclass
class Stopwatch:
    """A monotonic clock that only moves when something takes time."""

    now: float = field(default_factory=time.monotonic)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def times_out(self, _: Do) -> Any:
        """Take as long as the client waits."""
        self.sleep(REQUEST_SECONDS)
        raise ReadTimeoutError(endpoint_url="http://nowhere")


@dataclass
class Later(Future[Any]):
    """What another thread is done with at ``end``."""

    stopwatch: Stopwatch
    end: float
    outcome: Callable[[], Any]

    def result(self, timeout: float | None = None) -> Any:
        if timeout is not None and self.stopwatch.now + timeout < self.end:
            self.stopwatch.sleep(timeout)
            raise TimeoutError
        self.stopwatch.now = max(self.stopwatch.now, self.end)
        return self.outcome()


@dataclass
class Meanwhile(Executor):
    """Does at once what is submitted, in time that passes beside the caller's."""

    stopwatch: Stopwatch

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        start, outcome = self.stopwatch.now, partial(fn, *args, **kwargs)
        try:
            result = outcome()
        except MemoryFault as fault:
            outcome = partial(_raise, fault)
        else:
            outcome = partial(lambda: result)
        end, self.stopwatch.now = self.stopwatch.now, start
        return Later(self.stopwatch, end, outcome)


def _raise(fault: Exception) -> None:
    raise fault


@dataclass
class SlowChat(EchoChat):
    """Answers in the last moment it is given, or fails then."""

    stopwatch: Stopwatch | None = None

    def answer(self, messages: Any, *, seconds: float) -> Any:
        assert self.stopwatch is not None
        if seconds <= 0:
            raise ModelUnavailable("out of time")
        self.stopwatch.sleep(seconds)
        return super().answer(messages, seconds=seconds)


@pytest.mark.parametrize("failing", [False, True])
def test_chat_never_outlives_its_function(
    deployed: Callable[..., System],
    wire: Wire,
    users: Iterator[str],
    monkeypatch: pytest.MonkeyPatch,
    failing: bool,
) -> None:
    """Whenever the store and the queue stop to answer, and however slow the model is, the reply comes within 29 s."""
    stopwatch = Stopwatch()
    model = SlowChat(stopwatch=stopwatch, failing=failing)
    system = deployed(model=wire.around(model, "model"), sleep=stopwatch.sleep)
    wire.under(system.dynamodb, system.sqs)
    executor = Meanwhile(stopwatch)
    reader = replace(system.service.reader, executor=executor)
    system.service = replace(system.service, executor=executor, reader=reader, sleep=stopwatch.sleep)
    monkeypatch.setattr(time, "monotonic", stopwatch)
    user = next(users)

    def asking() -> None:
        with suppress(MemoryFault):
            ask(system, user, "gardener asks")

    for call in wire.calls_of(asking):
        if call.startswith("model"):
            continue
        started = stopwatch.now
        with wire.fault(call, stopwatch.times_out, times=FOR_GOOD, everything=True):
            asking()
        assert stopwatch.now - started <= 29, call


def test_lesson_never_outlives_its_function(
    deployed: Callable[..., System], wire: Wire, users: Iterator[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stopwatch = Stopwatch()
    system = deployed(sleep=stopwatch.sleep)
    system.reader.meanwhile = lambda: stopwatch.sleep(30)
    wire.under(system.dynamodb)
    monkeypatch.setattr(time, "monotonic", stopwatch)
    clean = next(users)
    store_questions(system, clean, *["gardener asks"] * 3)
    for call in wire.calls_of(lambda: learn(system, clean)):
        user = next(users)
        store_questions(system, user, *["gardener asks"] * 3)
        started = stopwatch.now
        with wire.fault(call, stopwatch.times_out, times=FOR_GOOD, everything=True), suppress(Busy):
            learn(system, user)
        assert stopwatch.now - started <= 120, call
    assert len(track(system, clean)) == 3
