"""The word lists, one file a language, read and compiled when a text first needs them.

English is tried on any text, and Chinese on any with a Chinese character, because users mix them into all others;
another language only on its own texts, where its short words mean what they say. What is refused is refused in every
language.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from functions.role_memory.extraction.language import language_of
from functions.role_memory.extraction.text import han_count

FOLDER = Path(__file__).parent / "words"
_NAMED = re.compile(r"\{([a-z]+)\}")


@cache
def _languages() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def _file(language: str) -> dict[str, Any]:
    if language not in _languages():
        return {}
    return tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))


@cache
def _entries(key: str, language: str) -> tuple[str, ...]:
    found: Any = _file(language)
    for part in key.split("."):
        found = found.get(part, {})
    return (found,) if isinstance(found, str) else tuple(found)


@cache
def _compiled(key: str, language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(_filled(entry, language), re.IGNORECASE) for entry in _entries(key, language))


def _filled(entry: str, language: str) -> str:
    """Return a pattern with ``{kin}`` and the like replaced by the entries of that name."""
    return _NAMED.sub(lambda name: "|".join(_filled(one, language) for one in _file(language)[name[1]]), entry)


def patterns(key: str, text: str) -> Iterator[re.Pattern[str]]:
    """Yield the patterns of ``key``, dotted for a table, that go with the language of ``text``."""
    for language in _languages() if key.startswith("refused.") else _languages_in(text):
        yield from _compiled(key, language)


def _languages_in(text: str) -> Iterator[str]:
    yield "en"
    if han_count(text):
        yield "zh"
    own = language_of(text)
    if own not in (None, "en", "zh"):
        yield own


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
    meant: str | None = _file(language)[table].get(word.casefold())
    return meant


@cache
def word_set(key: str) -> frozenset[str]:
    """Return the entries of ``key`` of all languages, as plain words."""
    return frozenset(word for language in _languages() for word in _entries(key, language))
