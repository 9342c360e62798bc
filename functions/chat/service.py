"""One question in, one answer out.

Requests on the answer's path, each justified: three reads at once (heads, messages, snapshot), one transaction for the
question, the model, one transaction for the answer. The doorbell rings while the model is asked.
"""

import random
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from datetime import timedelta

from functions.chat.answering import Answerer
from functions.chat.contract import ChatData, ChatRequest
from functions.chat.memory import Memory, MemoryReader
from shared.aws import REQUEST_SECONDS
from shared.clock import Clock
from shared.errors import Busy, Conflict, MemoryFault, ModelUnavailable
from shared.observability import count, logger
from shared.queue import Doorbell, DoorbellQueue
from shared.records import GuidanceUse, QuestionMetadata, UserMessage
from shared.store.heads import HeadMoved, SessionHead
from shared.store.keys import Subject, subject_of
from shared.store.stores import Stores
from shared.store.turns import AlreadyAnswered, AlreadyAsked, Answer, Question

_RESERVE_SECONDS = REQUEST_SECONDS + 0.5
"""What is kept of the time left to store the answer or to mark the question."""
_LEASE_SECONDS = REQUEST_SECONDS + 1.0
"""How much longer than its model a request may take to answer."""
_APPEND_ATTEMPTS = 40
_LONGEST_PAUSE_SECONDS = 0.3


@dataclass(frozen=True)
class ChatService:
    """Answers questions and remembers both."""

    reader: MemoryReader
    stores: Stores
    doorbell: DoorbellQueue
    answerer: Answerer
    clock: Clock
    executor: Executor
    sleep: Callable[[float], None] = field(default=time.sleep)

    def ask(self, user_id: str, request: ChatRequest, *, seconds_left: float) -> ChatData:
        """Answer one question within ``seconds_left``.

        Raises
        ------
        ModelUnavailable
            The model failed; the question is kept and marked, and a retry finishes the turn (R9).
        InProgress
            Another request is answering the same ``message_id``.
        Erased
            The conversation was deleted meanwhile; nothing is stored (R23).
        Busy
            The store is throttled, or too many requests write to the session.
        """
        call = self._call(user_id, request, time.monotonic() + seconds_left)
        if not self.answerer.settings.short_term_memory_enabled:
            return call.answer_unstored(None)
        memory = call.read()
        if request.temporary:
            return call.answer_unstored(memory)
        for attempt in range(_APPEND_ATTEMPTS):
            if memory.heads.request is not None:
                return call.resume(memory, memory.heads.request.turn)
            try:
                head, question = call.append(memory)
            except (HeadMoved, AlreadyAsked) as conflict:
                self.sleep(random.uniform(0, min(_LONGEST_PAUSE_SECONDS, 0.01 * 2**attempt)))  # noqa: S311 no secret
                memory = call.after(conflict, memory)
            else:
                return call.answer(memory, head, question)
        raise Busy("Too many requests write to this session at once. Nothing was stored; retry the same request.")

    def _call(self, user_id: str, request: ChatRequest, deadline: float) -> "_Call":
        stores = self.stores.until(deadline)
        in_time = replace(self, stores=stores, reader=replace(self.reader, stores=stores))
        return _Call(in_time, user_id, request, deadline)


