"""Reading the unread questions of a session, in order: extract, decide, merge, commit (R1–R6)."""

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from functions.role_memory.extract import Extract
from functions.role_memory.rules.compose import next_snapshot, skipped_snapshot
from functions.role_memory.rules.decision import comparison, decide
from functions.role_memory.rules.picture import Comparison, Similarities
from functions.role_memory.settings import RoleSettings
from shared.clock import Clock
from shared.errors import Busy, Erased, MemoryFault, ModelUnavailable
from shared.observability import count, duration, logger
from shared.queue import Doorbell
from shared.records import Snapshot, UserMessage
from shared.store.heads import HeadMoved, SessionHead, TrackHead, TrackMoved
from shared.store.keys import Subject, subject_of
from shared.store.role import Track
from shared.store.stores import Stores

_RESERVE_SECONDS = 5.0
"""What is kept of the function's time to commit."""
_LEAST_SECONDS = 5.0
"""With less than this for its model calls a question is left to the next delivery."""
_COMMIT_ATTEMPTS = 8
_MOST_COVERED = 50
"""Turns one snapshot covers: as many questions as may be read as history."""

Composer = Callable[[Track], Snapshot]
"""Makes the next snapshot of a track."""


class OutOfTime(ModelUnavailable):
    """The function's time is used up; the next delivery goes on from the cursor."""


class Deadly(MemoryFault):
    """A worker was ended while it read the question on its last delivery: by its time, its memory or a crash."""

    def __init__(self) -> None:
        super().__init__("Reading this question ended the worker.")


class Reader(Protocol):
    """Reads questions and compares what they show."""

    def extract(
        self, question: UserMessage, history: Sequence[UserMessage], covered: Collection[int], *, seconds: float
    ) -> Extract:
        """Return what a question shows, in the light of earlier ones (oldest first)."""

    def compare(self, comparison: Comparison, *, seconds: float) -> Similarities:
        """Return how alike pictures of the user are."""


@dataclass(frozen=True)
class Lesson:
    """The turns one snapshot covers (R4), the newest of their questions, and the questions before it."""

    covered: tuple[int, ...]
    question: UserMessage | None = None
    history: tuple[UserMessage, ...] = ()
    role_epoch: str = ""

    @property
    def turn(self) -> int:
        """The turn of the question that is read."""
        return self.covered[-1]

    def may_teach(self, track: TrackHead | None) -> bool:
        """Tell whether no role was erased since the question was asked: an erased one must not come back."""
        return self.question is not None and (track is None or track.epoch in ("", self.role_epoch))


