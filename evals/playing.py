"""One dialogue through the functions' own code, over tables made from the template, in this process.

The emulator in this process loses updates under concurrency: a stage is single-threaded, and dialogues that are played
at the same time are played in processes of their own.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
from moto import mock_aws

from evals.dialogues import Dialogue
from evals.recording import EXTRACT, Tape
from evals.scoring import Stored
from functions.chat.answering import Answerer
from functions.chat.contract import ChatRequest
from functions.chat.memory import MemoryReader
from functions.chat.service import ChatService
from functions.chat.settings import ChatSettings
from functions.role_memory.learning import Learner, Reader
from functions.role_memory.settings import RoleSettings
from shared.clock import utc_now
from shared.errors import MemoryFault
from shared.model.ports import Answer, ChatMessage
from shared.observability import metrics
from shared.queue import Doorbell
from shared.records import Record, Snapshot, Tokens
from shared.store.keys import Subject
from shared.store.stores import Stores
from tests.support.aws import CONVERSATION_TABLE, ROLE_MEMORY_TABLE, create_tables

USER, SESSION = "u1", "s1"
CHAT_SECONDS, LEARN_SECONDS = 60.0, 600.0


class Played(Record):
    """What one question left behind. ``fault`` is what the worker reported, ``crash`` whether it was no typed one.

    ``requests`` counts what was sent to the model, retries included; ``stood_in`` and ``missing`` what a recording
    could not answer exactly, or not at all.
    """

    turn: int
    stored: Stored | None = None
    snapshot: dict[str, Any] | None = None
    fault: str | None = None
    crash: bool = False
    seconds: float = 0.0
    extractions: int = 0
    comparisons: int = 0
    requests: int = 0
    stood_in: int = 0
    missing: int = 0
    tokens: Tokens = Tokens()


class PlayedDialogue(Record):
    """A dialogue that was played to its end."""

    dialogue: str
    turns: tuple[Played, ...]


class _FixedChat:
    """Answers are never read by role memory: any will do."""

    def answer(self, messages: Sequence[ChatMessage], *, seconds: float) -> Answer:
        return Answer(id="fixed", text="Noted.", finish_reason="STOP", model="fixed")


@dataclass
class _Doorbells:
    waiting: list[Doorbell] = field(default_factory=list)

    def ring(self, doorbell: Doorbell, subject: Subject, *, epoch: str, turn: int) -> None:
        self.waiting.append(doorbell)


@dataclass
class Stage:
    """One deployment with one user."""

    service: ChatService
    learner: Learner
    doorbells: _Doorbells

    def ask(self, question: str) -> tuple[Snapshot | None, Exception | None]:
        """Ask a question, have it learned as often as the queue would deliver it, and return what that left."""
        reply = self.service.ask(USER, ChatRequest(message=question, session_id=SESSION), seconds_left=CHAT_SECONDS)
        failure: Exception | None = None
        while self.doorbells.waiting:
            doorbell = self.doorbells.waiting.pop(0)
            for delivery in range(1, self.learner.settings.role_max_receives + 1):
                last = delivery == self.learner.settings.role_max_receives
                try:
                    self.learner.learn(doorbell, last_delivery=last, seconds_left=LEARN_SECONDS)
                except Exception as failed:
                    failure = failed
                else:
                    failure = None
                    break
        metrics.clear_metrics()  # in a function they are flushed with every event
        head = self.learner.stores.heads.session(USER, SESSION)
        latest = self.learner.stores.role.track(Subject(USER, SESSION)).latest
        learned = head is not None and head.cursor == reply.turn
        return (latest if learned and latest and latest.metadata.turn == reply.turn else None), failure


@contextmanager
def stage(reader: Reader, settings: RoleSettings) -> Iterator[Stage]:
    """Set up a deployment that learns with ``reader``."""
    chat_settings = ChatSettings(
        conversation_table=CONVERSATION_TABLE, role_memory_table=ROLE_MEMORY_TABLE, doorbell_queue_url="none"
    )
    with mock_aws(), ThreadPoolExecutor(max_workers=1) as executor:
        client = boto3.client("dynamodb", region_name="us-east-1")
        create_tables(client)
        stores = Stores.over(client, settings)
        doorbells = _Doorbells()
        service = ChatService(
            reader=MemoryReader(stores, executor, chat_settings.window),
            stores=stores,
            doorbell=doorbells,
            answerer=Answerer(_FixedChat(), chat_settings, utc_now),
            clock=utc_now,
            executor=executor,
        )
        yield Stage(service, Learner(stores, reader, settings, utc_now), doorbells)


def play(dialogue: Dialogue, reader: Reader, settings: RoleSettings, tape: Tape) -> PlayedDialogue:
    """Play ``dialogue`` with ``reader``, each question after the one before it has been learned."""
    played = []
    with stage(reader, settings) as deployment:
        for tape.turn, turn in enumerate(dialogue.turns, start=1):
            started = time.monotonic()
            snapshot, failure = deployment.ask(turn.question)
            played.append(
                measured(
                    tape,
                    seconds=time.monotonic() - started,
                    stored=Stored.of(snapshot) if snapshot else None,
                    snapshot=snapshot.to_json() if snapshot else None,
                    fault=f"{type(failure).__name__}: {failure}" if failure else None,
                    crash=failure is not None and not isinstance(failure, MemoryFault),
                )
            )
    return PlayedDialogue(dialogue=dialogue.id, turns=tuple(played))


def measured(tape: Tape, *, seconds: float, **left: Any) -> Played:
    """Return what a turn left, with what its calls cost."""
    calls = tape.of_turn()
    return Played(
        turn=tape.turn,
        seconds=round(seconds, 2),
        extractions=sum(call.name == EXTRACT for call in calls),
        comparisons=sum(call.name != EXTRACT for call in calls),
        requests=sum(call.requests for call in calls),
        stood_in=sum(call.replayed == "placed" for call in calls),
        missing=sum(call.replayed == "missing" for call in calls),
        tokens=Tokens(input=sum(call.tokens.input for call in calls), output=sum(call.tokens.output for call in calls)),
        **left,
    )
