"""Reading the conversation log: turns, the newest messages, pages, sessions. Expired items are never seen (R8)."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from shared.clock import Clock
from shared.records import Message
from shared.store import paging
from shared.store.dynamo import Dynamo
from shared.store.heads import SessionHead, alive, open_session
from shared.store.keys import (
    AFTER_ALL_MESSAGES,
    ANSWER,
    BEFORE_ALL_MESSAGES,
    QUESTION,
    SESSIONS,
    placed,
    session_partition,
    user_partition,
)
from shared.store.step import Item
from shared.store.tables import Tables
from shared.store.turns import Answer, Question

_message = TypeAdapter[Message](Message)


@dataclass(frozen=True)
class Turn:
    """One stored turn."""

    question: Question
    answer: Answer | None


@dataclass(frozen=True)
class Entry:
    """A message with the epoch and the turn it belongs to, and its position in the session."""

    epoch: str
    turn: int
    position: str
    message: Message


@dataclass(frozen=True)
class EntryPage:
    """One page of messages; ``after`` is the position to go on behind, ``None`` at the end."""

    entries: list[Entry]
    after: str | None


class ConversationStore:
    """The sessions of all users in the conversation table."""

    def __init__(self, dynamo: Dynamo, tables: Tables, clock: Clock) -> None:
        self._dynamo = dynamo
        self._tables = tables
        self._clock = clock

    def turn(self, user_id: str, head: SessionHead, turn: int) -> Turn | None:
        """Read one turn."""
        now = self._clock()
        keys = [self._tables.message(user_id, head.session_id, head.epoch, turn, part) for part in (QUESTION, ANSWER)]
        question, answer = (alive(item, now) for item in self._dynamo.get_many(keys))
        if question is None:
            return None
        return Turn(
            question=Question.model_validate(question),
            answer=Answer.model_validate(answer) if answer else None,
        )

    def questions(self, user_id: str, head: SessionHead, turns: Sequence[int]) -> list[Question]:
        """Read the questions of ``turns`` in order; no answer is read (R11)."""
        now = self._clock()
        keys = [self._tables.message(user_id, head.session_id, head.epoch, turn, QUESTION) for turn in turns]
        return [Question.model_validate(item) for item in self._dynamo.get_many(keys) if alive(item, now)]

    def newest(self, user_id: str, session_id: str, count: int, *, up_to: str = AFTER_ALL_MESSAGES) -> list[Entry]:
        """Read the newest ``count`` messages up to the position ``up_to``, oldest first, whatever epoch they are of.

        The caller keeps those of the epoch it knows from the head, which is read at the same time.
        """
        pages = self._dynamo.query(
            self._tables.conversation,
            session_partition(user_id, session_id),
            low=BEFORE_ALL_MESSAGES,
            high=up_to,
            newest_first=True,
            page_size=count,
        )
        return paging.newest(pages, self._entries, count)

    def page(self, user_id: str, head: SessionHead, *, after: str | None, limit: int) -> EntryPage:
        """Read up to ``limit`` messages behind the position ``after``, oldest first.

        One request to the table where it holds a live message: a page is shorter where messages are long.
        """
        pages = self._dynamo.query(
            self._tables.conversation,
            session_partition(user_id, head.session_id),
            low=f"{head.epoch}#",
            high=f"{head.epoch}#{AFTER_ALL_MESSAGES}",
            after=after,
            page_size=limit + 1,
        )
        entries, more = paging.first_page(pages, self._entries, limit)
        return EntryPage(entries, entries[-1].position if more else None)

    def sessions(self, user_id: str) -> list[SessionHead]:
        """Return the heads of the user's sessions, newest activity first."""
        now = self._clock()
        pages = self._dynamo.query(
            self._tables.conversation, user_partition(user_id), low=SESSIONS, high=f"{SESSIONS}\x7f"
        )
        heads = (open_session(item, now) for page in pages for item in page.items)
        return sorted(
            (head for head in heads if head), key=lambda head: (head.last_activity_at, head.session_id), reverse=True
        )

    def _entries(self, items: Sequence[Item]) -> list[Entry]:
        now = self._clock()
        return [
            Entry(*placed(item["sk"]), item["sk"], _message.validate_python(item["message"]))
            for item in items
            if alive(item, now)
        ]