@dataclass(frozen=True)
class Learner:
    """Learns roles from questions."""

    stores: Stores
    reader: Reader
    settings: RoleSettings
    clock: Clock

    def learn(self, doorbell: Doorbell, *, last_delivery: bool, seconds_left: float) -> None:
        """Read every unread question of the session the doorbell names.

        A question that fails is left to the next delivery; on the last one it is committed as SKIPPED and the log moves
        on (R5).

        Raises
        ------
        ModelUnavailable, ModelOutputUnusable
            The model failed on a question; what was read before it is committed.
        OutOfTime, Busy
            The rest is left to the next delivery.
        """
        end = time.monotonic() + seconds_left
        replace(self, stores=self.stores.until(end))._learn(doorbell, last_delivery, end - _RESERVE_SECONDS)

    def _learn(self, doorbell: Doorbell, last_delivery: bool, deadline: float) -> None:
        subject = subject_of(doorbell.user_id, doorbell.session_id, self.settings.role_scope)
        failure: Exception | None = None
        while (head := self.stores.heads.session(doorbell.user_id, doorbell.session_id)) and head.pending:
            lesson = Lesson(covered=self._next_turns(head))
            try:
                lesson = self._with_questions(doorbell.user_id, head, lesson)
                if head.tried > head.cursor:
                    self._skip(subject, head, lesson, Deadly())
                    continue
                if last_delivery:
                    self.stores.turns.mark_tried(doorbell.user_id, head, lesson.turn)
                self._read(subject, head, lesson, deadline)
            except HeadMoved:
                continue  # Another worker read it: go on from where the cursor is now.
            except Erased:
                return
            except (Busy, OutOfTime):
                if last_delivery:  # It is not the question's fault.
                    with suppress(MemoryFault):
                        self.stores.turns.mark_tried(doorbell.user_id, head, head.cursor)
                raise
            except Exception as failed:
                # Whatever is wrong with a question, it must not block those behind it.
                count("ExtractionFailed")
                if not last_delivery:
                    raise
                failure = failed
                self._skip(subject, head, lesson, failed)
        if failure is not None:
            raise failure

    def _next_turns(self, head: SessionHead) -> tuple[int, ...]:
        if head.tried > head.cursor:
            return tuple(range(head.cursor + 1, head.tried + 1))
        unread = tuple(range(head.cursor + 1, head.last_turn + 1))
        return unread[:_MOST_COVERED] if len(unread) > self.settings.role_catch_up_limit else unread[:1]

    def _with_questions(self, user_id: str, head: SessionHead, lesson: Lesson) -> Lesson:
        first = max(1, lesson.turn - max(self.settings.role_history_questions, len(lesson.covered) - 1))
        questions = self.stores.conversation.questions(user_id, head, range(first, lesson.turn + 1))
        if not questions or questions[-1].message.metadata.turn != lesson.turn:
            return lesson
        current = questions[-1]
        history = tuple(q.message for q in questions[:-1] if q.role_epoch == current.role_epoch)
        return replace(lesson, question=current.message, history=history, role_epoch=current.role_epoch)

    def _read(self, subject: Subject, head: SessionHead, lesson: Lesson, deadline: float) -> None:
        question = lesson.question
        if question is None or not lesson.may_teach(self.stores.heads.track(subject)):
            self.stores.turns.advance_cursor(subject.user_id, head, lesson.turn)
            return
        started = time.monotonic()
        seconds = min(self.settings.role_timeout_seconds, deadline - started)
        if seconds < min(_LEAST_SECONDS, self.settings.role_timeout_seconds):
            raise OutOfTime("The time of this delivery is used up; the next one goes on.")
        extract = self.reader.extract(question, lesson.history, lesson.covered, seconds=seconds)

        def learned(track: Track) -> Snapshot:
            rules = self.settings.rules
            asked = comparison(extract, track.latest, track.snapshots, rules)
            similarities = Similarities()
            if asked is not None:
                left = max(0.1, seconds - (time.monotonic() - started))
                similarities = self.reader.compare(asked, seconds=left)
            verdict = decide(extract, track.latest, track.snapshots, similarities, rules)
            return next_snapshot(
                track.latest,
                verdict,
                version=track.next_version,
                turn=lesson.turn,
                covered_turns=lesson.covered,
                user_id=subject.user_id,
                session_id=head.session_id,
                question=question.text,
                now=self.clock(),
                zone=self.settings.zone,
                tokens=extract.tokens + similarities.tokens,
                half_life=rules.half_life,
            )

        self._commit(subject, head, lesson, learned)
        duration("ExtractionTime", time.monotonic() - started)

    def _skip(self, subject: Subject, head: SessionHead, lesson: Lesson, failed: Exception) -> None:
        def skipped(track: Track) -> Snapshot:
            return skipped_snapshot(
                track.latest,
                version=track.next_version,
                turn=lesson.turn,
                covered_turns=lesson.covered,
                user_id=subject.user_id,
                session_id=head.session_id,
                question=lesson.question.text if lesson.question else "",
                error=str(failed) if isinstance(failed, MemoryFault) else type(failed).__name__,
                now=self.clock(),
            )

        try:
            self._commit(subject, head, lesson, skipped)
        except (HeadMoved, Erased):
            return

    def _commit(self, subject: Subject, head: SessionHead, lesson: Lesson, composer: Composer) -> None:
        """Append the snapshot and move the cursor, in one transaction; compose anew when the track moved meanwhile."""
        for _ in range(_COMMIT_ATTEMPTS):
            track = self.stores.role.track(subject, self.settings.rules.drift_window)
            if not lesson.may_teach(track.head):
                self.stores.turns.advance_cursor(subject.user_id, head, lesson.turn)
                return
            snapshot = composer(track)
            try:
                self.stores.role.append(subject, track.head, snapshot, session=head, cursor=lesson.turn)
            except TrackMoved:
                continue
            decision = snapshot.metadata.decision
            count(f"Decision{decision.operation.title().replace('_', '')}")
            logger.info(
                "question read",
                extra={"turn": lesson.turn, "version": snapshot.version, "operation": decision.operation.value},
            )
            return
        raise TrackMoved
