"""The system against its specification: whatever happens in whatever order, every read of the API says the same.

``HYPOTHESIS_PROFILE=long`` runs it for a long time with other seeds each time.
"""

import os
from contextlib import suppress
from typing import Any

import boto3
import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule
from moto import mock_aws

from shared.errors import ModelOutputUnusable
from shared.queue import Doorbell
from tests.stateful.reading import Reader
from tests.stateful.script import script
from tests.stateful.specification import ASKS_SHORT, STATES, TTL_DAYS, WINDOW, WORDS, Memory
from tests.support.aws import create_queue, create_tables
from tests.support.system import System

USERS, SESSIONS = ("u1", "u2"), ("s1", "s2")
PROFILES = {
    "default": settings(max_examples=21, stateful_step_count=20, derandomize=True),
    "long": settings(max_examples=150, stateful_step_count=50),
}

# Most of what happens happens in one place, or nothing there would ever get far.
users, sessions = st.sampled_from(USERS[:1] * 4 + USERS), st.sampled_from(SESSIONS[:1] * 3 + SESSIONS)
words = st.sampled_from(WORDS)
kinds = st.one_of(words.map(STATES.__add__), st.sampled_from((ASKS_SHORT, "thanks")))
some_words = st.frozensets(words, max_size=2)
few_words = st.just(frozenset[str]()) | some_words
seldom = st.sampled_from((False, False, False, True))
Sent = tuple[str, str, str, str | None]


