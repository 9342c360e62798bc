"""All that is stored of a user, page by page: each session, its messages, then each track's snapshots."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from functions.memory_api.contract import ExportEntry
from functions.memory_api.cursors import from_cursor, to_cursor
from functions.memory_api.reading import session_data
from shared.http.envelope import PagedReply
from shared.store.heads import SessionHead
from shared.store.keys import Subject, track_sort_key
from shared.store.stores import Stores

_ENOUGH_BYTES = 2_000_000
"""A reply may hold 6 MB as Lambda sends it, JSON in JSON and at worst in ASCII; one more request adds up to 4 MB."""
_MAX_REQUESTS = 100
"""What fits well into the function's time."""


@dataclass(frozen=True)
class _Part:
    """A stretch of the export that is read in pages: the messages of a session or the snapshots of a track."""

    name: str
    source: SessionHead | Subject


@dataclass(frozen=True)
class Export:
    """Reads everything of a user."""

    stores: Stores

    def page(self, user_id: str, limit: int, cursor: str | None) -> PagedReply[ExportEntry]:
        """Return one page of the user's records."""
        query = (user_id, "export")
        start, after = (str(position) for position in from_cursor(cursor, query, str, str)) if cursor else ("", "")
        entries: list[ExportEntry] = []
        size = requests = 0
        for part in self._parts(user_id):
            if part.name < start:
                continue
            position: str | None = after if part.name == start else ""
            while position is not None:
                if len(entries) >= limit or size >= _ENOUGH_BYTES or requests >= _MAX_REQUESTS:
                    return PagedReply(data=entries, next_cursor=to_cursor(query, part.name, position))
                found, position = self._read(user_id, part, position, limit - len(entries))
                requests += 1
                size += sum(len(json.dumps(entry.model_dump_json())) for entry in found)
                entries += found
        return PagedReply(data=entries)

    def _parts(self, user_id: str) -> Iterator[_Part]:
        """Yield the parts in the order of their names, which is the same in every request."""
        heads = sorted(self.stores.conversation.sessions(user_id), key=lambda head: head.session_id)
        yield from (_Part(f"1#{head.session_id}", head) for head in heads)
        subjects = sorted(self.stores.role.subjects(user_id), key=track_sort_key)
        yield from (_Part(f"2#{track_sort_key(subject)}", subject) for subject in subjects)

    def _read(self, user_id: str, part: _Part, after: str, limit: int) -> tuple[list[ExportEntry], str | None]:
        if isinstance(part.source, Subject):
            session_id = part.source.session_id
            version = int(after) if after.isdecimal() else 0
            snapshots = self.stores.role.page(part.source, after=version, limit=limit)
            entries = [ExportEntry(session_id=session_id, snapshot=snapshot) for snapshot in snapshots.snapshots]
            return entries, str(snapshots.after) if snapshots.after is not None else None
        head = part.source
        if not after:
            return [ExportEntry(session_id=head.session_id, session=session_data(head))], f"{head.epoch}#"
        messages = self.stores.conversation.page(user_id, head, after=after, limit=limit)
        entries = [ExportEntry(session_id=head.session_id, message=entry.message) for entry in messages.entries]
        return entries, messages.after
