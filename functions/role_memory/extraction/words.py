"""The word lists, one file a language, compiled once.

A pattern of any language is tried on any text: scripts keep most of them apart, and users mix languages.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "words"


@cache
def _files() -> tuple[dict[str, Any], ...]:
    return tuple(tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml")))


def entries(key: str) -> Iterator[str]:
    """Yield the entries of ``key``, dotted for a table, of all languages."""
    for file in _files():
        found: Any = file
        for part in key.split("."):
            found = found.get(part, [])
        yield from [found] if isinstance(found, str) else found


@cache
def patterns(key: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of ``key``, compiled, without case."""
    return tuple(re.compile(entry, re.IGNORECASE) for entry in entries(key))


@cache
def word_set(key: str) -> frozenset[str]:
    """Return the entries of ``key`` as plain words."""
    return frozenset(entries(key))


def searched(key: str, text: str) -> bool:
    """Return whether any pattern of ``key`` occurs in ``text``."""
    return any(pattern.search(text) for pattern in patterns(key))


def matched(key: str, text: str) -> bool:
    """Return whether any pattern of ``key`` is all of ``text``."""
    return any(pattern.fullmatch(text) for pattern in patterns(key))


def found(key: str, texts: Sequence[str]) -> Iterator[re.Match[str]]:
    """Yield every match of ``key`` in ``texts``."""
    for text in texts:
        for pattern in patterns(key):
            yield from pattern.finditer(text)
