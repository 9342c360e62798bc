"""Writing a turn: the question, its answer, its failure, and the lease by which one request at a time answers it."""

from collections.abc import Callable
from datetime import datetime, timedelta

from shared.clock import Clock
from shared.errors import Conflict, Erased, InProgress, MemoryFault
from shared.records import AssistantMessage, GuidanceUse, Record, UserMessage
from shared.store.dynamo import Dynamo
from shared.store.heads import Heads, SessionHead, alive, new_epoch
from shared.store.keys import ANSWER, QUESTION
from shared.store.moves import Moves
from shared.store.step import Item, Step
from shared.store.tables import ABSENT, PRESENT, Tables

_TITLE_CHARACTERS = 80


class AlreadyAsked(Conflict):
    """The ``message_id`` became a turn meanwhile."""

    def __init__(self) -> None:
        super().__init__("This message was stored by another request. Retry with the same message_id.")


class AlreadyAnswered(Conflict):
    """The turn was answered by another request meanwhile."""

    def __init__(self) -> None:
        super().__init__("This message was answered by another request. Retry with the same message_id.")


class Question(Record):
    """A stored question with what only the functions need to know of it."""

    message: UserMessage
    role_epoch: str = ""
    message_id: str | None = None


class Answer(Record):
    """A stored answer with what guided it."""

    message: AssistantMessage
    guidance: GuidanceUse


