"""The terms of a role with what holds them up: weighed, folded and bounded (R15)."""

from collections.abc import Iterable
from typing import NamedTuple

from shared.domain.terms import covers, key
from shared.records import Trait, TraitKind

LIMITS = {TraitKind.IDENTITY: 5, TraitKind.CHARACTERISTIC: 10}
MAX_EVIDENCE = 10
TERM_BYTES = 90
"""30 Han characters or 90 Latin letters: twice the longest noun phrase a role needs."""
TEXT_BYTES = 180
"""A quote or a line of the evidence summary: a sentence."""
STATED_VOTES = 3
"""What a user says of themself counts as much as three questions that imply it."""
HALF_LIFE = 20
"""Questions after which a trait that none of them shows counts half: two histories of ten questions."""
FORGOTTEN = 0.25
"""Below this weight a trait goes: 40 questions after a single hint, 72 after a statement."""
LEAST_SHARE, BEHIND_AFTER = 0.3, 3
"""An identity not seen for this many questions goes when it weighs less than this share of the leading one."""


def weight(trait: Trait, interaction: int, half_life: int = HALF_LIFE) -> float:
    """Return the votes for ``trait``, faded by the questions since it was last seen: by half in each ``half_life``."""
    votes = trait.support + (STATED_VOTES - 1 if trait.explicit else 0)
    return float(votes * 0.5 ** (max(0, interaction - trait.last_seen) / half_life))


def best_weight(traits: Iterable[Trait], interaction: int, half_life: int = HALF_LIFE) -> float:
    """Return the weight of the best supported identity, 0 without one."""
    identities = of_kind(traits, TraitKind.IDENTITY)
    return max((weight(trait, interaction, half_life) for trait in identities), default=0.0)


def ranked(traits: Iterable[Trait], interaction: int, half_life: int = HALF_LIFE) -> list[Trait]:
    """Return the traits with the stated ones first, then by weight; of equals the one seen last, then as they came."""

    def standing(trait: Trait) -> tuple[bool, float, int]:
        return not trait.explicit, -weight(trait, interaction, half_life), -trait.last_seen

    return sorted(traits, key=standing)


def of_kind(traits: Iterable[Trait], kind: TraitKind) -> tuple[Trait, ...]:
    """Return the traits of one list."""
    return tuple(trait for trait in traits if trait.kind is kind)


def terms_of(traits: Iterable[Trait], kind: TraitKind) -> tuple[str, ...]:
    """Return the terms of one list, in order."""
    return tuple(trait.term for trait in traits if trait.kind is kind)


def folded(traits: Iterable[Trait]) -> tuple[Trait, ...]:
    """Merge like traits: the more specific wording stays, the older one of equals, and supports add.

    The outcome does not depend on the order of the traits; the order of the outcome follows it.
    """
    hosts: list[tuple[int, Trait]] = []
    most_specific_first = sorted(
        enumerate(traits), key=lambda at: (-len(key(at[1].term)), key(at[1].term), at[1].first_seen, at[1].term)
    )
    for position, trait in most_specific_first:
        for index, (place, host) in enumerate(hosts):
            if host.kind is trait.kind and covers(host.term, trait.term):
                hosts[index] = (min(place, position), absorbed(host, trait))
                break
        else:
            hosts.append((position, trait))
    return tuple(trait for _, trait in sorted(hosts, key=lambda at: at[0]))


def absorbed(host: Trait, trait: Trait) -> Trait:
    """Return ``host`` with the support of ``trait`` added to its own."""
    return host.model_copy(
        update={
            "support": host.support + trait.support,
            "explicit": host.explicit or trait.explicit,
            "first_seen": min(host.first_seen, trait.first_seen),
            "last_seen": max(host.last_seen, trait.last_seen),
        }
    )


class Bounded(NamedTuple):
    """What stays of one list, ranked, and the terms that went because others are better supported."""

    kept: tuple[Trait, ...]
    dropped: tuple[str, ...]


def bounded(traits: Iterable[Trait], kind: TraitKind, interaction: int, half_life: int = HALF_LIFE) -> Bounded:
    """Rank one list, forget what has faded, and cut it at its limit: the least supported go, of equals the oldest.

    An identity also goes when the leading one has left it far behind.
    """
    order = ranked(of_kind(traits, kind), interaction, half_life)
    least = LEAST_SHARE * best_weight(order, interaction, half_life)

    def stays(trait: Trait) -> bool:
        behind = trait.kind is TraitKind.IDENTITY and interaction - trait.last_seen >= BEHIND_AFTER
        return weight(trait, interaction, half_life) >= (max(FORGOTTEN, least) if behind else FORGOTTEN)

    kept = [trait for trait in order if stays(trait)][: LIMITS[kind]]
    return Bounded(tuple(kept), tuple(trait.term for trait in order if trait not in kept))
