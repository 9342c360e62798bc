"""What a user does to their role by hand: edit it, or take an earlier version back."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from shared.domain.edit_request import MAX_FORBIDDEN, EditableField, EditedFields, EditRequest
from shared.domain.instructions import is_description
from shared.domain.overview import composed
from shared.domain.roles import blank_snapshot, local_time, with_traits, within_size
from shared.domain.terms import covers, distinct, mentions, same
from shared.domain.traits import of_kind, terms_of
from shared.errors import FieldProblem, InvalidInput
from shared.records import Decision, Operation, Role, Snapshot, SnapshotMetadata, Trait, TraitKind


@dataclass(frozen=True)
class _Outcome:
    """What a change by hand leaves: the role it starts from, its traits, and what the user asks to be kept."""

    content: Snapshot
    traits: tuple[Trait, ...]
    pinned: tuple[str, ...]
    forbidden: tuple[str, ...]
    keeps_overview: bool
    decision: Decision


def edited_snapshot(
    latest: Snapshot | None,
    edit: EditRequest,
    *,
    user_id: str,
    session_id: str,
    version: int,
    now: datetime,
    zone: ZoneInfo,
) -> Snapshot:
    """Return the EDIT snapshot that ``edit`` makes of ``latest``, or the first one where no role exists yet.

    Edited terms count as stated by the user. An overview that fits no more is made anew of the identities.

    Raises
    ------
    InvalidInput
        Nothing is edited, a text is no description of a user (R21) or mentions a forbidden term, something is asked for
        and taken back at once, or too many terms would be forbidden.
    """
    before = latest or blank_snapshot(user_id, session_id, now)
    held = before.metadata
    kept = (term for term in held.forbidden if not any(same(term, allowed) for allowed in edit.allow))
    forbidden = distinct((*kept, *edit.forbid))
    pinned = tuple(field for field in EditableField if field in edit.pin or field in {*held.pinned} - edit.unpin)
    _check(edit, forbidden)
    outcome = _Outcome(
        content=before.model_copy(update={"text": _set_texts(before.text, edit.set)}),
        traits=_set_traits(before, edit.set),
        pinned=pinned,
        forbidden=forbidden,
        keeps_overview=edit.set.user_overview is not None or EditableField.USER_OVERVIEW in pinned,
        decision=Decision(operation=Operation.EDIT, reason=_reason(edit)),
    )
    return _made(before, outcome, version, now, zone)


def rolled_back_snapshot(
    latest: Snapshot, target: Snapshot, *, version: int, now: datetime, zone: ZoneInfo
) -> Snapshot:
    """Return the ROLLBACK snapshot with the content of ``target`` on top of ``latest``.

    Pins stay, and what is forbidden by now does not come back. Traits are as old as they were then.

    Raises
    ------
    InvalidInput
        ``target`` was stored before there was a role.
    """
    if not target.text.creat_time:
        problem = FieldProblem("version", "holds no role")
        raise InvalidInput(f"Version {target.version} holds no role. Name a version that does.", (problem,))
    then, today = (s.text.conversation_analysis.interaction_count for s in (target, latest))
    outcome = _Outcome(
        content=target,
        traits=tuple(
            trait.model_copy(update={"last_seen": trait.last_seen + today - then}) for trait in target.metadata.traits
        ),
        pinned=latest.metadata.pinned,
        forbidden=latest.metadata.forbidden,
        keeps_overview=False,
        decision=Decision(operation=Operation.ROLLBACK, reason=f"The user went back to version {target.version}."),
    )
    return _made(latest, outcome, version, now, zone)


def _made(before: Snapshot, outcome: _Outcome, version: int, now: datetime, zone: ZoneInfo) -> Snapshot:
    content, forbidden = outcome.content, outcome.forbidden
    traits = tuple(trait for trait in outcome.traits if not mentions(trait.term, forbidden))
    identities, was = terms_of(traits, TraitKind.IDENTITY), content.text.identified_role.possible_identities
    grounded = not was or any(same(term, old) for term in identities for old in was)
    summary = content.text.identified_role.evidence_summary if grounded else ()
    evidence = content.metadata.evidence if grounded else ()
    moment = local_time(now, zone)
    role = content.text.model_copy(
        update={
            "conversation_id": before.text.conversation_id,
            "user_overview": _overview(outcome, identities),
            "creat_time": before.text.creat_time or moment,
            "update_time": moment if before.text.creat_time else "",
        }
    )
    role = with_traits(
        role,
        traits,
        tuple(line for line in summary if not mentions(line, forbidden)),
        interaction=before.text.conversation_analysis.interaction_count,
    )
    metadata = SnapshotMetadata(
        version=version,
        turn=None,
        decision=outcome.decision,
        evidence=tuple(piece for piece in evidence if not mentions(piece.quote, forbidden)),
        language=content.metadata.language,
        created_at=now,
        traits=traits,
        pinned=outcome.pinned,
        forbidden=forbidden,
        denied=tuple(
            no
            for no in before.metadata.denied
            if not mentions(no, forbidden) and not any(covers(term, no) for term in identities)
        ),
    )
    return within_size(Snapshot(metadata=metadata, text=role))


def _overview(outcome: _Outcome, identities: tuple[str, ...]) -> str:
    text, language = outcome.content.text, outcome.content.metadata.language
    fits = outcome.keeps_overview or identities[:1] == text.identified_role.possible_identities[:1]
    if text.user_overview and fits and not mentions(text.user_overview, outcome.forbidden):
        return text.user_overview
    return composed(identities, language, outcome.forbidden)


def _set_texts(role: Role, fields: EditedFields) -> Role:
    names = ("detail_level", "content_depth", "response_format")
    wishes = {name: value for name in names if (value := getattr(fields, name))}
    preferences = role.communication_preferences.model_copy(update=wishes)
    overview = role.user_overview if fields.user_overview is None else fields.user_overview
    return role.model_copy(update={"communication_preferences": preferences, "user_overview": overview})


def _set_traits(before: Snapshot, fields: EditedFields) -> tuple[Trait, ...]:
    lists = {
        TraitKind.IDENTITY: fields.possible_identities,
        TraitKind.CHARACTERISTIC: fields.primary_characteristics,
    }
    traits: list[Trait] = []
    for kind, terms in lists.items():
        old = of_kind(before.metadata.traits, kind)
        traits += old if terms is None else [_stated(term, kind, old, before) for term in distinct(terms)]
    return tuple(traits)


def _stated(term: str, kind: TraitKind, old: Iterable[Trait], before: Snapshot) -> Trait:
    today = before.text.conversation_analysis.interaction_count
    language = before.metadata.language
    known = next((trait for trait in old if same(trait.term, term)), None)
    stated = known or Trait(kind=kind, term=term, first_seen=today, last_seen=today)
    return stated.model_copy(update={"term": term, "explicit": True, "last_seen": today, "language": language})


def _reason(edit: EditRequest) -> str:
    did = [f"set {field}" for field in edit.set.model_dump(exclude_none=True, by_alias=True)]
    did += [f"pinned {field}" for field in sorted(edit.pin)] + [f"unpinned {field}" for field in sorted(edit.unpin)]
    did += [f"forbade {len(edit.forbid)} term(s)"] if edit.forbid else []
    did += [f"allowed {len(edit.allow)} term(s)"] if edit.allow else []
    return f"The user {', '.join(did)}."


def _check(edit: EditRequest, forbidden: tuple[str, ...]) -> None:
    if edit.set == EditedFields() and not (edit.pin or edit.unpin or edit.forbid or edit.allow):
        problem = FieldProblem("body", "asks for nothing")
        raise InvalidInput(
            "The edit changes nothing. Name fields to set, pin or unpin, or terms to forbid or allow.", (problem,)
        )
    problems = [
        FieldProblem(f"set.{field}", problem)
        for field, text in _texts(edit.set)
        for problem, holds in (
            ("reads as an instruction to the model; describe the user instead", not is_description(text)),
            ("mentions a forbidden term; allow the term first", mentions(text, forbidden)),
        )
        if holds
    ]
    if edit.pin & edit.unpin:
        problems.append(FieldProblem("unpin", "names a field that is also pinned"))
    if any(same(term, allowed) for term in edit.forbid for allowed in edit.allow):
        problems.append(FieldProblem("allow", "names a term that is also forbidden"))
    if len(forbidden) > MAX_FORBIDDEN:
        problems.append(FieldProblem("forbid", f"makes more than {MAX_FORBIDDEN} forbidden terms; allow some first"))
    if problems:
        raise InvalidInput("The edit was not stored. Correct the fields named and send it again.", tuple(problems))


def _texts(fields: EditedFields) -> Iterable[tuple[EditableField, str]]:
    for field, terms in (
        (EditableField.POSSIBLE_IDENTITIES, fields.possible_identities),
        (EditableField.PRIMARY_CHARACTERISTICS, fields.primary_characteristics),
        (EditableField.USER_OVERVIEW, None if fields.user_overview is None else (fields.user_overview,)),
    ):
        yield from ((field, term) for term in terms or ())
