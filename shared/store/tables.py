"""The two tables: their names, how long their items live, and the keys of everything in them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.store.keys import (
    REQUESTS,
    Key,
    Subject,
    message_sort_key,
    session_partition,
    session_sort_key,
    track_partition,
    track_sort_key,
    user_partition,
    version_sort_key,
)

ABSENT = "(attribute_not_exists(pk) OR #expiresAt <= :now)"
PRESENT = "#expiresAt > :now"
"""An expired item counts as absent in every condition, whether or not the table has deleted it (R8)."""


@dataclass(frozen=True)
class Tables:
    """The names of the two tables and the time to live of an item."""

    conversation: str
    role_memory: str
    ttl: timedelta

    def expiry(self, written: datetime) -> int:
        """Return the Unix second at which an item written then expires."""
        return int((written + self.ttl).timestamp())

    def session_head(self, user_id: str, session_id: str) -> Key:
        """Return where a session's head is."""
        return Key(self.conversation, user_partition(user_id), session_sort_key(session_id))

    def erasure_mark(self, user_id: str) -> Key:
        """Return where the mark of a user's last full erasure is."""
        return Key(self.conversation, user_partition(user_id), "ERASURE")

    def message(self, user_id: str, session_id: str, epoch: str, turn: int, part: str) -> Key:
        """Return where a question or an answer is."""
        return Key(self.conversation, session_partition(user_id, session_id), message_sort_key(epoch, turn, part))

    def request_mark(self, user_id: str, session_id: str, message_id: str) -> Key:
        """Return where the mark of a request is."""
        return Key(self.conversation, session_partition(user_id, session_id), f"{REQUESTS}{message_id}")

    def track_head(self, subject: Subject) -> Key:
        """Return where a track's head is."""
        return Key(self.role_memory, user_partition(subject.user_id), track_sort_key(subject))

    def snapshot(self, subject: Subject, version: int) -> Key:
        """Return where a snapshot is."""
        return Key(self.role_memory, track_partition(subject), version_sort_key(version))
