"""The phrase that completes "You are having a conversation with …" (R17, R18, R20)."""

import re

from shared.domain.text import clean

MAX_OVERVIEW_TOKENS = 75
"""What the fixed sentences of the guidance leave of its 150 tokens, with a margin."""

_PIECE = re.compile(r"[A-Za-z]+|.", re.DOTALL)
_COMMON_EAST_ASIAN = re.compile(r"[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]")
_UNKNOWN = {
    "en": "a user whose role is not known yet",
    "zh": "一位身份尚不明确的用户",
    "ja": "役割がまだ分からない利用者",
}
_FRAMES = {"en": ("a user described as ", ""), "zh": ("一位身份可能是", "的用户"), "ja": ("", "と思われる利用者")}


def _cost(piece: str) -> int:
    if piece.isascii():
        return 0 if piece == " " else (len(piece) + 1) // 2
    return 2 if _COMMON_EAST_ASIAN.match(piece) else len(piece.encode(errors="replace"))


def estimated_tokens(text: str) -> int:
    """Return more tokens than any current tokenizer makes of ``text``.

    Two letters a token, where English words take four; two tokens a Han, kana or Hangul character, where most take
    one; a token a byte for all other scripts and signs.
    """
    return sum(_cost(piece) for piece in _PIECE.findall(text))


def fitted(overview: str) -> str:
    """Return ``overview`` on one line, cut at a word so that guidance made from it keeps its size (R20)."""
    text = clean(overview)
    end = left = 0
    for piece in _PIECE.findall(text):
        left += _cost(piece)
        if left > MAX_OVERVIEW_TOKENS:
            return text[:end].rstrip()
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
