"""Text that reads as an instruction to the model is no description of a user, and is refused (R21)."""

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path

_WORDS = Path(__file__).parent / "words" / "instructions.toml"
_BETWEEN_HAN = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    words = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in words[name])


def _folded(text: str) -> str:
    """Return ``text`` as a model reads it: plain letters, single spaces, nothing invisible."""
    visible = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    return _BETWEEN_HAN.sub("", " ".join(visible.split()))


def _holds(name: str, text: str) -> bool:
    readings = (text, _folded(text))
    return any(pattern.search(reading) for pattern in _patterns(name) for reading in readings)


def instructs(text: str) -> bool:
    """Tell whether ``text`` instructs the model or the memory."""
    return _holds("instruction", text)


def is_description(text: str) -> bool:
    """Tell whether ``text`` may describe a user: it does not instruct, claim power or address its reader; no code."""
    return not any(_holds(name, text) for name in ("instruction", "authority", "address", "code"))
