"""When two terms of a role are the same, and when one is the more specific (R15).

Spelling proves sameness only: two terms that differ here may still mean the same, which only a measure can tell.
"""

import re
import unicodedata
from collections.abc import Iterable

from shared.domain.text import folded

_PREPOSITIONS = frozenset(
    ("of", "in", "for", "at", "with", "on", "from", "de", "del", "di", "da", "do", "du", "des", "en", "von", "für")
)
"""What follows one of these only qualifies the words before it: "teacher of chemistry" is a teacher."""

_SOUTH_EAST_ASIAN = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_EAST_ASIAN = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = _SOUTH_EAST_ASIAN + _EAST_ASIAN
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_NEEDLESS_SPACE = re.compile(f"(?<=[{_UNSPACED}]) (?=[{_UNSPACED}])")

_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
_MIN_PLURAL = 4
_PLURAL_ES, _PLURAL_S, _PLURAL_Y = (
    re.compile("(?<=ch|sh|ss)es$"),
    re.compile("(?<=[a-z])(?<![sui])s$"),
    re.compile("ies?$"),
)
_WITHIN_WORD = re.compile(r"(?<=\w)[^\w\s](?=\w)|(?<=\b\w) (?=\w\b)")


def key(term: str) -> str:
    """Return the form in which looks, case, punctuation, spaces, possessives and simple plurals make no difference.

    ``+`` and ``#`` stay: C, C++ and C# are three things.
    """
    bare = re.sub("['’]", "", _POSSESSIVE.sub("", folded(term)))
    kept = (char if unicodedata.category(char)[0] in "LMN" or char in "+#" else " " for char in bare)
    return _NEEDLESS_SPACE.sub("", " ".join(map(_singular, "".join(kept).split())))


def _singular(word: str) -> str:
    if len(word) < _MIN_PLURAL or not word.isascii():
        return word
    return _PLURAL_Y.sub("y", _PLURAL_S.sub("", _PLURAL_ES.sub("", word)))


def same(one: str, other: str) -> bool:
    """Tell whether both are one term, whatever the spelling."""
    return key(one) == key(other)


def is_kind_of(specific: str, general: str) -> bool:
    """Tell whether ``specific`` says the same as ``general`` and more: "chemistry teacher" and "teacher".

    Only the head of a term counts: a student counsellor is no student, and 学生家长 no 学生.
    """
    long, short = key(specific), key(general)
    if not short or len(long) <= len(short):
        return False
    if _IS_UNSPACED.search(short):
        return len(short) > 1 and long.endswith(short)
    words, head = long.split(), short.split()
    if words[: len(head)] == head and words[len(head)] in _PREPOSITIONS:
        return True
    cut = next((at for at, word in enumerate(words) if at and word in _PREPOSITIONS), len(words))
    return len(head) < len(words) and words[:cut][-len(head) :] == head


def covers(specific: str, general: str) -> bool:
    """Tell whether ``specific`` is the same term as ``general`` or a kind of it."""
    return same(specific, general) or is_kind_of(specific, general)


def related(one: str, other: str) -> bool:
    """Tell whether either term covers the other."""
    return covers(one, other) or covers(other, one)


def mentions(text: str, terms: Iterable[str]) -> bool:
    """Tell whether one of ``terms`` occurs in ``text``: as whole words, or anywhere where words are not spaced.

    A sign or space that splits a word hides nothing.
    """
    haystacks = f" {key(text)} ", f" {key(_WITHIN_WORD.sub('', folded(text)))} "
    needles = [needle if _IS_UNSPACED.search(needle) else f" {needle} " for needle in map(key, terms) if needle]
    return any(needle in haystack for needle in needles for haystack in haystacks)


def distinct(terms: Iterable[str]) -> tuple[str, ...]:
    """Return the terms without blanks and repeats, in order, each as it was first spelled."""
    first: dict[str, str] = {}
    for term in terms:
        first.setdefault(key(term), term)
    first.pop("", None)
    return tuple(first.values())


def most_specific(terms: Iterable[str]) -> tuple[str, ...]:
    """Return the terms without repeats and without those that another only says more of."""
    kept = distinct(terms)
    return tuple(term for term in kept if not any(is_kind_of(other, term) for other in kept))
