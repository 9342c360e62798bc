"""R3, R5, R6, R9: whatever call of a write path fails or lies, recovery ends where a run without the fault ends."""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from shared.errors import InProgress, MemoryFault, ModelUnavailable
from tests.faults.acting import ask, learn, log, store_questions, track
from tests.support import faults
from tests.support.faults import FOR_GOOD, Fault, Killed, Wire
from tests.support.state import state
from tests.support.system import System

FAULTS = [
    pytest.param(fault, times, id=f"{fault.__name__}-{times}")
    for fault, times in [
        (faults.lost, FOR_GOOD),
        (faults.unanswered, 2),
        (faults.unanswered, FOR_GOOD),
        (faults.refused, 2),
        (faults.refused, FOR_GOOD),
        (faults.done_but_refused, 4),
        (faults.done_but_refused, FOR_GOOD),
        (faults.throttled, FOR_GOOD),
        (faults.late, 1),
        (faults.killed_before, 1),
        (faults.killed_after, 1),
    ]
]
QUESTION = "gardener asks about roses"
RETRIES = 4


def asked_until_answered(system: System, user: str) -> None:
    """Do what a client does: send the same message again until it is answered."""
    for _ in range(RETRIES):
        try:
            ask(system, user, QUESTION, "m1")
        except InProgress as refusal:
            system.clock.advance(seconds=refusal.retry_after or 0)
        else:
            return
    pytest.fail("no answer")


@pytest.mark.parametrize(("fault", "times"), FAULTS)
def test_turn_survives(system: System, wire: Wire, users: Iterator[str], fault: Fault, times: int) -> None:
    """R9: the client's retry ends in one turn with one answer, and what was acknowledged is never lost."""
    # GIVEN a clean run
    clean = next(users)
    ask(system, clean, "gardener asks")
    calls = wire.calls_of(lambda: ask(system, clean, QUESTION, "m1"))
    expected = state(system, clean)
    assert {"SendMessage 1", "model.answer 1", "TransactWriteItems conversation 2"} <= {*calls}
    for call in calls:
        # WHEN one call of the same run goes wrong
        user = next(users)
        ask(system, user, "gardener asks")
        with wire.fault(call, fault, times=times):
            try:
                ask(system, user, QUESTION, "m1")
                acknowledged = True
            except ModelUnavailable:
                acknowledged = True
            except (MemoryFault, Killed):
                acknowledged = False
        # THEN a question that was acknowledged is stored
        texts = [text for _, _, text in log(system, user)]
        assert texts.count(QUESTION) == 1 or not (acknowledged or texts.count(QUESTION)), call
        # AND after the client's retry everything is as if nothing had happened
        asked_until_answered(system, user)
        assert state(system, user) == expected, call


@pytest.mark.parametrize(("fault", "times"), FAULTS)
def test_turn_without_message_id_is_stored_once(
    system: System, wire: Wire, users: Iterator[str], fault: Fault, times: int
) -> None:
    """R1: no fault makes one request two turns, although nothing but its transaction's token tells a retry apart."""
    calls = wire.calls_of(lambda: ask(system, next(users), QUESTION))
    for call in calls:
        user = next(users)
        with wire.fault(call, fault, times=times), suppress(MemoryFault, Killed):
            ask(system, user, QUESTION)
        kinds = [kind for _, kind, _ in log(system, user)]
        assert kinds in ([], ["USER"], ["USER", "ASSISTANT"]), call


@pytest.mark.parametrize(("fault", "times"), FAULTS)
def test_lesson_survives(system: System, wire: Wire, users: Iterator[str], fault: Fault, times: int) -> None:
    """R3, R5: the redelivery ends in one snapshot a question."""
    # GIVEN a clean run
    clean = next(users)
    store_questions(system, clean, QUESTION, "baker asks")
    calls = wire.calls_of(lambda: learn(system, clean))
    expected = state(system, clean)
    assert {"reader.extract 1", "reader.extract 2", "reader.compare 1"} <= {*calls}
    for call in calls:
        # WHEN one call of the same run goes wrong
        user = next(users)
        store_questions(system, user, QUESTION, "baker asks")
        with wire.fault(call, fault, times=times):
            try:
                learn(system, user)
                failed = False
            except (MemoryFault, Killed):
                failed = True
        # THEN after the redelivery everything is as if nothing had happened
        if failed:
            learn(system, user)
        assert state(system, user) == expected, call


def test_lost_doorbell_is_healed_by_the_next(system: System, wire: Wire, users: Iterator[str]) -> None:
    """R3, R4: the answer comes all the same, and the next doorbell has both questions read, a snapshot each."""
    # GIVEN a question whose doorbell is lost
    user = next(users)
    with wire.fault("SendMessage 1", faults.lost, times=FOR_GOOD):
        assert ask(system, user, "gardener asks").message.text == "Answer to: gardener asks"
    system.ring_all()
    assert track(system, user) == []
    # WHEN the next question is asked
    ask(system, user, "gardener asks again")
    system.ring_all()
    # THEN
    assert [one["metadata"]["coveredTurns"] for one in track(system, user)] == [[1], [2]]


def test_many_lost_doorbells_are_healed_at_once(system: System, wire: Wire, users: Iterator[str]) -> None:
    """R4: beyond the limit the newest question is read with the others as history, and the snapshot says so."""
    user = next(users)
    for _ in range(4):
        with wire.fault("SendMessage 1", faults.lost, times=FOR_GOOD):
            ask(system, user, "gardener asks")
    ask(system, user, "gardener asks again")
    system.ring_all()
    assert [one["metadata"]["coveredTurns"] for one in track(system, user)] == [[1, 2, 3, 4, 5]]
