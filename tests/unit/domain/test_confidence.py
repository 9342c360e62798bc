import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.confidence import confidence
from shared.records import ConfidenceLevel, Trait, TraitKind

LOW, MEDIUM, MEDIUM_HIGH, HIGH = ConfidenceLevel


def identity(support: int, *, explicit: bool = False, seen: int = 1) -> Trait:
    return Trait(
        kind=TraitKind.IDENTITY, term="nurse", support=support, explicit=explicit, first_seen=1, last_seen=seen
    )


@pytest.mark.parametrize(
    ("support", "explicit", "level"),
    [(1, False, MEDIUM), (2, False, MEDIUM), (3, False, MEDIUM_HIGH), (1, True, MEDIUM_HIGH), (8, False, HIGH)],
)
def test_support_and_statements_raise_confidence(support: int, explicit: bool, level: ConfidenceLevel) -> None:
    """R16: support and explicitness; R17: one question that implies a role is at most MEDIUM."""
    assert confidence([identity(support, explicit=explicit)], 1).level is level


def test_without_identity_confidence_is_low() -> None:
    """R17: with too little to go on the level is LOW."""
    trait = Trait(kind=TraitKind.CHARACTERISTIC, term="exact", support=50, explicit=True, first_seen=1, last_seen=1)
    assert confidence([trait], 1) == (0.0, LOW)


@given(st.integers(1, 10_000), st.booleans(), st.integers(1, 500), st.integers(0, 50))
def test_confidence_is_monotone_and_bounded(support: int, explicit: bool, now: int, contrary: int) -> None:
    """R16: in [0, 1], rises with support and statements, falls with time and with contrary evidence."""
    score = confidence([identity(support, explicit=explicit)], now, contrary).score
    assert 0 <= score <= 1
    assert confidence([identity(support + 1, explicit=explicit)], now, contrary).score >= score
    assert confidence([identity(support, explicit=True)], now, contrary).score >= score
    assert confidence([identity(support, explicit=explicit)], now + 1, contrary).score <= score
    assert confidence([identity(support, explicit=explicit)], now, contrary + 1).score <= score


@given(st.integers(1, 10_000), st.booleans())
def test_no_role_is_ever_beyond_doubt(support: int, explicit: bool) -> None:
    """R16: enough contrary evidence always wins."""
    traits = [identity(support, explicit=explicit)]
    contrary = 2 * (support + 3)
    assert confidence(traits, 1 + contrary, contrary).level is LOW
