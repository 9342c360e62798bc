"""How the effect of guidance is told: features of an answer that can be counted."""

import pytest

from evals.guidance import CHECKS, ROLES, Row, profile
from shared.domain.guidance import guidance_block

PROSE = "Bread dries out because its starch sets again. Keep it in a bag."
LISTED = "1. Wrap it, for example in cloth.\n2. Freeze it.\n- Toast it, e.g. in a pan.\n"
CHINESE = "1. 记下名字，例如写在本子上。\n2. 因为重复有用，所以多说几遍。\n"


@pytest.mark.parametrize(
    ("feature", "text", "expected"),
    [
        ("words", PROSE, 13),
        ("words", "记住名字 name tags", 6),
        ("steps", PROSE, 0),
        ("steps", LISTED, 2),
        ("steps", CHINESE, 2),
        ("list items", LISTED, 3),
        ("examples", LISTED, 2),
        ("examples", CHINESE, 1),
        ("reasons in 100 words", PROSE, 100 / 13),
    ],
)
def test_a_feature_is_counted(feature: str, text: str, expected: float) -> None:
    count = next(check.count for check in CHECKS if check.feature == feature)
    assert count(text) == pytest.approx(expected)


def test_every_preference_value_is_measured_against_another_block() -> None:
    """R20: a value that does not change the block could not change an answer."""
    assert len({(check.field, check.value) for check in CHECKS}) == 9
    for check in CHECKS:
        own, opposite = (profile(**{check.field: value}) for value in (check.value, check.opposite))
        assert guidance_block(own) != guidance_block(opposite)


def test_a_role_stands_in_its_block() -> None:
    for role in ROLES:
        assert role in guidance_block(profile(role)).splitlines()[0]


@pytest.mark.parametrize(
    ("on", "control", "raises", "holds"), [(2, 1, True, True), (1, 1, True, False), (1, 2, False, True)]
)
def test_an_effect_is_a_difference_to_the_control(on: float, control: float, raises: bool, holds: bool) -> None:
    assert Row("x", "words", 0, on, control, raises).holds is holds
