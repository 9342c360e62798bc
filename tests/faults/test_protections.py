"""Each protection of the store holds something up: a story that goes well with it goes wrong without it."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pytest

from functions.role_memory.learning import Lesson
from shared.errors import Conflict, MemoryFault
from shared.store import erasure
from shared.store.dynamo import Dynamo
from shared.store.heads import HeadStore, TrackHead
from shared.store.keys import Subject
from shared.store.step import Step
from shared.store.tables import ABSENT
from tests.faults.acting import ask, learn, store_questions, track
from tests.faults.test_deletes import delete
from tests.support.faults import Killed, Wire, done_but_refused, interrupted_by, killed_before, reply
from tests.support.state import items
from tests.support.system import System


@dataclass(frozen=True)
class Told:
    """A deployment whose every call is on the wire, and the user a story is about."""

    system: System
    wire: Wire
    user: str

    def ask(self, message: str, message_id: str | None = None) -> Any:
        return ask(self.system, self.user, message, message_id)

    def interrupted(self, call: str, meanwhile: Callable[[], object]) -> Any:
        return self.wire.fault(call, interrupted_by(meanwhile))

    def conversation(self) -> list[tuple[int, str]]:
        shown = self.system.read("conversation", user=self.user).data
        return [(message["metadata"]["turn"], message["text"]) for message in shown if message["messageType"] == "USER"]


QUESTION_APPENDED = "TransactWriteItems conversation 1"
SNAPSHOT_APPENDED = "TransactWriteItems conversation role-memory 1"


def two_questions_at_once(told: Told) -> None:
    told.ask("earlier")
    with told.interrupted(QUESTION_APPENDED, lambda: told.ask("other")):
        told.ask("mine")
    assert told.conversation() == [(1, "earlier"), (2, "other"), (3, "mine")]


def two_first_questions_at_once(told: Told) -> None:
    with told.interrupted(QUESTION_APPENDED, lambda: told.ask("other")):
        told.ask("mine")
    assert told.conversation() == [(1, "other"), (2, "mine")]


def question_after_a_delete(told: Told) -> None:
    def delete_and_go_on() -> None:
        delete(told.system, told.user, "conversation")
        told.ask("other")

    told.ask("earlier")
    with told.interrupted(QUESTION_APPENDED, delete_and_go_on):
        told.ask("mine")
    assert told.conversation() == [(1, "other"), (2, "mine")]


def first_question_after_the_user_was_deleted(told: Told) -> None:
    told = replace(told, system=told.system.with_settings(role_scope="user"))
    store_questions(told.system, told.user, "gardener asks", session="other")
    learn(told.system, told.user, session="other")
    with told.interrupted(QUESTION_APPENDED, lambda: delete(told.system, told.user, "user")):
        assert told.ask("mine").guidance.applied is False


def message_sent_twice(told: Told) -> None:
    # The read of the heads is not one moment: here it sees the head behind a turn, and not yet the turn's mark.
    def torn(do: Callable[[], Any]) -> Any:
        told.ask("mine", "m1")
        body = json.loads(do().content)
        for table, found in body["Responses"].items():
            body["Responses"][table] = [item for item in found if not item["sk"]["S"].startswith("REQUEST#")]
        return reply(200, body)

    told.ask("earlier")
    with told.wire.fault("BatchGetItem conversation role-memory 1", torn):
        told.ask("mine", "m1")
    assert told.conversation() == [(1, "earlier"), (2, "mine")]


def message_sent_again_while_it_is_answered(told: Told) -> None:
    def again() -> None:
        with suppress(Conflict):
            told.ask("mine", "m1")

    with told.interrupted("model.answer 1", again):
        told.ask("mine", "m1")
    assert told.wire.calls.count("model.answer 2") == 0


def answer_that_comes_after_its_lease(told: Told) -> None:
    replies = []

    def again() -> None:
        told.system.clock.advance(seconds=60)
        replies.append(told.ask("mine", "m1"))

    with told.interrupted("model.answer 1", again):
        replies.append(told.ask("mine", "m1"))
    replies.append(told.ask("mine", "m1"))
    assert len({answered.message.metadata.id for answered in replies}) == 1


def answer_after_a_delete(told: Told) -> None:
    def delete_and_go_on() -> None:
        delete(told.system, told.user, "conversation")
        told.ask("other")

    with told.interrupted("model.answer 1", delete_and_go_on), suppress(Conflict):
        told.ask("mine")
    assert "mine" not in repr(items(told.system, told.user))


def question_while_its_session_is_deleted(told: Told) -> None:
    told.ask("earlier")
    with told.interrupted("TransactWriteItems conversation 2", lambda: told.ask("mine")):
        delete(told.system, told.user, "conversation")
    assert told.conversation() == [(1, "mine")]


def delete_by_half(told: Told) -> None:
    with told.wire.fault("BatchWriteItem conversation 1", killed_before), suppress(Killed):
        told.system.stores.erasure.conversation(told.user, "s1")


def conversation_deleted_by_half(told: Told) -> None:
    told.ask("earlier")
    delete_by_half(told)
    assert told.system.call("GET", "/api/user/sessions", user=told.user).data == []


def answer_after_half_a_delete(told: Told) -> None:
    told.ask("earlier")
    with told.interrupted("model.answer 1", lambda: delete_by_half(told)), suppress(Conflict):
        told.ask("mine")
    answers = [item for item in items(told.system, told.user) if item["sk"].endswith("#2")]
    assert len(answers) == 1


def delete_that_clears_up_behind_a_new_session(told: Told) -> None:
    told.ask("earlier")
    with told.interrupted("Query conversation 1", lambda: told.ask("mine")):
        delete(told.system, told.user, "conversation")
    assert told.conversation() == [(1, "mine")]


def role_deleted_by_half(told: Told) -> None:
    store_questions(told.system, told.user, "gardener asks")
    learn(told.system, told.user)
    with told.wire.fault("BatchWriteItem role-memory 1", killed_before), suppress(Killed):
        delete(told.system, told.user, "role")
    assert track(told.system, told.user) == []


def two_workers(told: Told) -> None:
    store_questions(told.system, told.user, "gardener asks")
    with told.interrupted(SNAPSHOT_APPENDED, lambda: learn(told.system, told.user)):
        learn(told.system, told.user)
    assert [one["metadata"]["coveredTurns"] for one in track(told.system, told.user)] == [[1]]


def lesson_of_a_deleted_conversation(told: Told) -> None:
    def delete_and_go_on() -> None:
        delete(told.system, told.user, "conversation")
        told.ask("baker asks")

    store_questions(told.system, told.user, "gardener asks")
    with told.interrupted("reader.extract 1", delete_and_go_on):
        learn(told.system, told.user)
    learn(told.system, told.user)
    assert [one["text"]["userQuery"] for one in track(told.system, told.user)] == ["baker asks"]


def lesson_beside_an_edit(told: Told) -> None:
    def edit() -> None:
        body = {"session_id": "s1", "set": {"possibleIdentities": ["baker"]}}
        assert told.system.call("POST", "/api/user/memory/edit", user=told.user, body=body).status == 200

    store_questions(told.system, told.user, "gardener asks")
    with told.interrupted(SNAPSHOT_APPENDED, edit):
        learn(told.system, told.user)
    operations = [one["metadata"]["decision"]["operation"] for one in track(told.system, told.user)]
    assert operations[0] == "EDIT"
    assert len(operations) == 2


def lesson_of_a_deleted_role(told: Told) -> None:
    head = store_questions(told.system, told.user, "gardener asks")
    learn(told.system, told.user)
    store_questions(told.system, told.user, "gardener asks again", head=head)
    with told.interrupted(SNAPSHOT_APPENDED, lambda: delete(told.system, told.user, "role")):
        learn(told.system, told.user)
    assert track(told.system, told.user) == []


def first_lesson_of_a_deleted_role(told: Told) -> None:
    store_questions(told.system, told.user, "gardener asks")
    with told.interrupted(SNAPSHOT_APPENDED, lambda: delete(told.system, told.user, "role")):
        learn(told.system, told.user)
    assert track(told.system, told.user) == []


def redelivery_after_a_delete(told: Told) -> None:
    store_questions(told.system, told.user, "gardener asks")
    delete(told.system, told.user, "role")
    learn(told.system, told.user)
    assert track(told.system, told.user) == []


def reply_lost_more_than_once(told: Told) -> None:
    with told.wire.fault(QUESTION_APPENDED, done_but_refused, times=4):
        told.ask("mine")
    assert told.conversation() == [(1, "mine")]


Sabotage = Callable[[pytest.MonkeyPatch], None]


def without(*changes: tuple[str, str]) -> Sabotage:
    """Take clauses out of the steps of transactions: a step whose expressions hold ``where`` loses ``clause``."""

    def weaken(patch: pytest.MonkeyPatch) -> None:
        for where, clause in changes:
            patch.setattr(Step, "request", weakened(Step.request, where, clause))

    return weaken


def weakened(real: Callable[[Step], Any], where: str, clause: str) -> Callable[[Step], Any]:
    def request(step: Step) -> Any:
        if where in f"{step.kind} {step.key.sk} {step.condition} {step.update}":
            if clause not in step.condition:
                raise LookupError(step.condition)
            always = f"({clause} OR attribute_exists(pk) OR attribute_not_exists(pk))"
            step = replace(step, condition=step.condition.replace(clause, always))
        return real(step)

    return request


def without_update(old: str, new: str) -> Sabotage:
    """Have updates write ``new`` for ``old``."""

    def weaken(patch: pytest.MonkeyPatch) -> None:
        real = Step.request
        patch.setattr(Step, "request", lambda step: real(replace(step, update=step.update.replace(old, new))))

    return weaken


def without_floor(patch: pytest.MonkeyPatch) -> None:
    real = HeadStore.track

    def track(heads: HeadStore, subject: Subject) -> TrackHead | None:
        head = real(heads, subject)
        return head and head.model_copy(update={"floor": 0})

    patch.setattr(HeadStore, "track", track)


def without_live_epoch(patch: pytest.MonkeyPatch) -> None:
    """Have a delete take whatever it finds."""
    patch.setattr(erasure, "_is_of", lambda *_: False)


def without_role_epoch(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Lesson, "may_teach", lambda *_: True)


def without_token(patch: pytest.MonkeyPatch) -> None:
    real = Dynamo._transact_once
    fresh = iter(range(1_000))
    patch.setattr(
        Dynamo,
        "_transact_once",
        lambda self, requests, steps, token: real(self, requests, steps, f"{token[:30]}{next(fresh)}"),
    )


STORIES = [
    pytest.param(
        two_questions_at_once, without(("#lastTurn = :next", "#lastTurn = :last"), ("#1 (attr", ABSENT)), id="turn"
    ),
    pytest.param(two_first_questions_at_once, without(("Put SESSION#", ABSENT)), id="session-opened-once"),
    pytest.param(question_after_a_delete, without(("#lastTurn = :next", "#epoch = :epoch")), id="epoch-of-question"),
    pytest.param(first_question_after_the_user_was_deleted, without(("ConditionCheck", ABSENT)), id="erasure-mark"),
    pytest.param(message_sent_twice, without(("REQUEST#", f"{ABSENT} OR #epoch <> :epoch")), id="request-mark"),
    pytest.param(
        message_sent_again_while_it_is_answered,
        without(("SET #leasedUntil", "(attribute_not_exists(#leasedUntil) OR #leasedUntil <= :at)")),
        id="lease",
    ),
    pytest.param(answer_that_comes_after_its_lease, without(("#2 (attr", ABSENT)), id="answered-once"),
    pytest.param(answer_after_a_delete, without(("SET #lastActivityAt", "#epoch = :epoch")), id="epoch-of-answer"),
    pytest.param(question_while_its_session_is_deleted, without(("Delete", "#epoch = :epoch")), id="head-in-use"),
    pytest.param(
        answer_after_half_a_delete,
        without_update("#epoch = :epoch, #lastTurn", "#was = :epoch, #lastTurn"),
        id="new-epoch",
    ),
    pytest.param(
        conversation_deleted_by_half, without_update("#lastTurn = :zero", "#was = :zero"), id="session-without-a-turn"
    ),
    pytest.param(delete_that_clears_up_behind_a_new_session, without_live_epoch, id="live-epoch"),
    pytest.param(role_deleted_by_half, without_floor, id="floor"),
    pytest.param(two_workers, without(("#cursor = :to", "#cursor = :from")), id="cursor"),
    pytest.param(lesson_of_a_deleted_conversation, without(("#cursor = :to", "#epoch = :epoch")), id="epoch-of-lesson"),
    pytest.param(
        lesson_beside_an_edit,
        without(("#version = :version", ABSENT), ("Put 0000000001", ABSENT)),
        id="version",
    ),
    pytest.param(lesson_of_a_deleted_role, without(("#version = :from", "#epoch = :epoch")), id="epoch-of-role"),
    pytest.param(first_lesson_of_a_deleted_role, without(("#version = :version", ABSENT)), id="first-version"),
    pytest.param(redelivery_after_a_delete, without_role_epoch, id="role-epoch-of-question"),
    pytest.param(reply_lost_more_than_once, without_token, id="token"),
]


@pytest.mark.parametrize(("story", "sabotage"), STORIES)
def test_protection_is_needed(
    system: System, wire: Wire, users: Iterator[str], story: Callable[[Told], None], sabotage: Sabotage
) -> None:
    # GIVEN everything in place THEN the story goes well
    story(Told(system, wire, next(users)))
    # GIVEN the protection taken out THEN it does not
    with pytest.MonkeyPatch.context() as patch, pytest.raises((AssertionError, MemoryFault)):  # noqa: PT012
        sabotage(patch)
        story(Told(system, wire, next(users)))
