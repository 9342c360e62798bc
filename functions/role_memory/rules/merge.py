"""How a role takes a picture in: set-like, bounded, never against the user's own word (R15)."""

from collections.abc import Iterable
from dataclasses import dataclass

from functions.role_memory.extract import Extract
from functions.role_memory.rules.decision import Step, Verdict
from shared.domain.edit_request import pinned_kinds
from shared.domain.overview import language_code
from shared.domain.terms import covers, distinct, key, related, same
from shared.domain.traits import MAX_EVIDENCE, STATED_VOTES, absorbed, bounded, folded, of_kind
from shared.records import Candidate, Evidence, Snapshot, Trait, TraitKind

MAX_DENIED = 10
SURELY_SAME = 0.9
"""Similarity at which another word for a role joins one that the user stated."""


@dataclass(frozen=True)
class Learned:
    """What a snapshot holds of who the user is. ``dropped`` are the terms that went for lack of support."""

    traits: tuple[Trait, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    summary: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def merged(before: Snapshot, verdict: Verdict, interaction: int, half_life: int) -> Learned:
    """Return what the role of ``before`` holds after ``verdict``, at the ``interaction``-th question.

    Like terms merge and their support adds; a cap drops the least supported. By drift or in the user's own words, what
    is contradicted is replaced. A pinned list keeps its terms; only their support grows.
    """
    extract = verdict.extract
    held, evidence = before.metadata.traits, before.metadata.evidence
    summary = before.text.identified_role.evidence_summary
    denied = _denied(before.metadata.denied, extract)
    if not verdict.learns:
        return Learned(held, evidence, summary, denied)

    pinned = pinned_kinds(before)
    shown = _shown(verdict, denied, interaction)
    standing = held if TraitKind.IDENTITY in pinned else _standing(held, shown, verdict)
    if of_kind(held, TraitKind.IDENTITY) and not of_kind(standing, TraitKind.IDENTITY):
        # Nothing is left of who the user was taken for: what was concluded from it goes too.
        standing = tuple(trait for trait in standing if trait.explicit or trait.kind in pinned)
        evidence, summary = (), ()
    if verdict.step is Step.ALIKE:
        standing, shown = _confirmed(standing, shown, pinned, verdict.decision.similarity or 0.0)

    traits: tuple[Trait, ...] = ()
    dropped: tuple[str, ...] = ()
    for kind in TraitKind:
        old, new = of_kind(standing, kind), of_kind(shown, kind)
        if kind in pinned:
            traits += tuple(_supported(trait, new) for trait in old)
        else:
            kept, gone = bounded(folded(old + new), kind, interaction, half_life)
            traits, dropped = traits + kept, dropped + gone
    agreed = [piece for stranger in verdict.agreeing for piece in stranger.candidate.evidence]
    return Learned(
        traits=traits,
        evidence=_united((*evidence, *agreed, *extract.evidence)),
        summary=distinct((*summary, *extract.evidence_summary))[-MAX_EVIDENCE:],
        denied=denied,
        dropped=dropped[:MAX_EVIDENCE],
    )


def _shown(verdict: Verdict, denied: tuple[str, ...], interaction: int) -> tuple[Trait, ...]:
    """Return the traits of the question and of the earlier ones that agree with it, one vote a question."""
    extract = verdict.extract
    shown = _hints(extract, interaction, extract.language, explicit=extract.self_described)
    for stranger in verdict.agreeing:
        shown += _hints(stranger.candidate, stranger.at, stranger.language)
    return tuple(
        trait
        for trait in shown
        if trait.kind is not TraitKind.IDENTITY or not any(covers(trait.term, no) for no in denied)
    )


def _hints(source: Extract | Candidate, at: int, language: str, *, explicit: bool = False) -> list[Trait]:
    lists = {TraitKind.IDENTITY: source.identities, TraitKind.CHARACTERISTIC: source.characteristics}
    return [
        Trait(kind=kind, term=term, explicit=explicit, first_seen=at, last_seen=at, language=language)
        for kind, terms in lists.items()
        for term in terms
    ]


def _standing(held: tuple[Trait, ...], shown: tuple[Trait, ...], verdict: Verdict) -> tuple[Trait, ...]:
    """Return what the new picture leaves of the old traits."""
    if verdict.step is Step.OWN_WORDS:
        return tuple(trait for trait in held if _stands_statement(trait, verdict.extract))
    if verdict.step is Step.DRIFT and verdict.extract.identities:
        return _after_drift(held, shown)
    return held


def _stands_statement(trait: Trait, extract: Extract) -> bool:
    """Tell whether ``trait`` stands beside what the user says of themself.

    What they deny goes. Where they say who they are, what was only implied goes, unless more questions imply it than
    a statement counts and they deny nothing.
    """
    stated = extract.identities
    if trait.kind is not TraitKind.IDENTITY or any(same(trait.term, own) for own in stated):
        return True
    if any(covers(trait.term, no) for no in extract.denied):
        return False
    if not stated or trait.explicit or any(related(trait.term, own) for own in stated):
        return True
    return trait.support > STATED_VOTES and not extract.denied


def _after_drift(held: tuple[Trait, ...], shown: tuple[Trait, ...]) -> tuple[Trait, ...]:
    """Return the old traits without the identities that no question shows since the new picture came up.

    One the user stated stays for now, but counts no more than a single hint.
    """
    new = of_kind(shown, TraitKind.IDENTITY)
    since = min(trait.first_seen for trait in new)

    def fades(trait: Trait) -> bool:
        shows = trait.last_seen >= since or any(related(trait.term, other.term) for other in new)
        return trait.kind is TraitKind.IDENTITY and not shows

    return tuple(
        trait.model_copy(update={"explicit": False, "support": 1}) if fades(trait) else trait
        for trait in held
        if trait.explicit or not fades(trait)
    )


def _confirmed(
    standing: tuple[Trait, ...], shown: tuple[Trait, ...], pinned: frozenset[TraitKind], similarity: float
) -> tuple[tuple[Trait, ...], tuple[Trait, ...]]:
    """Let a picture that a measure found the same support the leading identity, whatever its words.

    Of its new identities only the likeliest joins: what rides along needs a question that puts it first. Beside what
    the user stated even that must be surely the same.
    In another language its likeliest identity is the leading one re-worded, not a second one (R18).
    """
    old, new = of_kind(standing, TraitKind.IDENTITY), of_kind(shown, TraitKind.IDENTITY)
    stated = bool(old) and old[0].explicit and similarity < SURELY_SAME
    riding = new if stated else new[1:]
    shown = tuple(trait for trait in shown if trait not in riding or any(related(trait.term, one.term) for one in old))
    if not old or not new or any(related(mine.term, theirs.term) for mine in new for theirs in old):
        return standing, shown
    leading, likeliest = old[0], new[0]
    confirmed = leading.model_copy(update={"support": leading.support + 1, "last_seen": likeliest.last_seen})
    if language_code(leading.language) != language_code(likeliest.language) and TraitKind.IDENTITY not in pinned:
        confirmed = confirmed.model_copy(update={"term": likeliest.term, "language": likeliest.language})
        shown = tuple(trait for trait in shown if trait is not likeliest)
    return tuple(confirmed if trait is leading else trait for trait in standing), shown


def _supported(trait: Trait, shown: tuple[Trait, ...]) -> Trait:
    for other in shown:
        if related(trait.term, other.term):
            trait = absorbed(trait, other)
    return trait


def _denied(before: tuple[str, ...], extract: Extract) -> tuple[str, ...]:
    """Return what the user said they are not, without what they now say they are."""
    own = extract.identities if extract.self_described else ()
    said = distinct((*before, *extract.denied))
    return tuple(no for no in said if not any(covers(word, no) for word in own))[-MAX_DENIED:]


def _united(pieces: Iterable[Evidence]) -> tuple[Evidence, ...]:
    first: dict[tuple[int, str], Evidence] = {}
    for piece in pieces:
        first.setdefault((piece.turn, key(piece.quote)), piece)
    return tuple(first.values())[-MAX_EVIDENCE:]
