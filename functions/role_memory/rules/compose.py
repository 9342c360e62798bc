"""The next snapshot, whole (R4, R5, R12)."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from functions.role_memory.extract import PreferenceHints
from functions.role_memory.rules.decision import Step, Verdict
from functions.role_memory.rules.merge import Learned, merged
from shared.domain.edit_request import EditableField
from shared.domain.overview import can_describe, composed, fitted, language_code
from shared.domain.roles import blank_snapshot, local_time, was_learned, with_traits, within_size
from shared.domain.terms import related
from shared.domain.text import clean, clip
from shared.domain.traits import LIMITS, TEXT_BYTES, terms_of
from shared.records import (
    Candidate,
    Decision,
    Operation,
    Preferences,
    Role,
    Snapshot,
    SnapshotMetadata,
    Tokens,
    TraitKind,
)

MAX_QUERY_BYTES = 6000
"""2,000 Han characters of the question, which stays whole in the conversation memory."""
_CANDIDATE_TERMS = LIMITS[TraitKind.IDENTITY]
_CANDIDATE_EVIDENCE = 3


def next_snapshot(
    latest: Snapshot | None,
    verdict: Verdict,
    *,
    user_id: str,
    session_id: str,
    question: str,
    version: int,
    turn: int,
    covered_turns: Sequence[int],
    now: datetime,
    zone: ZoneInfo,
    tokens: Tokens,
    half_life: int,
) -> Snapshot:
    """Return the snapshot that ``verdict`` makes of ``latest``.

    Parameters
    ----------
    covered_turns
        The questions read for it, of which ``turn`` is the newest (R4); each counts as an interaction.
    tokens
        What the model calls used, of the extraction and of the comparison.
    half_life
        Questions after which a trait that none of them shows counts half.
    """
    before = latest or blank_snapshot(user_id, session_id, now)
    extract, held = verdict.extract, before.metadata
    interaction = before.text.conversation_analysis.interaction_count + len(covered_turns)
    learned = merged(before, verdict, interaction, half_life)
    role = before.text.model_copy(
        update={
            "conversation_id": session_id,
            "user_query": clip(question, MAX_QUERY_BYTES),
            "communication_preferences": _preferences(before, extract.preferences),
            "user_overview": _overview(before, verdict, learned),
        }
    )
    role = with_traits(
        role,
        learned.traits,
        learned.summary,
        interaction=interaction,
        contrary=verdict.contrary,
        half_life=half_life,
    )
    moment = local_time(now, zone)
    if not was_learned(before):
        role = role.model_copy(update={"creat_time": moment})
    elif verdict.learns or _content(role) != _content(before.text):
        role = role.model_copy(update={"update_time": moment})
    metadata = SnapshotMetadata(
        version=version,
        turn=turn,
        covered_turns=tuple(covered_turns),
        decision=verdict.decision,
        evidence=learned.evidence,
        language=extract.language,
        model=extract.model,
        prompt_version=extract.prompt_version,
        tokens=tokens,
        created_at=now,
        traits=learned.traits,
        candidate=_candidate(verdict),
        dropped=learned.dropped,
        pinned=held.pinned,
        forbidden=held.forbidden,
        denied=learned.denied,
    )
    return within_size(Snapshot(metadata=metadata, text=role))


def skipped_snapshot(
    latest: Snapshot | None,
    *,
    user_id: str,
    session_id: str,
    question: str,
    version: int,
    turn: int,
    covered_turns: Sequence[int],
    now: datetime,
    error: str,
) -> Snapshot:
    """Return the snapshot of a question that could not be read: the role stays as it was (R5, R6).

    ``error`` is a sentence about the failure, not about the user.
    """
    before = latest or blank_snapshot(user_id, session_id, now)
    held = before.metadata
    metadata = SnapshotMetadata(
        version=version,
        turn=turn,
        covered_turns=tuple(covered_turns),
        decision=Decision(operation=Operation.SKIPPED, reason=clip(clean(error), TEXT_BYTES)),
        evidence=held.evidence,
        language=held.language,
        created_at=now,
        traits=held.traits,
        pinned=held.pinned,
        forbidden=held.forbidden,
        denied=held.denied,
    )
    query = {"conversation_id": session_id, "user_query": clip(question, MAX_QUERY_BYTES)}
    return within_size(Snapshot(metadata=metadata, text=before.text.model_copy(update=query)))


def _preferences(before: Snapshot, hints: PreferenceHints) -> Preferences:
    free = {
        "detail_level": EditableField.DETAIL_LEVEL,
        "content_depth": EditableField.CONTENT_DEPTH,
        "response_format": EditableField.RESPONSE_FORMAT,
    }
    pinned = before.metadata.pinned
    moved = {name: hint for name, field in free.items() if field not in pinned and (hint := getattr(hints, name))}
    return before.text.communication_preferences.model_copy(update=moved)


def _overview(before: Snapshot, verdict: Verdict, learned: Learned) -> str:
    """Return the overview of the new role, in the language of the question where that is possible (R18)."""
    extract, overview = verdict.extract, before.text.user_overview
    if overview and EditableField.USER_OVERVIEW in before.metadata.pinned:
        return overview
    identities = terms_of(learned.traits, TraitKind.IDENTITY)
    if not identities:
        return composed((), extract.language, before.metadata.forbidden)
    joined = any(related(extract.identities[0], identity) for identity in identities) if extract.identities else True
    if verdict.learns and joined and fitted(extract.overview):
        return fitted(extract.overview)
    same_leading = before.text.identified_role.possible_identities[:1] == identities[:1]
    same_language = language_code(before.metadata.language) == language_code(extract.language)
    if overview and same_leading and (same_language or not can_describe(extract.language)):
        return overview
    return composed(identities, extract.language, before.metadata.forbidden)


def _candidate(verdict: Verdict) -> Candidate | None:
    if verdict.step is not Step.STRANGER:
        return None
    extract = verdict.extract
    return Candidate(
        identities=extract.identities[:_CANDIDATE_TERMS],
        characteristics=extract.characteristics[:_CANDIDATE_TERMS],
        evidence=extract.evidence[:_CANDIDATE_EVIDENCE],
    )


def _content(role: Role) -> tuple[object, ...]:
    identified = role.identified_role
    return (
        identified.possible_identities,
        identified.primary_characteristics,
        role.communication_preferences,
        role.user_overview,
    )
