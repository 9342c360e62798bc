"""Reading both memories: messages, sessions, snapshots, and what follows from a snapshot."""

from dataclasses import dataclass
from datetime import datetime

from functions.memory_api.contract import ConversationReply, DiffData, GuidanceData, LatestReply, SessionData
from functions.memory_api.cursors import from_cursor, to_cursor
from functions.memory_api.settings import MemoryApiSettings
from shared.domain.diff import diff
from shared.domain.guidance import guidance_block, guidance_use
from shared.errors import NotFound
from shared.http.envelope import PagedReply
from shared.records import Snapshot
from shared.store.heads import SessionHead
from shared.store.keys import Subject, subject_of
from shared.store.role import Track, VersionErased, visible
from shared.store.stores import Stores


@dataclass(frozen=True)
class MemoryReading:
    """Serves what is stored of a user."""

    stores: Stores
    settings: MemoryApiSettings

    def conversation(self, user_id: str, session_id: str, limit: int, cursor: str | None) -> ConversationReply:
        """Return one page of a session's messages, oldest first."""
        head = self.stores.heads.session(user_id, session_id)
        epoch = head.epoch if head else ""
        query = (user_id, "conversation", session_id, epoch)
        after = str(from_cursor(cursor, query, str)[0]) if cursor else None
        if head is None:
            return ConversationReply(data=[])
        page = self.stores.conversation.page(user_id, head, after=after, limit=limit)
        following = to_cursor(query, page.after) if page.after is not None else None
        return ConversationReply(data=[entry.message for entry in page.entries], next_cursor=following)

    def sessions(self, user_id: str, limit: int, cursor: str | None) -> PagedReply[SessionData]:
        """Return one page of the user's sessions, newest activity first."""
        query = (user_id, "sessions")
        sessions = [session_data(head) for head in self.stores.conversation.sessions(user_id)]
        if cursor:
            behind = from_cursor(cursor, query, str, str)
            sessions = [session for session in sessions if _order(session) < behind]
        page = sessions[:limit]
        following = to_cursor(query, *_order(page[-1])) if len(sessions) > limit else None
        return PagedReply(data=page, next_cursor=following)

    def latest(self, user_id: str, session_id: str, version: int | None, as_of: datetime | None) -> LatestReply:
        """Return the latest snapshot, the one of ``version``, or the one that was the latest at ``as_of``.

        Raises
        ------
        NotFound
            There is no such version.
        """
        subject = self._subject(user_id, session_id)
        session, track = self._state(user_id, session_id, subject)
        snapshot = track.latest
        if version is not None:
            snapshot = self._version(subject, version)
        elif as_of is not None:
            snapshot = self._as_of(subject, track, as_of)
        return LatestReply(data=snapshot, role_memory=track.state(session) if session else None)

    def track(self, user_id: str, session_id: str, limit: int, cursor: str | None) -> PagedReply[Snapshot]:
        """Return one page of the snapshots, oldest first."""
        query = (user_id, "track", session_id)
        after = int(from_cursor(cursor, query, int)[0]) if cursor else 0
        page = self.stores.role.page(self._subject(user_id, session_id), after=after, limit=limit)
        following = to_cursor(query, page.after) if page.after is not None else None
        return PagedReply(data=page.snapshots, next_cursor=following)

    def diff(self, user_id: str, session_id: str, before: int, after: int) -> DiffData:
        """Return what changed between two versions.

        Raises
        ------
        NotFound
            There is no such version.
        """
        subject = self._subject(user_id, session_id)
        changes = diff(self._version(subject, before), self._version(subject, after))
        return DiffData(from_version=before, to_version=after, changes=list(changes))

    def guidance(self, user_id: str, session_id: str) -> GuidanceData:
        """Return the block the next answer will get."""
        session, track = self._state(user_id, session_id, self._subject(user_id, session_id))
        already_guided = bool(session and session.guided)
        use = guidance_use(self.settings.role_guide_scope, already_guided=already_guided, snapshot=track.latest)
        text = guidance_block(track.latest) if use.applied and track.latest else ""
        return GuidanceData(**use.model_dump(by_alias=False), text=text)

    def _subject(self, user_id: str, session_id: str) -> Subject:
        return subject_of(user_id, session_id, self.settings.role_scope)

    def _state(self, user_id: str, session_id: str, subject: Subject) -> tuple[SessionHead | None, Track]:
        heads = self.stores.heads.read(user_id, session_id, subject)
        return heads.session, visible(heads.track, self.stores.role.newest(subject))

    def _version(self, subject: Subject, version: int) -> Snapshot:
        try:
            return self.stores.role.version(subject, version)
        except VersionErased:
            raise NotFound(f"There is no version {version} of this role memory.") from None

    def _as_of(self, subject: Subject, track: Track, moment: datetime) -> Snapshot | None:
        """Find the newest snapshot not made after ``moment``: versions grow with time, so halve the interval."""
        found: Snapshot | None = None
        low, high = (track.head.floor + 1, track.head.version) if track.head else (1, 0)
        while low <= high:
            middle = (low + high) // 2
            try:
                snapshot = self._version(subject, middle)
            except NotFound:  # Expired, so older than any that is left.
                low = middle + 1
                continue
            if snapshot.metadata.created_at <= moment:
                found, low = snapshot, middle + 1
            else:
                high = middle - 1
        return found


def session_data(head: SessionHead) -> SessionData:
    """Return what is told of a session."""
    return SessionData(
        session_id=head.session_id,
        title=head.title,
        turns=head.last_turn,
        created_at=head.created_at,
        last_activity_at=head.last_activity_at,
        pending=head.pending,
    )


def _order(session: SessionData) -> tuple[str, str]:
    return str(session.to_json()["lastActivityAt"]), session.session_id
