"""The codec between plain values and DynamoDB's."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.store.codec import decode, encode

# DynamoDB holds magnitudes from 1e-130 to 1e126 in 38 digits.
numbers = st.integers(-(10**37), 10**37) | st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda number: number == 0 or 1e-130 < abs(number) < 1e125
)
texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(texts.filter(bool), values, max_size=5))
def test_what_goes_in_comes_out(item: dict[str, object]) -> None:
    """Emoji, NUL, right-to-left marks, nested lists and every number survive; whole numbers come back as ``int``."""
    assert decode(encode(item)) == item


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_number_that_is_not_finite_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        encode({"score": [number]})


def test_float_is_stored_to_the_digit() -> None:
    """0.1 is stored as 0.1, not as the nearest binary fraction."""
    assert encode({"score": 0.1}) == {"score": {"N": "0.1"}}


def test_tuple_is_a_list() -> None:
    assert encode({"terms": ("a",)}) == {"terms": {"L": [{"S": "a"}]}}
