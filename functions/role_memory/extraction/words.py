"""The word lists, one file a language, compiled once.

English and Chinese are tried on any text, because users mix them into all others; another language only on its own
texts, where its short words mean what they say. What is refused is refused in every language.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from functions.role_memory.extraction.language import language_of

FOLDER = Path(__file__).parent / "words"
_EVERYWHERE = ("en", "zh")
_NAMED = re.compile(r"\{([a-z]+)\}")


@cache
def _files() -> dict[str, dict[str, Any]]:
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))}


@cache
def _entries(key: str, language: str) -> tuple[str, ...]:
    found: Any = _files().get(language, {})
    for part in key.split("."):
        found = found.get(part, {})
    return (found,) if isinstance(found, str) else tuple(found)


@cache
def _compiled(key: str, language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(_filled(entry, language), re.IGNORECASE) for entry in _entries(key, language))


def _filled(entry: str, language: str) -> str:
    """Return a pattern with ``{kin}`` and the like replaced by the entries of that name."""
    return _NAMED.sub(lambda name: "|".join(_filled(one, language) for one in _files()[language][name[1]]), entry)


def patterns(key: str, text: str) -> Iterator[re.Pattern[str]]:
    """Yield the patterns of ``key``, dotted for a table, that go with the language of ``text``."""
    languages = _files() if key.startswith("refused.") else dict.fromkeys((*_EVERYWHERE, language_of(text)))
    for language in languages:
        yield from _compiled(key, language or "")


def searched(key: str, text: str) -> bool:
    """Return whether any pattern of ``key`` occurs in ``text``."""
    return any(pattern.search(text) for pattern in patterns(key, text))


def matched(key: str, text: str) -> bool:
    """Return whether any pattern of ``key`` is all of ``text``."""
    return any(pattern.fullmatch(text) for pattern in patterns(key, text))


def found(key: str, text: str) -> Iterator[re.Match[str]]:
    """Yield every match of ``key`` in ``text``."""
    for pattern in patterns(key, text):
        yield from pattern.finditer(text)


def entry(table: str, word: str, language: str = "en") -> str | None:
    """Return what ``table`` has under ``word``, if anything."""
    meant: str | None = _files()[language][table].get(word.casefold())
    return meant


@cache
def word_set(key: str) -> frozenset[str]:
    """Return the entries of ``key`` of all languages, as plain words."""
    return frozenset(word for language in _files() for word in _entries(key, language))
