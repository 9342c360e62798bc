"""Small, shared ways of looking at text."""

import re
import unicodedata

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:['’-][A-Za-zÀ-ɏ]+)*")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\n+")
_CLAUSE = re.compile(r"(?<=[.!?;,:])\s+|(?<=[。！？；，：、])\s*|\n+|(?<=\s)[-–—]+\s+|——")

MIN_WORD, STEM = 3, 5

_STRAIGHT = {ord(c) + 0xFEE0: c for c in map(chr, range(0x21, 0x7F)) if c.isalnum()} | {ord("’"): "'", ord("`"): "'"}


def han_count(text: str) -> int:
    """Return how many Han characters ``text`` has."""
    return len(_HAN.findall(text))


def kana_count(text: str) -> int:
    """Return how many kana ``text`` has."""
    return len(_KANA.findall(text))


def latin_words(text: str) -> list[str]:
    """Return the words of ``text`` in Latin script."""
    return _LATIN_WORD.findall(text)


def straight(text: str) -> str:
    """Return ``text`` with plain letters, digits and apostrophes, for the patterns; its punctuation stays."""
    return text.translate(_STRAIGHT)


def plain(text: str) -> str:
    """Return what is left of ``text`` when case, width, punctuation and runs of spaces do not count."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = (character if unicodedata.category(character)[0] in "LNM" else " " for character in folded)
    return " ".join("".join(kept).split())


def compact(text: str) -> str:
    """Return `plain` without any spaces."""
    return plain(text).replace(" ", "")


def shares_word(one: str, other: str) -> bool:
    """Return whether two texts share a word, its ending aside, or two Han characters in a row."""
    ours, theirs = ([word for word in latin_words(plain(text)) if len(word) >= MIN_WORD] for text in (one, other))
    if any(a.startswith(b[:STEM]) or b.startswith(a[:STEM]) for a in ours for b in theirs):
        return True
    return any(han_count(pair) == 2 and pair in other for at in range(len(one) - 1) if (pair := one[at : at + 2]))


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of ``text``."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def clauses(text: str) -> list[str]:
    """Return the pieces of ``text`` between any punctuation."""
    return [part.strip() for part in _CLAUSE.split(text) if part.strip()]
