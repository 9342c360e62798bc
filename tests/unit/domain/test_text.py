import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.text import clean, clip, folded, has_hidden


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\nnurse\r\n\tof sorts", "a nurse of sorts"),
        ("a\u202enurse\u200b", "anurse"),
        ("a\x00 \x1b[31mnurse\u2028", "a [31mnurse"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("half \ud800 a pair", "half a pair"),
        ("क्\u200dष", "क्\u200dष"),
        ("cook ❤\ufe0f\u200d🔥", "cook ❤\ufe0f\u200d🔥"),
        ("nu\u200drse", "nurse"),
        ("a\ufe0f\u200db", "ab"),
    ],
)
def test_stored_text_is_one_plain_line(text: str, plain: str) -> None:
    """R21: control characters are stripped."""
    assert clean(text) == plain
    assert not has_hidden(clean(text))


@pytest.mark.parametrize(
    "code",
    [
        *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180E, 0x180F, 0x200B, 0x2060, 0x206F, 0x3164),
        *(0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0, 0x1BCA0, 0x1D173, 0xE0001, 0xE0020, 0xE0100, 0xE01EF, 0xE0FFF),
    ],
)
def test_what_unicode_calls_ignorable_is_hidden(code: int) -> None:
    """R21: nobody sees it, so it is neither stored nor accepted, and makes no difference."""
    text = f"nu{chr(code)}rse"
    assert has_hidden(text)
    assert clean(text) == folded(text) == "nurse"


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


@given(st.text())
def test_cleaning_and_folding_are_stable(text: str) -> None:
    """R21: what is stored is clean, however often it was cleaned."""
    assert clean(clean(text)) == clean(text)
    assert not has_hidden(clean(text))
    assert folded(folded(text)) == folded(text)
