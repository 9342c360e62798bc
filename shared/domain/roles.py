"""Small facts about roles that learning, editing and guiding share."""

from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from shared.domain.confidence import confidence
from shared.domain.text import clip
from shared.domain.traits import HALF_LIFE, terms_of
from shared.records import (
    Decision,
    IdentifiedRole,
    Operation,
    Preferences,
    Role,
    Snapshot,
    SnapshotMetadata,
    Trait,
    TraitKind,
)

MAX_SNAPSHOT_BYTES = 16_000
"""Of JSON, escapes aside."""


def was_learned(snapshot: Snapshot | None) -> bool:
    """Tell whether there is a role at all: not before the first snapshot, nor while all were SKIPPED."""
    return snapshot is not None and bool(snapshot.text.creat_time)


def has_role(snapshot: Snapshot) -> bool:
    """Tell whether the snapshot knows anything of its user: who they are or how they like to be answered."""
    role = snapshot.text
    known = role.identified_role.possible_identities or role.identified_role.primary_characteristics
    return bool(role.creat_time) and (bool(known) or role.communication_preferences != Preferences())


def blank_snapshot(user_id: str, session_id: str, now: datetime) -> Snapshot:
    """Return what a first snapshot starts from; it is never stored."""
    nothing = Decision(operation=Operation.NONE_CHANGE, reason="Nothing is known yet.")
    return Snapshot(
        metadata=SnapshotMetadata(version=1, turn=None, decision=nothing, created_at=now),
        text=Role(user_id=user_id, conversation_id=session_id),
    )


def local_time(now: datetime, zone: ZoneInfo) -> str:
    """Return ``now`` as ``creatTime`` and ``updateTime`` are written."""
    return now.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")


def with_traits(
    role: Role,
    traits: Iterable[Trait],
    summary: tuple[str, ...],
    *,
    interaction: int,
    contrary: int = 0,
    half_life: int = HALF_LIFE,
) -> Role:
    """Return ``role`` as ``traits`` make it after ``interaction`` questions, confidence included (R16)."""
    traits = tuple(traits)
    sure = confidence(traits, interaction, contrary, half_life)
    identified = IdentifiedRole(
        possible_identities=terms_of(traits, TraitKind.IDENTITY),
        primary_characteristics=terms_of(traits, TraitKind.CHARACTERISTIC),
        evidence_summary=summary,
        confidence_level=sure.level,
    )
    analysis = role.conversation_analysis.model_copy(
        update={"confidence_score": sure.score, "interaction_count": interaction}
    )
    return role.model_copy(update={"identified_role": identified, "conversation_analysis": analysis})


def within_size(snapshot: Snapshot) -> Snapshot:
    """Return ``snapshot`` under :data:`MAX_SNAPSHOT_BYTES`: where it would be larger, its copy of the question gives.

    Everything else is capped where it is made and stays well below.
    """
    excess = _bytes(snapshot.to_json()) - MAX_SNAPSHOT_BYTES
    if excess <= 0:
        return snapshot
    query = snapshot.text.user_query
    shorter = clip(query, max(0, len(query.encode(errors="replace")) - excess))
    return snapshot.model_copy(update={"text": snapshot.text.model_copy(update={"user_query": shorter})})


def _bytes(value: object) -> int:
    """Return the size of a JSON value without escapes, which is more than the store counts."""
    match value:
        case str():
            return len(value.encode(errors="replace")) + 3
        case dict():
            return 3 + sum(_bytes(name) + _bytes(inner) for name, inner in value.items())
        case list():
            return 3 + sum(_bytes(inner) for inner in value)
        case _:
            return len(str(value)) + 2