class TurnStore:
    """Appends turns to sessions, each commit conditional on the session head (R1, R2, R9, R10)."""

    def __init__(self, dynamo: Dynamo, tables: Tables, clock: Clock) -> None:
        self._dynamo = dynamo
        self._tables = tables
        self._clock = clock

    def append_question(
        self, user_id: str, session_id: str, heads: Heads, question: Question, *, lease: timedelta
    ) -> SessionHead:
        """Append a question as the next turn of its session, in one transaction; ``question`` holds that turn.

        ``lease`` is how long the caller has for the answer before a retry may take the turn over.

        Raises
        ------
        HeadMoved
            Another question took the turn; carries the head to go on from.
        AlreadyAsked
            The ``message_id`` is a turn already.
        """
        now = question.message.metadata.created_at
        moves = Moves(self._tables, now)
        if heads.session is None:
            head = SessionHead(
                session_id=session_id,
                epoch=new_epoch(now),
                last_turn=1,
                title=" ".join(question.message.text.split())[:_TITLE_CHARACTERS],
                created_at=now,
                last_activity_at=now,
            )
            steps = [moves.open_session(user_id, head), moves.unless_erased_since(user_id, heads.erasure)]
        else:
            moved = {"last_turn": heads.session.last_turn + 1, "last_activity_at": now}
            head = heads.session.model_copy(update=moved)
            steps = [moves.next_turn(user_id, heads.session)]
        steps.append(self._put_question(user_id, head, question, now + lease))
        if question.message_id is not None:
            steps.append(self._put_request_mark(user_id, head, question.message_id, now))
        self._dynamo.transact(*steps)
        return head

    def append_answer(self, user_id: str, head: SessionHead, question: Question, answer: Answer) -> None:
        """Append the answer to its question.

        Raises
        ------
        Erased
            The conversation was deleted meanwhile; nothing is stored.
        AlreadyAnswered
            Another request answered the turn first.
        """
        now = answer.message.metadata.created_at
        turn = question.message.metadata.turn
        steps = [
            Moves(self._tables, now).answered(user_id, head, guided=answer.guidance.applied),
            Step(
                "Put",
                self._tables.message(user_id, head.session_id, head.epoch, turn, ANSWER),
                ABSENT,
                lambda _: AlreadyAnswered(),
                values={"now": int(now.timestamp())},
                item=answer.to_json() | {"expiresAt": self._tables.expiry(now)},
            ),
        ]
        if question.message.metadata.failure:
            steps.append(self._update_question(user_id, head, turn, "REMOVE #message.#metadata.#failure"))
        self._dynamo.transact(*steps)

    def mark_failed(self, user_id: str, head: SessionHead, turn: int, failure: str) -> None:
        """Mark a question whose model call failed and free the turn for a retry (R9).

        Raises
        ------
        Erased
            The conversation was deleted meanwhile.
        AlreadyAnswered
            A retry has answered the turn.
        """
        update = "SET #message.#metadata.#failure = :failure REMOVE #leasedUntil"
        unanswered = Step(
            "ConditionCheck",
            self._tables.message(user_id, head.session_id, head.epoch, turn, ANSWER),
            ABSENT,
            lambda _: AlreadyAnswered(),
            values={"now": int(self._clock().timestamp())},
        )
        self._dynamo.transact(self._update_question(user_id, head, turn, update, failure=failure), unanswered)

    def take_over(self, user_id: str, head: SessionHead, turn: int, *, lease: timedelta) -> None:
        """Lease a turn that was cut off, to answer it.

        Raises
        ------
        InProgress
            Another request is answering it; carries when its lease ends, in seconds.
        Erased
            The conversation was deleted meanwhile.
        """
        now = self._clock()

        def meaning(current: Item | None) -> MemoryFault:
            held = alive(current, now)
            if held is None:
                return _erased(held)
            return InProgress(max(1, -(-(int(held["leasedUntil"]) - _milliseconds(now)) // 1000)))

        step = self._update_question(
            user_id,
            head,
            turn,
            "SET #leasedUntil = :until",
            condition=f"{PRESENT} AND (attribute_not_exists(#leasedUntil) OR #leasedUntil <= :at)",
            meaning=meaning,
            at=_milliseconds(now),
            until=_milliseconds(now + lease),
        )
        self._dynamo.transact(step)

    def advance_cursor(self, user_id: str, head: SessionHead, turn: int) -> None:
        """Mark the questions up to ``turn`` as read without a snapshot.

        Raises
        ------
        HeadMoved
            Another worker has read them.
        Erased
            The conversation was deleted meanwhile.
        """
        self._dynamo.transact(Moves(self._tables, self._clock()).advance_cursor(user_id, head, turn))

    def mark_tried(self, user_id: str, head: SessionHead, turn: int) -> None:
        """Note that the unread question ``turn`` is read on its last delivery: a worker may not live to tell (R5).

        Raises
        ------
        HeadMoved, Erased
            As `advance_cursor`.
        """
        self._dynamo.transact(Moves(self._tables, self._clock()).mark_tried(user_id, head, turn))

    def _put_question(self, user_id: str, head: SessionHead, question: Question, leased_until: datetime) -> Step:
        now = question.message.metadata.created_at
        own = {"leasedUntil": _milliseconds(leased_until), "expiresAt": self._tables.expiry(now)}
        return Step(
            "Put",
            self._tables.message(user_id, head.session_id, head.epoch, head.last_turn, QUESTION),
            ABSENT,
            lambda _: AlreadyAsked(),
            values={"now": int(now.timestamp())},
            item=question.to_json() | own,
        )

    def _put_request_mark(self, user_id: str, head: SessionHead, message_id: str, now: datetime) -> Step:
        return Step(
            "Put",
            self._tables.request_mark(user_id, head.session_id, message_id),
            f"{ABSENT} OR #epoch <> :epoch",
            lambda _: AlreadyAsked(),
            values={"now": int(now.timestamp()), "epoch": head.epoch},
            item={"epoch": head.epoch, "turn": head.last_turn, "expiresAt": self._tables.expiry(now)},
        )

    def _update_question(
        self,
        user_id: str,
        head: SessionHead,
        turn: int,
        update: str,
        *,
        condition: str = PRESENT,
        meaning: Callable[[Item | None], MemoryFault] | None = None,
        **values: int | str,
    ) -> Step:
        return Step(
            "Update",
            self._tables.message(user_id, head.session_id, head.epoch, turn, QUESTION),
            condition,
            meaning or _erased,
            update=update,
            values=values | {"now": int(self._clock().timestamp())},
        )


def _erased(_: Item | None) -> Erased:
    return Erased("The conversation was deleted meanwhile.")


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
