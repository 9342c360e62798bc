"""The role memory log: a track of numbered snapshots a subject, each appended under a condition (R1, R2)."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.clock import Clock
from shared.errors import Conflict, NotFound
from shared.records import RoleMemoryState, Snapshot
from shared.store import paging
from shared.store.dynamo import Dynamo
from shared.store.heads import HeadStore, SessionHead, TrackHead, TrackMoved, alive
from shared.store.keys import TRACKS, Subject, subject_of_track, track_partition, user_partition, version_sort_key
from shared.store.moves import Moves
from shared.store.step import Item, Step
from shared.store.tables import ABSENT, Tables

_OLDEST, _NEWEST = version_sort_key(0), version_sort_key(10**10 - 1)


class VersionErased(Conflict):
    """The version named was deleted; its number is never used again (R23)."""

    def __init__(self, version: int) -> None:
        super().__init__(f"Version {version} was deleted.")


@dataclass(frozen=True)
class Track:
    """Where a track stands and its newest snapshots, oldest first."""

    head: TrackHead | None
    snapshots: tuple[Snapshot, ...]

    @property
    def latest(self) -> Snapshot | None:
        """The newest snapshot."""
        return self.snapshots[-1] if self.snapshots else None

    def state(self, session: SessionHead) -> RoleMemoryState:
        """Return how far the role memory has read ``session``."""
        return RoleMemoryState(
            version=self.latest.version if self.latest else None,
            cursor=session.cursor,
            last_turn=session.last_turn,
            pending=session.pending,
        )

    @property
    def next_version(self) -> int:
        """The number of the next snapshot: dense, and never one that was erased."""
        return self.head.version + 1 if self.head else 1


@dataclass(frozen=True)
class SnapshotPage:
    """One page of snapshots; ``after`` is the version to go on behind, ``None`` at the end."""

    snapshots: list[Snapshot]
    after: int | None


class RoleStore:
    """The tracks of all subjects in the role memory table."""

    def __init__(self, dynamo: Dynamo, tables: Tables, clock: Clock) -> None:
        self._dynamo = dynamo
        self._tables = tables
        self._clock = clock
        self._heads = HeadStore(dynamo, tables, clock)

    def newest(self, subject: Subject, count: int = 1) -> list[Snapshot]:
        """Read the newest ``count`` snapshots, oldest first, erased ones included: the caller knows the floor."""
        pages = self._dynamo.query(
            self._tables.role_memory,
            track_partition(subject),
            low=_OLDEST,
            high=_NEWEST,
            newest_first=True,
            page_size=count,
        )
        return paging.newest(pages, self._snapshots, count)

    def track(self, subject: Subject, count: int = 1) -> Track:
        """Read where a track stands with its newest ``count`` snapshots."""
        return visible(self._heads.track(subject), self.newest(subject, count))

    def version(self, subject: Subject, version: int) -> Snapshot:
        """Read one snapshot.

        Raises
        ------
        VersionErased
            The version was deleted.
        NotFound
            There is no such version.
        """
        head = self._heads.track(subject)
        if head is not None and version <= head.floor:
            raise VersionErased(version)
        [item] = self._dynamo.get_many([self._tables.snapshot(subject, version)])
        found = self._snapshots([item] if item else [])
        if not found or head is None:
            raise NotFound(f"There is no version {version} of this role memory.")
        return found[0]

    def page(self, subject: Subject, *, after: int, limit: int) -> SnapshotPage:
        """Read up to ``limit`` snapshots above the version ``after``, oldest first."""
        head = self._heads.track(subject)
        if head is None:
            return SnapshotPage([], None)
        pages = self._dynamo.query(
            self._tables.role_memory,
            track_partition(subject),
            low=version_sort_key(max(after, head.floor) + 1),
            high=version_sort_key(head.version),
            page_size=limit + 1,
        )
        snapshots, more = paging.first_page(pages, self._snapshots, limit)
        return SnapshotPage(snapshots, snapshots[-1].version if more else None)

    def append(
        self,
        subject: Subject,
        head: TrackHead | None,
        snapshot: Snapshot,
        *,
        session: SessionHead | None = None,
        cursor: int = 0,
    ) -> None:
        """Append the snapshot that follows ``head``; for one that was learned, move the session's cursor with it.

        Raises
        ------
        TrackMoved
            Another writer appended first, or the role was erased.
        HeadMoved
            Another worker has read the question.
        Erased
            The session was deleted.
        """
        now = self._clock()
        moves = Moves(self._tables, now)
        steps = [moves.advance_cursor(subject.user_id, session, cursor)] if session else []
        put = Step(
            "Put",
            self._tables.snapshot(subject, snapshot.version),
            ABSENT,
            lambda _: TrackMoved(),
            values={"now": int(now.timestamp())},
            item={"snapshot": snapshot.to_json(), "expiresAt": self._tables.expiry(now)},
        )
        self._dynamo.transact(*steps, moves.next_version(subject, head, snapshot.version), put)

    def subjects(self, user_id: str) -> list[Subject]:
        """Return every subject of the user that has a track head, the erased ones included."""
        pages = self._dynamo.query(
            self._tables.role_memory, user_partition(user_id), low=TRACKS, high=f"{TRACKS}#\x7f", only=("sk",)
        )
        return [subject_of_track(user_id, item["sk"]) for page in pages for item in page.items]

    def _snapshots(self, items: Sequence[Item]) -> list[Snapshot]:
        now = self._clock()
        return [Snapshot.model_validate(item["snapshot"]) for item in items if alive(item, now)]


def visible(head: TrackHead | None, snapshots: Sequence[Snapshot]) -> Track:
    """Return the track of what the head lets be seen: nothing without a head, nothing at or below the floor (R23)."""
    if head is None:
        return Track(None, ())
    return Track(head, tuple(snapshot for snapshot in snapshots if head.floor < snapshot.version <= head.version))
