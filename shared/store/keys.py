"""Where everything is. Both tables have the keys ``pk`` and ``sk`` and expire items by ``expiresAt``.

=================  ========================  ===========================  ==========================================
table              pk                        sk                           item
=================  ========================  ===========================  ==========================================
conversation       ``USER#u``                ``ERASURE``                  when the whole user was last erased
conversation       ``USER#u``                ``SESSION#s``                session head: epoch, last turn, cursor
conversation       ``SESSION#u#s``           ``epoch#turn#1``             question
conversation       ``SESSION#u#s``           ``epoch#turn#2``             answer
conversation       ``SESSION#u#s``           ``REQUEST#message_id``       the turn a request became (R9)
role memory        ``USER#u``                ``TRACK`` or ``TRACK#s``     track head: epoch, version, floor
role memory        ``TRACK#u`` or with #s    ``version``                  snapshot
=================  ========================  ===========================  ==========================================

The heads of a user share a partition, so that listing, exporting and erasing a user are strongly consistent queries.
The epoch stands in the key of a message: what belongs to an ended epoch is out of reach at once (R23).
"""

from dataclasses import dataclass
from typing import NamedTuple

from shared.settings import RoleScope

QUESTION, ANSWER = "1", "2"
BEFORE_ALL_MESSAGES, AFTER_ALL_MESSAGES = "0", ":"
"""Message keys open with the digits of an epoch; ``:`` is the character after ``9``."""
REQUESTS = "REQUEST#"
SESSIONS = "SESSION#"
TRACKS = "TRACK"


class Key(NamedTuple):
    """The place of one item."""

    table: str
    pk: str
    sk: str


@dataclass(frozen=True)
class Subject:
    """Whose role memory it is: one session's, or with ``session_id=None`` the user's over all sessions."""

    user_id: str
    session_id: str | None


def subject_of(user_id: str, session_id: str, scope: RoleScope) -> Subject:
    """Return whose role memory a session of a user teaches."""
    return Subject(user_id, session_id if scope is RoleScope.SESSION else None)


def escaped(user_id: str) -> str:
    """Return the user id so that it can't hold the separator ``#``; different ids stay different."""
    return user_id.replace("%", "%25").replace("#", "%23")


def user_partition(user_id: str) -> str:
    """Return the partition of a user's heads."""
    return f"USER#{escaped(user_id)}"


def session_partition(user_id: str, session_id: str) -> str:
    """Return the partition of a session's messages and requests."""
    return f"SESSION#{escaped(user_id)}#{session_id}"


def message_sort_key(epoch: str, turn: int, part: str) -> str:
    """Return the place of a message in its session: by epoch, then turn, question before answer."""
    return f"{epoch}#{turn:08d}#{part}"


def placed(message_position: str) -> tuple[str, int]:
    """Return the epoch and the turn of a message's sort key."""
    epoch, turn, _ = message_position.split("#")
    return epoch, int(turn)


def session_sort_key(session_id: str) -> str:
    """Return the place of a session's head in its user's partition."""
    return f"{SESSIONS}{session_id}"


def track_partition(subject: Subject) -> str:
    """Return the partition of a subject's snapshots."""
    of_session = "" if subject.session_id is None else f"#{subject.session_id}"
    return f"TRACK#{escaped(subject.user_id)}{of_session}"


def track_sort_key(subject: Subject) -> str:
    """Return the place of a track's head in its user's partition."""
    return TRACKS if subject.session_id is None else f"{TRACKS}#{subject.session_id}"


def subject_of_track(user_id: str, sort_key: str) -> Subject:
    """Return the subject whose track head stands at ``sort_key``."""
    return Subject(user_id, sort_key.removeprefix(f"{TRACKS}#") if sort_key != TRACKS else None)


def version_sort_key(version: int) -> str:
    """Return the place of a snapshot in its track."""
    return f"{version:010d}"