@dataclass(frozen=True)
class _Call:
    """One request on its way through the service; ``deadline`` is when the last of it is stored."""

    service: ChatService
    user_id: str
    request: ChatRequest
    deadline: float

    @property
    def _model_seconds(self) -> float:
        return self.deadline - _RESERVE_SECONDS - time.monotonic()

    @property
    def subject(self) -> Subject:
        return subject_of(self.user_id, self.request.session_id, self.service.answerer.settings.role_scope)

    def read(self) -> Memory:
        return self.service.reader.read(self.user_id, self.request.session_id, self.subject, self.request.message_id)

    def after(self, conflict: Conflict, memory: Memory) -> Memory:
        """Return the memory to go on with: what the conflict carries where that is enough, else a fresh read."""
        moved = conflict.current if isinstance(conflict, HeadMoved) else None
        session = memory.heads.session
        if moved and session and moved.epoch == session.epoch and self.request.message_id is None:
            return memory.moved_to(moved)
        return self.read()

    def append(self, memory: Memory) -> tuple[SessionHead, Question]:
        """Append the question as the next turn (R1)."""
        session = memory.heads.session
        now = self.service.clock()
        metadata = QuestionMetadata(turn=session.last_turn + 1 if session else 1, created_at=now)
        question = Question(
            message=UserMessage(metadata=metadata, text=self.request.message),
            role_epoch=memory.role_epoch,
            message_id=self.request.message_id,
        )
        head = self.service.stores.turns.append_question(
            self.user_id, self.request.session_id, memory.heads, question, lease=self._lease
        )
        return head, question

    def answer(self, memory: Memory, head: SessionHead, question: Question) -> ChatData:
        """Ring the doorbell, ask the model, append the answer."""
        turn = question.message.metadata.turn
        rung = self.service.executor.submit(self._ring, head, turn)
        guidance = self._guidance(memory, already_guided=head.guided)
        try:
            message = self.service.answerer.write(
                question.message.text,
                turn=turn,
                window=memory.window(self.service.reader.bounds, before_turn=turn),
                guidance=guidance,
                snapshot=memory.snapshot,
                seconds=self._model_seconds,
            )
        except ModelUnavailable as failure:
            self._mark_failed(head, turn, failure)
            raise
        finally:
            self._see_rung(rung, turn)
        answer = Answer(message=message, guidance=guidance)
        try:
            self.service.stores.turns.append_answer(self.user_id, head, question, answer)
        except AlreadyAnswered:
            stored = self.service.stores.conversation.turn(self.user_id, head, turn)
            if stored is None or stored.answer is None:
                raise
            answer = stored.answer
        return self._data(memory, head, turn, answer)

    def resume(self, memory: Memory, turn: int) -> ChatData:
        """Return the stored answer of a turn, or finish the turn that was cut off (R9)."""
        head = memory.heads.session
        stored = self.service.stores.conversation.turn(self.user_id, head, turn) if head else None
        if head is None or stored is None:
            raise Busy
        if stored.question.message.text != self.request.message:
            raise Conflict("This message_id belongs to another message of the session. Give each message its own.")
        if stored.answer is not None:
            return self._data(memory, head, turn, stored.answer)
        self.service.stores.turns.take_over(self.user_id, head, turn, lease=self._lease)
        return self.answer(self.service.reader.before(self.user_id, memory, head, turn), head, stored.question)

    def answer_unstored(self, memory: Memory | None) -> ChatData:
        """Answer with memory read-only, or with none at all; nothing is stored and nothing learned."""
        session = memory.heads.session if memory else None
        guidance = self._guidance(memory, already_guided=bool(session and session.guided))
        window = (
            memory.window(self.service.reader.bounds, before_turn=session.last_turn + 1) if (memory and session) else []
        )
        message = self.service.answerer.write(
            self.request.message,
            turn=None,
            window=window,
            guidance=guidance,
            snapshot=memory.snapshot if memory else None,
            seconds=self._model_seconds,
        )
        return ChatData(
            session_id=self.request.session_id,
            turn=None,
            message=message,
            guidance=guidance,
            role_memory=memory.track.state(session) if memory and session else None,
        )

    @property
    def _lease(self) -> timedelta:
        return timedelta(seconds=self.service.answerer.settings.chat_timeout_seconds + _LEASE_SECONDS)

    def _guidance(self, memory: Memory | None, *, already_guided: bool) -> GuidanceUse:
        snapshot = memory.snapshot if memory else None
        return self.service.answerer.guidance(self.request.guide, already_guided=already_guided, snapshot=snapshot)

    def _ring(self, head: SessionHead, turn: int) -> None:
        doorbell = Doorbell(user_id=self.user_id, session_id=self.request.session_id)
        self.service.doorbell.ring(doorbell, self.subject, epoch=head.epoch, turn=turn)

    def _see_rung(self, rung: Future[None], turn: int) -> None:
        try:
            rung.result(timeout=max(0.0, self.deadline - time.monotonic()))
        except (MemoryFault, TimeoutError) as fault:
            # The answer does not depend on it, and the next doorbell of the session heals it (R3).
            count("DoorbellLost")
            logger.warning("doorbell lost", extra={"turn": turn, "fault": type(fault).__name__})

    def _mark_failed(self, head: SessionHead, turn: int, failure: ModelUnavailable) -> None:
        count("AnswerFailed")
        try:
            self.service.stores.turns.mark_failed(self.user_id, head, turn, type(failure).__name__)
        except (Busy, AlreadyAnswered) as fault:
            # The turn's lease ends by itself, or it is answered; the question is stored either way.
            logger.warning("failure not marked", extra={"turn": turn, "fault": type(fault).__name__})

    def _data(self, memory: Memory, head: SessionHead, turn: int, answer: Answer) -> ChatData:
        return ChatData(
            session_id=self.request.session_id,
            turn=turn,
            message=answer.message,
            guidance=answer.guidance,
            role_memory=memory.track.state(head),
        )
