"""The phrase that completes "You are having a conversation with …" (R17, R18, R20)."""

import re
from collections.abc import Iterable, Sequence

from shared.domain.terms import mentions
from shared.domain.text import clean

MAX_OVERVIEW_TOKENS = 92
"""What the fixed sentences of the guidance leave of its 150 tokens: 30 English words or 30 Han characters."""

_PIECE = re.compile(r"[A-Za-z]{1,16}|.", re.DOTALL)
_UNKNOWN = {
    "en": "a user whose role is not known yet",
    "zh": "一位身份尚不明确的用户",
    "ja": "役割がまだ分からない利用者",
}
_FRAMES = {"en": ("a user described as ", ""), "zh": ("一位身份可能是", "的用户"), "ja": ("", "と思われる利用者")}


def _cost(piece: str) -> int:
    if piece == " ":
        return 0
    if not piece.isascii():
        return len(piece.encode(errors="replace"))
    capitals = sum(char.isupper() for char in piece)
    return capitals + (len(piece) - capitals) // 2 + (not piece.isupper())


def estimated_tokens(text: str) -> int:
    """Return no fewer tokens than current tokenizers make of ``text``, random letters and rare scripts included.

    A token for two letters of a word, where English takes one for four, and one for each capital; outside ASCII a
    token a byte, which no byte-level tokenizer exceeds.
    """
    return sum(_cost(piece) for piece in _PIECE.findall(text))


def fitted(overview: str) -> str:
    """Return ``overview`` on one line, cut between words or clauses so that guidance made from it keeps its size."""
    text = clean(overview)
    end = total = 0
    for piece in _PIECE.findall(text):
        total += _cost(piece)
        if total > MAX_OVERVIEW_TOKENS:
            start = text[:end]
            clause = max(start.rfind(mark) for mark in "，、；。, ")
            return start[: clause if clause * 2 > end else end].rstrip()
        end += len(piece)
    return text


def language_code(language: str) -> str:
    """Return the language of a tag without its region: ``zh`` of ``zh-CN``."""
    return language.partition("-")[0].lower()


def unknown(language: str) -> str:
    """Return the overview of a role with no identity, in the user's language where it is known."""
    return _UNKNOWN.get(language_code(language), _UNKNOWN["en"])


def can_describe(language: str) -> bool:
    """Tell whether there is a frame of that language."""
    return language_code(language) in _FRAMES


def described(identity: str, language: str) -> str:
    """Return an overview made of one identity, for when there is no better phrase; bare where there is no frame."""
    before, after = _FRAMES.get(language_code(language), ("", ""))
    return fitted(f"{before}{identity}{after}")


def composed(identities: Sequence[str], language: str, forbidden: Iterable[str]) -> str:
    """Return an overview of the first identity, or of a user not known; what is forbidden is in no frame either."""
    phrases = (described(identities[0], language), fitted(identities[0])) if identities else (unknown(language),)
    terms = tuple(forbidden)
    return next((phrase for phrase in phrases if not mentions(phrase, terms)), "")
