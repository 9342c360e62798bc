"""Text that reads as an instruction to the model is no description of a user, and is refused (R21).

Patterns are tried on a text as it is written, as it looks, and with digits read as the letters they stand for.
"""

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path

from shared.domain.text import folded

_WORDS = Path(__file__).parent / "words" / "instructions.toml"
_BETWEEN_HAN = re.compile(r"(?<=[\u3400-\u9fff])[ ·・‧•∙⋅.*_~^|/\\-]+(?=[\u3400-\u9fff])")
_WITHIN_WORD = re.compile(r"(?<=\b[^\W\d_])[-._·*~^]+(?=[^\W\d_]\b)|(?<=[^\W\d_])[·•*_~^]+(?=[^\W\d_])")
_SPELLED_OUT = re.compile(r"\b[^\W\d_](?:[\W_]{1,3}[^\W\d_]\b){4,}")
_LEET_WORD = re.compile(r"\b(?=\w*[a-z])(?=\w*[0134578])\w{4,}\b")
_LEET = str.maketrans("0134578", "oieastb")
_ENCODED = re.compile(r"(?=\S*[a-z])(?=\S*[A-Z])(?=\S*\d)[A-Za-z0-9+/_-]{20,}|\b[0-9a-fA-F]{24,}\b")
_WORD = re.compile(r"[^\W\d_]+")
_ALPHABETS = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "GEORGIAN", "LISU", "HEBREW"))


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    words = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in words[name])


def _readings(text: str) -> tuple[str, ...]:
    """Return ``text`` in the ways a model may read it."""
    seen = _WITHIN_WORD.sub("", _BETWEEN_HAN.sub("", " ".join(folded(text).split())))
    leet = _LEET_WORD.sub(lambda word: word[0].translate(_LEET), seen)
    return tuple(dict.fromkeys((text, seen, leet)))


def _holds(names: tuple[str, ...], text: str) -> bool:
    readings = _readings(text)
    return any(pattern.search(reading) for name in names for pattern in _patterns(name) for reading in readings)


def instructs(text: str) -> bool:
    """Tell whether ``text`` instructs the model or the memory."""
    return _holds(("instruction",), text)


def is_description(text: str) -> bool:
    """Tell whether ``text`` may describe a user.

    It instructs nobody, claims no power, speaks neither to its reader nor of the answers, rules or safeguards of one,
    holds no code, and hides no words: in an encoding, in letters spelled out, or in words of several alphabets.
    """
    hides = _SPELLED_OUT.search(text) or _ENCODED.search(text) or _mixes_alphabets(text)
    return not hides and not _holds(("instruction", "authority", "address", "assistant", "code"), text)


def _mixes_alphabets(text: str) -> bool:
    words = _WORD.findall(unicodedata.normalize("NFKC", text))
    return any(len({unicodedata.name(char, "").split(" ")[0] for char in word} & _ALPHABETS) > 1 for word in words)
