"""The steps that move a head, each conditional on the head being where the writer read it (R1, R2)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shared.errors import Erased, MemoryFault
from shared.store.heads import HeadMoved, SessionHead, TrackHead, TrackMoved
from shared.store.keys import Subject
from shared.store.step import Item, Step
from shared.store.tables import ABSENT, PRESENT, Tables


@dataclass(frozen=True)
class Moves:
    """The steps of one writer at one moment."""

    tables: Tables
    now: datetime

    def open_session(self, user_id: str, head: SessionHead) -> Step:
        """Start a session, unless one is open."""
        return Step(
            "Put",
            self.tables.session_head(user_id, head.session_id),
            f"{ABSENT} OR #lastTurn = :zero",
            HeadMoved,
            values=self._at(zero=0),
            item=head.to_json() | {"expiresAt": self.tables.expiry(self.now)},
        )

    def unless_erased_since(self, user_id: str, erasure: str) -> Step:
        """Fail when the user was erased after ``erasure`` was read: what was read then no longer holds."""
        unchanged = "#epoch = :epoch OR #expiresAt <= :now" if erasure else ABSENT
        return Step(
            "ConditionCheck",
            self.tables.erasure_mark(user_id),
            unchanged,
            lambda _: HeadMoved(None),
            values=self._at(epoch=erasure) if erasure else self._at(),
        )

    def next_turn(self, user_id: str, head: SessionHead) -> Step:
        """Take the turn after ``head.last_turn``, unless somebody else has."""
        return Step(
            "Update",
            self.tables.session_head(user_id, head.session_id),
            f"#epoch = :epoch AND #lastTurn = :last AND {PRESENT}",
            HeadMoved,
            update="SET #lastTurn = :next, #lastActivityAt = :at, #expiresAt = :expiry",
            values=self._activity(head, last=head.last_turn, next=head.last_turn + 1),
        )

    def answered(self, user_id: str, head: SessionHead, *, guided: bool) -> Step:
        """Record an answer in a session and whether the role has guided one, unless the epoch has ended."""
        update = "SET #lastActivityAt = :at, #expiresAt = :expiry"
        return Step(
            "Update",
            self.tables.session_head(user_id, head.session_id),
            f"#epoch = :epoch AND {PRESENT}",
            lambda _: Erased("The conversation was deleted while the answer was written; nothing was stored."),
            update=f"{update}, #guided = :guided" if guided else update,
            values=self._activity(head, guided=True) if guided else self._activity(head),
        )

    def advance_cursor(self, user_id: str, head: SessionHead, cursor: int) -> Step:
        """Mark the questions up to ``cursor`` as read, unless another worker has."""
        return self._of_worker(user_id, head, "SET #cursor = :to", to=cursor)

    def mark_tried(self, user_id: str, head: SessionHead, turn: int) -> Step:
        """Note that ``turn`` is read on its last delivery, unless another worker has read it."""
        return self._of_worker(user_id, head, "SET #tried = :to", to=turn)

    def _of_worker(self, user_id: str, head: SessionHead, update: str, **values: int) -> Step:
        def meaning(current: Item | None) -> MemoryFault:
            same_epoch = current is not None and current.get("epoch") == head.epoch
            return HeadMoved(current) if same_epoch else Erased("The conversation was deleted meanwhile.")

        return Step(
            "Update",
            self.tables.session_head(user_id, head.session_id),
            f"#epoch = :epoch AND #cursor = :from AND {PRESENT}",
            meaning,
            update=update,
            values=self._at(epoch=head.epoch, **{"from": head.cursor}, **values),
        )

    def next_version(self, subject: Subject, head: TrackHead | None, version: int) -> Step:
        """Move a track on to ``version``, unless somebody else has moved or erased it."""
        if head is None:
            condition = ABSENT
            update = "SET #version = :version, #epoch = :epoch, #floor = :floor, #expiresAt = :expiry"
            values = self._at(version=version, epoch="", floor=0)
        else:
            condition = f"#epoch = :epoch AND #version = :from AND {PRESENT}"
            update = "SET #version = :version, #expiresAt = :expiry"
            values = self._at(version=version, epoch=head.epoch, **{"from": head.version})
        return Step(
            "Update",
            self.tables.track_head(subject),
            condition,
            lambda _: TrackMoved(),
            update=update,
            values=values | {"expiry": self._expiry(head)},
        )

    def _expiry(self, head: SessionHead | TrackHead | None) -> int:
        return max(self.tables.expiry(self.now), head.expires_at if head else 0)

    def _at(self, **values: Any) -> dict[str, Any]:
        return {"now": int(self.now.timestamp()), **values}

    def _activity(self, head: SessionHead, **values: Any) -> dict[str, Any]:
        moved = head.model_copy(update={"last_activity_at": self.now}).to_json()
        return self._at(epoch=head.epoch, at=moved["lastActivityAt"], expiry=self._expiry(head), **values)
