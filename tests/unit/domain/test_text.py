import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.text import clean, clip, has_hidden


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\nnurse\r\n\tof sorts", "a nurse of sorts"),
        ("a\u202enurse\u200b", "anurse"),
        ("a\x00 \x1b[31mnurse\u2028", "a [31mnurse"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("half \ud800 a pair", "half a pair"),
    ],
)
def test_stored_text_is_one_plain_line(text: str, plain: str) -> None:
    """R21: control characters are stripped."""
    assert clean(text) == plain
    assert not has_hidden(clean(text))


@pytest.mark.parametrize("text", ["two\nlines", "bell\x07", "hid\u2066den", "par\u2029agraph"])
def test_hidden_characters_are_found(text: str) -> None:
    assert has_hidden(text)


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("short", 90, "short"),
        ("prefers practical steps", 20, "prefers practical"),
        ("an incomprehensibility", 10, "an incompr"),
        ("烹饪爱好者", 10, "烹饪爱"),
        ("😀😀", 5, "😀"),
    ],
)
def test_text_is_cut_between_words_and_never_inside_a_character(text: str, limit: int, cut: str) -> None:
    """R15: texts are capped."""
    assert clip(text, limit) == cut


@given(st.text(), st.integers(0, 50))
def test_cut_text_fits_and_is_a_start(text: str, limit: int) -> None:
    cut = clip(text, limit)
    assert len(cut.encode(errors="ignore")) <= limit
    assert text.encode(errors="ignore").startswith(cut.encode(errors="ignore"))
