import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.terms import covers, same
from shared.domain.traits import FORGOTTEN, HALF_LIFE, LIMITS, bounded, folded, ranked, weight
from shared.records import Trait, TraitKind

IDENTITY, CHARACTERISTIC = TraitKind.IDENTITY, TraitKind.CHARACTERISTIC
TERMS = [
    "teacher",
    "Teacher",
    "chemistry teacher",
    "nurse",
    "ward nurse",
    "owner",
    "老师",
    "英语老师",
    "gardener",
    "cook",
]


def identity(term: str, support: int = 1, seen: int = 1, *, explicit: bool = False) -> Trait:
    return Trait(kind=IDENTITY, term=term, support=support, explicit=explicit, first_seen=seen, last_seen=seen)


a_trait = st.builds(
    Trait,
    kind=st.sampled_from(TraitKind),
    term=st.sampled_from(TERMS),
    support=st.integers(1, 9),
    explicit=st.booleans(),
    first_seen=st.integers(1, 20),
    last_seen=st.integers(20, 40),
)
some_traits = st.lists(a_trait, max_size=25)


def test_a_statement_has_three_votes_and_stands_first() -> None:
    # GIVEN an identity that was stated once and one that three questions implied
    stated, implied = identity("nurse", explicit=True), identity("teacher", 4)
    # THEN the statement counts three
    assert weight(stated, 1) == 3
    assert weight(implied, 1) == 4
    # AND leads whatever the votes of the other
    assert ranked([implied, stated], 1) == [stated, implied]


def test_support_halves_when_nothing_shows_the_trait_any_more() -> None:
    """R16: recency counts."""
    assert weight(identity("nurse", 4), 1 + HALF_LIFE) == pytest.approx(2)
    assert weight(identity("nurse", 4, seen=9), 3) == 4


def test_like_terms_merge_into_the_more_specific_and_supports_add() -> None:
    """R15: like terms merge, the more specific one stays."""
    # GIVEN one role in three spellings
    teacher, again = identity("Teacher", 2), identity("teacher", seen=5, explicit=True)
    chemistry = identity("chemistry teacher", seen=3)
    # WHEN they are folded
    (trait,) = folded([teacher, again, chemistry])
    # THEN
    assert trait == Trait(kind=IDENTITY, term="chemistry teacher", support=4, explicit=True, first_seen=1, last_seen=5)


def test_the_older_spelling_stays() -> None:
    """R15: case makes no new term."""
    assert [trait.term for trait in folded([identity("NURSE", seen=2), identity("Nurse", seen=1)])] == ["Nurse"]


def test_lists_do_not_mix() -> None:
    characteristic = Trait(kind=CHARACTERISTIC, term="teacher", first_seen=1, last_seen=1)
    assert len(folded([identity("teacher"), characteristic])) == 2


def test_a_cap_drops_the_least_supported_and_of_equals_the_oldest() -> None:
    """R15: what a cap drops is the least supported."""
    # GIVEN one identity more than fits
    traits = [
        identity("five", 5),
        identity("old hint", 1, seen=1),
        identity("four", 4),
        identity("three", 3),
        identity("two", 2),
        identity("new hint", 1, seen=2),
    ]
    # WHEN
    kept, dropped = bounded(traits, IDENTITY, 2)
    # THEN
    assert [trait.term for trait in kept] == ["five", "four", "three", "two", "new hint"]
    assert dropped == ("old hint",)


def test_what_has_faded_is_forgotten() -> None:
    long_ago = identity("nurse", 1, seen=1)
    kept, dropped = bounded([long_ago, identity("cook", 1, seen=60)], IDENTITY, 60)
    assert weight(long_ago, 60) < FORGOTTEN
    assert ([trait.term for trait in kept], dropped) == (["cook"], ("nurse",))


@given(some_traits, st.randoms())
def test_folding_depends_on_no_order(traits: list[Trait], random: object) -> None:
    """R15: merging is set-like."""
    shuffled = list(traits)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    by_term = lambda trait: (trait.kind, trait.term)  # noqa: E731
    assert sorted(folded(shuffled), key=by_term) == sorted(folded(traits), key=by_term)


@given(some_traits)
def test_folding_twice_is_folding_once_and_loses_no_support(traits: list[Trait]) -> None:
    """R15: merging is set-like; nothing is invented."""
    once = folded(traits)
    assert folded(once) == once
    assert sum(trait.support for trait in once) == sum(trait.support for trait in traits)
    assert {trait.term for trait in once} <= {trait.term for trait in traits}
    assert all(any(covers(kept.term, trait.term) for kept in once) for trait in traits)


@given(some_traits, st.integers(40, 60), st.sampled_from(TraitKind))
def test_a_list_is_bounded_and_says_what_it_dropped(traits: list[Trait], now: int, kind: TraitKind) -> None:
    """R15: bounded, and the snapshot says so."""
    mine = [trait for trait in folded(traits) if trait.kind is kind]
    kept, dropped = bounded(mine, kind, now)
    assert len(kept) <= LIMITS[kind]
    assert sorted([trait.term for trait in kept] + list(dropped)) == sorted(trait.term for trait in mine)
    assert not any(same(term, trait.term) for term in dropped for trait in kept)
