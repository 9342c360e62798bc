"""Deleting so that the delete wins (R23).

Each erasure first gives the head a new epoch in one write: from then on nothing of the old epoch can be read, and no
work in flight can commit. Only then are the items removed, and a last read verifies that they are gone. An erasure that
is cut off has already hidden everything; repeating it removes the rest.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from shared.clock import Clock
from shared.errors import Busy, NotFound
from shared.records import Record
from shared.store.dynamo import Dynamo
from shared.store.heads import HeadStore, alive, new_epoch
from shared.store.keys import (
    REQUESTS,
    SESSIONS,
    TRACKS,
    Key,
    Subject,
    session_partition,
    subject_of_track,
    track_partition,
    user_partition,
    version_sort_key,
)
from shared.store.step import Item, Step
from shared.store.tables import Tables

_FIRST, _LAST = "\x20", "\x7f"
"""All sort keys open with a printable ASCII character."""


class Receipt(Record):
    """How many live records an erasure removed; it is given only after a read that found nothing left."""

    sessions: int = 0
    messages: int = 0
    snapshots: int = 0

    def __add__(self, other: "Receipt") -> "Receipt":
        return Receipt(
            sessions=self.sessions + other.sessions,
            messages=self.messages + other.messages,
            snapshots=self.snapshots + other.snapshots,
        )


@dataclass(frozen=True)
class EraseStore:
    """Erases conversations, roles and whole users."""

    dynamo: Dynamo
    tables: Tables
    heads: HeadStore
    clock: Clock

    def conversation(self, user_id: str, session_id: str) -> Receipt:
        """Erase the messages of a session; its role memory stays.

        Raises
        ------
        Busy
            Not everything could be removed yet; it is hidden already, and repeating the call goes on.
        """
        head = self.tables.session_head(user_id, session_id)
        epoch = self._end_session(head)
        removed = [item for page in self._ended_messages(user_id, session_id) for item in self._remove(page)]
        self._drop_head(head, epoch)
        self._verify(any(self._ended_messages(user_id, session_id)))
        messages = sum(not item["sk"].startswith(REQUESTS) for item in removed)
        return Receipt(sessions=1 if messages else 0, messages=messages)

    def role(self, subject: Subject, *, epoch: str = "") -> Receipt:
        """Erase the track of a subject, and let ``epoch`` begin, or one of its own. Version numbers are not used again.

        Raises
        ------
        Busy
            Not everything could be removed yet; it is hidden already, and repeating the call goes on.
        """
        head = self.tables.track_head(subject)
        # Without a head there may still be an extraction in flight: the head made here is what stops it.
        self._write(
            head,
            "SET #epoch = :epoch, #expiresAt = :expiry, "
            "#version = if_not_exists(#version, :zero), #floor = if_not_exists(#version, :zero)",
            epoch=epoch or new_epoch(self.clock()),
            expiry=self._expiry_behind(head, subject),
            zero=0,
        )
        [item] = self.dynamo.get_many([head])
        floor = int(item["floor"]) if item else 0
        removed = [item for page in self._old_snapshots(subject, floor) for item in self._remove(page)]
        self._verify(any(self._old_snapshots(subject, floor)))
        return Receipt(snapshots=len(removed))

    def user(self, user_id: str) -> Receipt:
        """Erase everything of a user; what stays are the numbers from which versions go on.

        Raises
        ------
        Busy
            Not everything could be removed yet; repeating the call goes on.
        """
        unfinished = self._begin(user_id)
        receipt = Receipt()
        for item in self._heads(self.tables.conversation, user_id, SESSIONS):
            receipt += self.conversation(user_id, item["sk"].removeprefix(SESSIONS))
        for item in self._heads(self.tables.role_memory, user_id, TRACKS):
            if (item["epoch"], item.get("cleared")) != (unfinished, item["version"]):
                subject = subject_of_track(user_id, item["sk"])
                receipt += self.role(subject, epoch=unfinished)
                self._write(self.tables.track_head(subject), "SET #cleared = #floor")
        self._write(self.tables.erasure_mark(user_id), "REMOVE #unfinished")
        return receipt

    def _begin(self, user_id: str) -> str:
        """Mark the user as erased and return the epoch of the erasure that is not finished yet: its tracks are known.

        A session that is being opened right now is in no list yet: the mark stops it. The heads of erased tracks stay,
        so that a repeated erasure would begin with them again and again: it passes over those it has cleared already.
        """
        now = self.clock()
        mark, own = self.tables.erasure_mark(user_id), new_epoch(now)
        update = "SET #epoch = :epoch, #expiresAt = :expiry, #unfinished = if_not_exists(#unfinished, :epoch)"
        self._write(mark, update, epoch=own, expiry=self.tables.expiry(now))
        [item] = self.dynamo.get_many([mark])
        return str(item.get("unfinished", own)) if item else own  # Another erasure may have finished it just now.

    def _end_session(self, head: Key) -> str:
        """End the session's epoch and return the name of its end; a head without a turn is no session."""
        epoch = new_epoch(self.clock())
        try:
            self.dynamo.transact(
                Step(
                    "Update",
                    head,
                    "attribute_exists(pk)",
                    lambda _: NotFound("There is no such session."),
                    update="SET #epoch = :epoch, #lastTurn = :zero, #cursor = :zero, #title = :none",
                    values={"epoch": epoch, "zero": 0, "none": ""},
                )
            )
        except NotFound:
            return epoch  # Messages without a head are unreachable leftovers: remove them all the same.
        return epoch

    def _drop_head(self, head: Key, epoch: str) -> None:
        try:
            self.dynamo.transact(
                Step(
                    "Delete",
                    head,
                    "#epoch = :epoch",
                    lambda _: NotFound("The session is in use again."),
                    values={"epoch": epoch},
                )
            )
        except NotFound:
            return  # Gone already, or a new question has opened the session anew.

    def _expiry_behind(self, head: Key, subject: Subject) -> int:
        """Return when the head of an erased track may go: not before the questions that must not teach it again."""
        keys = [head]
        if subject.session_id is not None:
            keys.append(self.tables.session_head(subject.user_id, subject.session_id))
        found = self.dynamo.get_many(keys)
        return max([self.tables.expiry(self.clock()), *(int(item["expiresAt"]) for item in found if item)])

    def _write(self, key: Key, update: str, **values: object) -> None:
        self.dynamo.transact(Step("Update", key, update=update, values=values))

    def _ended_messages(self, user_id: str, session_id: str) -> Iterator[list[Item]]:
        """Yield what is of epochs that have ended, page by page.

        Only the head says which, and only when it is read after the page: what was stored under another epoch than its
        own was ended before. A question may open the session anew while this goes on, and is none of it.
        """
        pages = self.dynamo.query(
            self.tables.conversation,
            session_partition(user_id, session_id),
            low=_FIRST,
            high=_LAST,
            only=("pk", "sk", "epoch", "expiresAt"),
        )
        for page in pages:
            head = self.heads.session(user_id, session_id) if page.items else None
            ended = [item for item in page.items if head is None or not _is_of(item, head.epoch)]
            if ended:
                yield [item | {"table": self.tables.conversation} for item in ended]

    def _old_snapshots(self, subject: Subject, floor: int) -> Iterator[list[Item]]:
        pages = self.dynamo.query(
            self.tables.role_memory,
            track_partition(subject),
            low=_FIRST,
            high=version_sort_key(floor),
            only=("pk", "sk", "expiresAt"),
        )
        for page in pages:
            if page.items:
                yield [item | {"table": self.tables.role_memory} for item in page.items]

    def _remove(self, items: list[Item]) -> list[Item]:
        self.dynamo.delete_many([Key(item["table"], item["pk"], item["sk"]) for item in items])
        now = self.clock()
        return [item for item in items if alive(item, now)]

    def _heads(self, table: str, user_id: str, prefix: str) -> list[Item]:
        pages = self.dynamo.query(
            table,
            user_partition(user_id),
            low=prefix,
            high=f"{prefix}{_LAST}",
            only=("sk", "epoch", "version", "cleared"),
        )
        return [item for page in pages for item in page.items]

    @staticmethod
    def _verify(anything_left: bool) -> None:
        if anything_left:
            raise Busy("Everything is hidden already, but not all of it is removed yet. Repeat the delete.")


def _is_of(item: Item, epoch: str) -> bool:
    return bool(item.get("epoch") == epoch or item["sk"].startswith(f"{epoch}#"))
