"""What changed between two snapshots, field by field."""

from typing import Any

from pydantic import Field

from shared.domain.terms import key
from shared.records import Record, Snapshot


class Change(Record):
    """One field that differs: both values and, for lists, the terms that came and went.

    A list whose order alone changed has nothing added and nothing removed.
    """

    field: str
    before: Any = Field(alias="from")
    after: Any = Field(alias="to")
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def diff(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """Return the changes of the role from ``before`` to ``after``, in the order of the record.

    What differs with every question (the question, its counter, the times) is no change of the role.
    """
    old, new = _fields(before), _fields(after)
    return tuple(_change(field, old[field], new[field]) for field in new if old[field] != new[field])


def _fields(snapshot: Snapshot) -> dict[str, Any]:
    role = snapshot.text.to_json()
    return {
        **role["identifiedRole"],
        "confidenceScore": role["conversationAnalysis"]["confidenceScore"],
        **role["communicationPreferences"],
        "userOverview": role["userOverview"],
        "pinned": list(snapshot.metadata.pinned),
        "forbidden": list(snapshot.metadata.forbidden),
    }


def _change(field: str, before: Any, after: Any) -> Change:
    if not isinstance(after, list):
        return Change(field=field, before=before, after=after)
    return Change(field=field, before=before, after=after, added=_only(after, before), removed=_only(before, after))


def _only(terms: list[str], others: list[str]) -> tuple[str, ...]:
    known = {key(term) for term in others}
    return tuple(term for term in terms if key(term) not in known)
