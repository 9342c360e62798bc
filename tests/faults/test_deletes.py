"""R23: whenever a delete falls into other work, what it deleted is gone, also after redelivery and redrive."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

import pytest

from shared.errors import Erased
from tests.faults.acting import SESSION, ask, learn, log, store_questions, track
from tests.support.faults import Killed, Wire, interrupted_by, killed_before
from tests.support.state import items
from tests.support.system import System
from tests.support.threads import AtOnce

ROUNDS = 200
SCOPES = ["role", "conversation", "all", "user"]


def delete(system: System, user: str, scope: str) -> None:
    """Delete, and expect a receipt."""
    if scope == "user":
        reply = system.call("POST", "/api/user/delete", user=user)
    else:
        reply = system.call("POST", "/api/user/memory/delete", user=user, query={"session_id": SESSION, "scope": scope})
    assert reply.status == 200, reply.json
    assert reply.data["verified"] is True


def assert_gone(system: System, user: str, scope: str) -> None:
    """Assert that the tables hold nothing of what was said before the delete."""
    stored = items(system, user)
    if scope != "conversation":
        assert not [item for item in stored if "snapshot" in item]
    if scope != "role":
        assert not [item for item in stored if "message" in item or "lastTurn" in item]


def assert_hidden(system: System, user: str, scope: str) -> None:
    """Assert that the API shows nothing of what was said before the delete."""
    if scope != "conversation":
        assert track(system, user) == []
        assert system.read("latest", user=user).data is None
    if scope != "role":
        assert system.read("conversation", user=user).data == []
        assert system.call("GET", "/api/user/sessions", user=user).data == []


def versions(system: System, user: str) -> list[int]:
    return [item["snapshot"]["metadata"]["version"] for item in items(system, user) if "snapshot" in item]


@pytest.mark.parametrize(("learned_before", "role_scope"), [(False, "session"), (True, "session"), (True, "user")])
@pytest.mark.parametrize("scope", SCOPES)
def test_delete_at_any_point_of_a_lesson_wins(
    system: System, wire: Wire, users: Iterator[str], scope: str, learned_before: bool, role_scope: str
) -> None:
    system = system.with_settings(role_scope=role_scope)

    def unread(user: str) -> str:
        head = store_questions(system, user, "gardener asks")
        if learned_before:
            learn(system, user)
        store_questions(system, user, "baker asks", head=head)
        return user

    clean = unread(next(users))
    for call in wire.calls_of(lambda: learn(system, clean)):
        # GIVEN a lesson into which a delete falls, right before one of its calls
        user = unread(next(users))
        with wire.fault(call, interrupted_by(partial(delete, system, user, scope))):
            learn(system, user)
        after = versions(system, user)
        # WHEN the message is delivered again, and later redriven from the dead letters
        learn(system, user)
        learn(system, user, last_delivery=True)
        # THEN nothing is back
        assert versions(system, user) == after, call
        assert_gone(system, user, scope)
    assert_hidden(system, user, scope)


@pytest.mark.parametrize("scope", SCOPES)
def test_delete_at_any_point_of_a_turn_wins(system: System, wire: Wire, users: Iterator[str], scope: str) -> None:
    """What is stored afterwards is a whole turn that was asked after the delete, or nothing."""

    def known(user: str) -> str:
        ask(system, user, "gardener asks")
        learn(system, user)
        return user

    clean = known(next(users))
    for call in wire.calls_of(lambda: ask(system, clean, "baker asks")):
        # GIVEN a turn into which a delete falls, right before one of its calls
        user = known(next(users))
        with (
            wire.fault(call, interrupted_by(partial(delete, system, user, scope))),
            suppress(Erased),
        ):
            ask(system, user, "baker asks")
        # WHEN the worker reads what there is, and the user goes on
        learn(system, user)
        ask(system, user, "and bread")
        learn(system, user)
        # THEN nothing of before the delete is in the conversation
        if scope != "role":
            turns = log(system, user)
            assert [turn for turn, _, _ in turns] in ([1, 1], [1, 1, 2, 2]), call
            assert "gardener" not in repr(turns), call
        # AND nothing of it is in the role
        if scope != "conversation":
            assert "gardener" not in repr(track(system, user)), call


@pytest.mark.parametrize("deletes_meanwhile", [False, True])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("scope", ["conversation", "all", "user"])
def test_question_at_any_point_of_a_delete_is_whole_or_gone(
    system: System, wire: Wire, users: Iterator[str], scope: str, known: bool, deletes_meanwhile: bool
) -> None:
    """R10: a delete that is still clearing up takes nothing of a session that was opened behind it."""

    def user() -> str:
        one = next(users)
        if known:
            ask(system, one, "gardener asks")
        return one

    for call in wire.calls_of(partial(delete, system, user(), scope)):
        # GIVEN a delete into which a question falls, and maybe another delete before that
        one = user()
        system.clock.advance(hours=1)

        def meanwhile(one: str = one) -> None:
            if deletes_meanwhile:
                delete(system, one, scope)
            assert ask(system, one, "baker asks", "m1").turn in (1, 2)

        with wire.fault(call, interrupted_by(meanwhile)):
            delete(system, one, scope)
        # THEN the question is gone with its session, or it opens a new one
        sessions = system.call("GET", "/api/user/sessions", user=one).data
        left = log(system, one)
        if not sessions:
            assert left == [], call
            continue
        [session] = sessions
        assert (session["title"], session["turns"]) == ("baker asks", 1), call
        assert system.clock() - datetime.fromisoformat(session["createdAt"]) < timedelta(minutes=1), call
        assert [(turn, kind) for turn, kind, _ in left] == [(1, "USER"), (1, "ASSISTANT")], call
        # AND a retry of it is the same turn
        assert ask(system, one, "baker asks", "m1").turn == 1, call


def test_full_erasure_goes_on_where_it_was_cut_off(system: System, wire: Wire, users: Iterator[str]) -> None:
    """A user with more sessions than one request can erase gets there by repeating it."""
    # GIVEN an erasure that is cut off in the third of five tracks
    user = next(users)
    for number in range(5):
        ask(system, user, "gardener asks", session=f"s{number}")
        learn(system, user, session=f"s{number}")
    with wire.fault("BatchWriteItem role-memory 3", killed_before), suppress(Killed):
        system.stores.erasure.user(user)
    # WHEN it is repeated THEN it goes on behind what is erased
    calls = wire.calls_of(lambda: delete(system, user, "user"))
    assert sum(call.startswith("BatchWriteItem role-memory") for call in calls) == 3
    assert not [item for item in items(system, user) if "snapshot" in item or "message" in item]
    # AND the next erasure begins anew: it finds what was learned since
    ask(system, user, "gardener asks", session="s0")
    learn(system, user, session="s0")
    assert system.call("POST", "/api/user/delete", user=user).data["snapshots"] == 1


def test_deletes_at_random_moments_of_lessons_win(deployed: Callable[..., System], users: Iterator[str]) -> None:
    system = deployed()
    moments = random.Random(23)  # noqa: S311 no secret
    with AtOnce(2) as crew:
        for number in range(ROUNDS):
            scope, user = SCOPES[number % len(SCOPES)], next(users)
            store_questions(system, user, "gardener asks", "baker asks")

            def deleting(user: str = user, scope: str = scope) -> None:
                time.sleep(moments.uniform(0, 0.03))
                delete(system, user, scope)

            assert crew(partial(learn, system, user), deleting) == [None, None]
            learn(system, user)
            assert_gone(system, user, scope)
        assert_hidden(system, user, scope)
