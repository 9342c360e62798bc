"""Text that is stored: cleaned, and capped in bytes so that no language can outgrow a snapshot (R15, R21)."""

import unicodedata

_JOINERS = "\u200c\u200d"
"""Format characters that some scripts are spelled with."""


def _is_hidden(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Cs"} and char not in _JOINERS


def has_hidden(text: str) -> bool:
    """Tell whether ``text`` holds line breaks, control or invisible formatting characters."""
    return any(_is_hidden(char) or unicodedata.category(char) in {"Zl", "Zp"} for char in text)


def clean(text: str) -> str:
    """Return ``text`` on one line, without control and invisible formatting characters, single-spaced (R21)."""
    return " ".join("".join(char for char in text if char.isspace() or not _is_hidden(char)).split())


def clip(text: str, max_bytes: int) -> str:
    """Return the start of ``text`` that fits ``max_bytes`` of UTF-8, cut at a space where one is near."""
    stored = text.encode(errors="ignore")
    if len(stored) <= max_bytes:
        return text
    cut = stored[:max_bytes].decode(errors="ignore")
    head, _, tail = cut.rpartition(" ")
    return head if len(head) > len(tail) else cut
