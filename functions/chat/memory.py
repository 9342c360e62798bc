"""What the chat remembers before it answers: heads, window and newest snapshot, read at once."""

from concurrent.futures import Executor
from dataclasses import dataclass, replace

from shared.domain.window import Bounds, window
from shared.records import Message, Snapshot
from shared.store.conversation import Entry
from shared.store.heads import Heads, SessionHead
from shared.store.keys import QUESTION, Subject, message_sort_key
from shared.store.role import Track, visible
from shared.store.stores import Stores


@dataclass(frozen=True)
class Memory:
    """The memory of one session at one moment."""

    heads: Heads
    entries: tuple[Entry, ...]
    track: Track

    @property
    def snapshot(self) -> Snapshot | None:
        """The latest snapshot."""
        return self.track.latest

    @property
    def role_epoch(self) -> str:
        """The epoch under which a question asked now may teach."""
        return self.track.head.epoch if self.track.head else ""

    def window(self, bounds: Bounds, *, before_turn: int) -> list[Message]:
        """Return the window of the turns before ``before_turn`` (R7)."""
        return window([entry.message for entry in self.entries if entry.turn < before_turn], bounds)

    def moved_to(self, session: SessionHead) -> "Memory":
        """Return the same memory after another request took a turn."""
        return replace(self, heads=replace(self.heads, session=session))


@dataclass(frozen=True)
class MemoryReader:
    """Reads the memory of a session in one round trip."""

    stores: Stores
    executor: Executor
    bounds: Bounds

    def read(self, user_id: str, session_id: str, subject: Subject, message_id: str | None) -> Memory:
        """Read heads, newest messages and newest snapshot at the same time."""
        newest = self.executor.submit(self.stores.conversation.newest, user_id, session_id, self.bounds.messages)
        snapshots = self.executor.submit(self.stores.role.newest, subject)
        heads = self.stores.heads.read(user_id, session_id, subject, message_id)
        entries = _of_session(newest.result(), heads.session)
        if heads.session is not None and (not entries or entries[-1].turn < heads.session.last_turn):
            # The head was read after a turn that the messages were read before: read these once more.
            again = self.stores.conversation.newest(user_id, session_id, self.bounds.messages)
            entries = _of_session(again, heads.session)
        return Memory(heads, entries, visible(heads.track, snapshots.result()))

    def before(self, user_id: str, memory: Memory, head: SessionHead, turn: int) -> Memory:
        """Return the memory with the window before a stored question, which the newest messages may not reach."""
        question = message_sort_key(head.epoch, turn, QUESTION)
        entries = self.stores.conversation.newest(user_id, head.session_id, self.bounds.messages + 1, up_to=question)
        return replace(memory, entries=_of_session(entries, head))


def _of_session(entries: list[Entry], head: SessionHead | None) -> tuple[Entry, ...]:
    if head is None:
        return ()
    return tuple(entry for entry in entries if entry.epoch == head.epoch and entry.turn <= head.last_turn)
