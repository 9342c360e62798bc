"""Text that is stored: cleaned, and capped in bytes so that no language can outgrow a snapshot (R15, R21)."""

import re
import unicodedata
from functools import cache

_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What Unicode lets a display leave out (Default_Ignorable_Code_Point): it changes a text and not its looks."""

_IGNORABLES = re.compile(f"[{_IGNORABLE}]")
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_SPELLED = re.compile(
    f"(?<=[\u0600-\u0dff\u1000-\u109f\u1780-\u18af])[\u200c\u200d](?=[^\\W_])"
    f"|(?<=[{_EMOJI}])[\ufe0f\u200d]|(?<=[{_EMOJI}]\ufe0f)\u200d"
)
"""Ignorable characters that some scripts, and emoji, are spelled with."""

_MARKS = re.compile("[\u0300-\u036f]")
_LATIN = re.compile(
    r"(?:LATIN (?:SMALL LETTER|LETTER SMALL CAPITAL)(?: DOTLESS| SCRIPT| LONG)?"
    r"|NEGATIVE (?:SQUARED|CIRCLED) LATIN CAPITAL LETTER|REGIONAL INDICATOR SYMBOL LETTER) ([A-Z])(?: WITH .*)?"
)
_LOOKS = str.maketrans(
    "асԁеһіјӏорԛѕуѵԝхкмтнвгոսօցհյզαονικρυτχηεγϲω",
    "acdehijlopqsyvwxkmthbrnuoghjqaovikputxneycw",
)
"""Letters of other alphabets that look like Latin ones."""


def _hidden(text: str) -> set[int]:
    spelled = {match.start() for match in _SPELLED.finditer(text)}
    return {
        at
        for at, char in enumerate(text)
        if (unicodedata.category(char) in {"Cc", "Cf", "Cs"} or _IGNORABLES.match(char)) and at not in spelled
    }


def has_hidden(text: str) -> bool:
    """Tell whether ``text`` holds line breaks, control characters or characters that show nothing."""
    return bool(_hidden(text)) or any(unicodedata.category(char) in {"Zl", "Zp"} for char in text)


def clean(text: str) -> str:
    """Return ``text`` on one line, without control characters and what shows nothing, single-spaced (R21)."""
    hidden = _hidden(text)
    return " ".join("".join(char for at, char in enumerate(text) if char.isspace() or at not in hidden).split())


def folded(text: str) -> str:
    """Return ``text`` as it looks: lower case, without accents and what shows nothing, look-alikes as Latin letters."""
    lower = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", _IGNORABLES.sub("", lower)))
    return unicodedata.normalize("NFKC", "".join(map(_latin, bare)).translate(_LOOKS))


@cache
def _latin(char: str) -> str:
    if char.isascii():
        return char
    named = _LATIN.fullmatch(unicodedata.name(char, ""))
    return named[1].lower() if named else char


def clip(text: str, max_bytes: int) -> str:
    """Return the start of ``text`` that fits ``max_bytes`` of UTF-8, cut at a space where one is near."""
    stored = text.encode(errors="ignore")
    if len(stored) <= max_bytes:
        return text
    cut = stored[:max_bytes].decode(errors="ignore")
    head, _, tail = cut.rpartition(" ")
    return head if len(head) > len(tail) else cut
