"""The heads: small items on which every commit is conditional (R2).

* The **session head** holds the last turn, the role cursor and the session's epoch.
* The **track head** holds the last version, the floor below which versions are erased, and the role's epoch.
* The **erasure mark** holds the epoch of the user's last full erasure.

An epoch is a unique name that opens with the time of its making. A commit carries the epoch it started from; an
erasure gives the head a new one, so that work in flight fails instead of bringing something back (R23).

A head never expires before what it stands for, also when the time to live of a deployment gets shorter: it keeps the
later one of its times.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime

from shared.clock import Clock
from shared.errors import Conflict
from shared.records import Instant, Record
from shared.store.dynamo import Dynamo
from shared.store.keys import Subject
from shared.store.step import Item
from shared.store.tables import Tables


class SessionHead(Record):
    """Where a session stands."""

    session_id: str
    epoch: str
    last_turn: int
    cursor: int = 0
    title: str = ""
    created_at: Instant
    last_activity_at: Instant
    guided: bool = False
    tried: int = 0
    """The turn that was read on its last delivery; while it is unread, the worker did not survive that."""
    expires_at: int = 0

    @property
    def pending(self) -> bool:
        """Whether a question waits to be read by the role memory."""
        return self.cursor < self.last_turn


class TrackHead(Record):
    """Where a track stands. Versions up to ``floor`` are erased; a question is read under the epoch it was asked."""

    epoch: str = ""
    version: int = 0
    floor: int = 0
    expires_at: int = 0


class RequestMark(Record):
    """The turn that a ``message_id`` became (R9)."""

    epoch: str
    turn: int


class HeadMoved(Conflict):
    """Another writer moved the session head first; carries where it stands now."""

    def __init__(self, current: Item | None) -> None:
        super().__init__("Another request wrote to the same session at the same time. Retry the same request.")
        self.current = SessionHead.model_validate(current) if current else None


class TrackMoved(Conflict):
    """Another writer moved the track head first."""

    def __init__(self) -> None:
        super().__init__("The role was changed by another request at the same time. Read it and try again.")


@dataclass(frozen=True)
class Heads:
    """All heads that one turn depends on. ``None`` and ``""`` stand for absent or expired."""

    session: SessionHead | None
    track: TrackHead | None
    erasure: str
    request: RequestMark | None


def new_epoch(now: datetime) -> str:
    """Return an epoch that no other is equal to; later ones sort behind earlier ones."""
    return f"{int(now.timestamp() * 1000):013d}-{secrets.token_hex(4)}"


def alive(item: Item | None, now: datetime) -> Item | None:
    """Return the item unless it is absent or expired (R8)."""
    return item if item is not None and item["expiresAt"] > now.timestamp() else None


def open_session(item: Item | None, now: datetime) -> SessionHead | None:
    """Return the head of a session that is open: not expired, and not without a turn, as an erasure leaves it."""
    return SessionHead.model_validate(item) if item and alive(item, now) and item["lastTurn"] else None


class HeadStore:
    """Reads the heads."""

    def __init__(self, dynamo: Dynamo, tables: Tables, clock: Clock) -> None:
        self._dynamo = dynamo
        self._tables = tables
        self._clock = clock

    def read(self, user_id: str, session_id: str, subject: Subject, message_id: str | None = None) -> Heads:
        """Read all heads of a turn in one request, across both tables."""
        tables = self._tables
        keys = [tables.session_head(user_id, session_id), tables.track_head(subject), tables.erasure_mark(user_id)]
        if message_id is not None:
            keys.append(tables.request_mark(user_id, session_id, message_id))
        now = self._clock()
        session, *others = self._dynamo.get_many(keys)
        track, erasure, *marks = (alive(item, now) for item in others)
        head = open_session(session, now)
        request = RequestMark.model_validate(marks[0]) if marks and marks[0] else None
        return Heads(
            session=head,
            track=TrackHead.model_validate(track) if track else None,
            erasure=erasure["epoch"] if erasure else "",
            request=request if request and head and request.epoch == head.epoch else None,
        )

    def session(self, user_id: str, session_id: str) -> SessionHead | None:
        """Read where a session stands."""
        [item] = self._dynamo.get_many([self._tables.session_head(user_id, session_id)])
        return open_session(item, self._clock())

    def track(self, subject: Subject) -> TrackHead | None:
        """Read where a track stands."""
        [item] = self._dynamo.get_many([self._tables.track_head(subject)])
        return TrackHead.model_validate(item) if alive(item, self._clock()) else None
