"""Text that reads as an instruction to the model is no description of a user, and is refused (R21)."""

import re
import tomllib
from functools import cache
from pathlib import Path

_WORDS = Path(__file__).parent / "words" / "instructions.toml"


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    words = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in words[name])


def instructs(text: str) -> bool:
    """Tell whether ``text`` instructs the model or the memory."""
    return any(pattern.search(text) for pattern in _patterns("instruction"))


def claims_authority(text: str) -> bool:
    """Tell whether ``text`` claims power instead of naming a role."""
    return any(pattern.search(text) for pattern in _patterns("authority"))