class MemoryMachine(RuleBasedStateMachine):
    """Two users with two sessions each, over moto: one thing at a time."""

    sent = Bundle("sent")

    @initialize(
        over_sessions=st.booleans(),
        once=st.booleans(),
        forbid=few_words,
        before=st.integers(0, 5).flatmap(lambda size: st.lists(kinds, min_size=size, max_size=size)),
    )
    def deploy(self, forbid: frozenset[str], before: list[str], *, over_sessions: bool, once: bool) -> None:
        """Begin with words forbidden and questions unread, since a run may be without any rule that does it."""
        self.aws = mock_aws()
        self.aws.start()
        dynamodb, sqs = boto3.client("dynamodb"), boto3.client("sqs")
        create_tables(dynamodb)
        environment = {
            "ROLE_SCOPE": "user" if over_sessions else "session",
            "ROLE_GUIDE_SCOPE": "once" if once else "every",
            "CONVERSATION_MAX_MESSAGES": str(WINDOW),
            "MEMORY_TTL_DAYS": str(TTL_DAYS),
        }
        self.system = System(dynamodb, sqs, create_queue(sqs), {**os.environ, **environment})
        self.system.reader.script = script
        self.memory = Memory(over_sessions=over_sessions, once=once)
        self.reader = Reader(self.system, self.memory, USERS, SESSIONS)
        self.doorbells: list[str] = []
        self.questions = 0
        if forbid:
            untouched: dict[str, Any] = {"identities": None, "pin": False, "unpin": False, "allow": frozenset()}
            self.edit(USERS[0], SESSIONS[0], forbid=forbid, version=None, **untouched)
        for kind in before:
            self.ask_one(USERS[0], SESSIONS[0], kind, named=False)

    def teardown(self) -> None:
        if hasattr(self, "system"):
            self.system.executor.shutdown()
            self.aws.stop()

    @rule(
        target=sent,
        user=users,
        session=sessions,
        kind=kinds,
        named=st.booleans(),
        model=st.sampled_from(("works", "works", "works", "fails", "dies")),
        heard=st.sampled_from((True, True, False)),
        temporary=st.sampled_from((False, False, False, True)),
    )
    def ask(self, user: str, session: str, kind: str, *, named: bool, temporary: bool, **how: Any) -> Any:
        """Ask something new; the doorbell may be lost, and the question temporary."""
        message = self.ask_one(user, session, kind, named=named and not temporary, temporary=temporary, **how)
        return message if message[-1] else multiple()

    def ask_one(self, user: str, session: str, kind: str, *, named: bool, **how: Any) -> Sent:
        self.questions += 1
        message = (user, session, f"{kind} {self.questions}", f"m{self.questions}" if named else None)
        self._send(message, **how)
        return message

    @rule(
        message=sent,
        model=st.sampled_from(("works", "works", "fails", "dies")),
        more=st.sampled_from(("", "", " again")),
    )
    def retry(self, message: Sent, model: str, more: str) -> None:
        """R9: the same request once more, whatever became of it, or its ``message_id`` with another text."""
        user, session, text, message_id = message
        self._send((user, session, text + more, message_id), model=model)

    def _send(self, message: Sent, *, model: str = "works", heard: bool = True, temporary: bool = False) -> None:
        user, session, text, message_id = message
        expected = self.memory.ask(user, session, text, message_id, model=model, temporary=temporary)
        requests = self.system.model.requests
        requests.clear()
        self.system.model.failing = model == "fails"
        self.system.model.meanwhile = _die if model == "dies" else lambda: None
        body = {"message_id": message_id} if message_id else {}
        reply = self.system.ask(text, user=user, session=session, temporary=temporary, **body)
        assert reply.status == expected.status, reply.json
        assert len(requests) == (expected.window is not None)
        if expected.window is not None:
            asked = [(one["role"], one["content"]) for one in requests[0]]
            assert (asked[0][0] == "system") == (expected.guided_by is not None)
            assert asked[expected.guided_by is not None :] == [*expected.window, ("user", text)]
        if reply.status == 200:
            assert reply.data["turn"] == expected.turn
            assert reply.data["message"]["text"] == f"Answer to: {text}"
            if expected.window is not None:
                assert reply.data["guidance"]["version"] == expected.guided_by
            if not temporary:
                assert reply.data["roleMemory"] == self.reader.state(user, session)
        rung = self._rung()
        bell = Doorbell(user_id=user, session_id=session).model_dump_json()
        assert not expected.rings or rung == [bell]
        self.doorbells += rung if heard else []

    def _rung(self) -> list[str]:
        rung = []
        queue = self.system.queue_url
        while messages := self.system.sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                rung.append(message["Body"])
                self.system.sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
        return rung

    @rule(
        user=users,
        session=sessions,
        place=st.integers(-2, 5),
        reader=st.sampled_from(("reads", "reads", "reads", "fails", "fails for good")),
        again=st.booleans(),
    )
    def work(self, user: str, session: str, place: int, reader: str, *, again: bool) -> None:
        """R3: a doorbell is answered: out of order, twice, by a reader that fails, or one nobody expects."""
        if place < 0 or not self.doorbells:
            self._learn(Doorbell(user_id=user, session_id=session).model_dump_json(), reader)
            return
        body = self.doorbells.pop(place % len(self.doorbells))
        self._learn(body, reader)
        if again or reader == "fails":
            self.doorbells.append(body)

    def _learn(self, body: str, reader: str) -> None:
        fails, last = reader != "reads", reader == "fails for good"
        bell = Doorbell.model_validate_json(body)
        expected = self.memory.learn(bell.user_id, bell.session_id, fails=fails, last=last)
        self.system.reader.failing = ModelOutputUnusable("The model did not answer with JSON.") if fails else None
        failed = True
        with suppress(ModelOutputUnusable):
            self.system.learn(body, last_delivery=last)
            failed = False
        assert failed == expected

    @rule(
        user=users,
        session=sessions,
        identities=st.none() | some_words,
        pin=seldom,
        unpin=seldom,
        forbid=few_words,
        allow=few_words,
        version=st.sampled_from((None,) * 5 + (0, 1, 2)),
    )
    def edit(self, user: str, session: str, *, version: int | None, **edit: Any) -> None:
        latest = self.memory.latest(self.memory.subject(user, session))
        status = self.memory.edit(user, session, version=version, **edit)
        body: dict[str, Any] = {"session_id": session, "version": version}
        body |= {"set": {"possibleIdentities": sorted(edit["identities"])}} if edit["identities"] is not None else {}
        body |= {name: ["possibleIdentities"] for name in ("pin", "unpin") if edit[name]}
        body |= {name: sorted(edit[name]) for name in ("forbid", "allow")}
        reply = self.system.call("POST", "/api/user/memory/edit", user=user, body=body)
        assert reply.status == status, reply.json
        if status == 409:
            assert reply.json["currentVersion"] == (latest.version if latest else 0)

    @rule(user=users, session=sessions, version=st.integers(1, 6))
    def roll_back(self, user: str, session: str, version: int) -> None:
        status = self.memory.roll_back(user, session, version)
        body = {"session_id": session, "version": version}
        assert self.system.call("POST", "/api/user/memory/rollback", user=user, body=body).status == status

    @rule(user=users, session=sessions, scope=st.sampled_from(("role", "role", "conversation", "all", "user")))
    def delete(self, user: str, session: str, scope: str) -> None:
        """R23: the receipt counts what no read returns any more."""
        places = SESSIONS if scope == "user" else (session,)
        subjects = {self.memory.subject(user, place) for place in places}
        gone = [self.memory.delete_conversation(user, place) for place in places if scope != "role"]
        snapshots = sum(self.memory.delete_role(subject) for subject in subjects if scope != "conversation")
        if scope == "user":
            reply = self.system.call("POST", "/api/user/delete", user=user)
        else:
            query = {"session_id": session, "scope": scope}
            reply = self.system.call("POST", "/api/user/memory/delete", user=user, query=query)
        counts = {"sessions": sum(map(bool, gone)), "messages": sum(gone), "snapshots": snapshots}
        assert reply.data == {"scope": scope, **counts, "verified": True}

    @rule(days=st.sampled_from((0, 15, 30)))
    def wait(self, days: int) -> None:
        """R8: time passes, a minute at least."""
        self.memory.move_clock(days)
        self.system.clock.advance(days=days, minutes=1)

    @invariant()
    def every_read_agrees(self) -> None:
        if hasattr(self, "reader"):
            self.reader.compare()


def _die() -> None:
    raise RuntimeError("the function was cut off")


TestMemory = MemoryMachine.TestCase
TestMemory.settings = settings(
    PROFILES[os.environ.get("HYPOTHESIS_PROFILE", "default")],
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
