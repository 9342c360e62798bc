"""What is never learned: sensitive traits nobody stated (R17), and text that instructs the model (R21)."""

import re

from functions.role_memory.extraction.text import clauses, compact, plain
from functions.role_memory.extraction.words import found, searched
from shared.domain.instructions import is_description
from shared.domain.text import clean

_ENUMERATION = re.compile(r"\bconfidence\s*level\b", re.IGNORECASE)
MAX_WORDS = 12
MAX_LENGTH = 60


def refused(term: str, own: str) -> bool:
    """Return whether a trait must not be learned from a question.

    Refused are terms that read as an instruction or claim power, terms too long to be a trait, and sensitive
    attributes that the user does not state of themself in ``own``, their own words.
    """
    if not 1 <= len(compact(term)) <= MAX_LENGTH or len(term.split()) > MAX_WORDS:
        return True
    if not is_description(term) or _ENUMERATION.search(term):
        return True
    return is_sensitive(term, own)


def is_sensitive(text: str, own: str) -> bool:
    """Return whether ``text`` names a sensitive attribute that the user does not state of themself."""
    spaced = plain(text)
    hits = [match[0] for match in found("refused.sensitive", spaced)]
    hits += [match[0] for match in found("refused.patient", spaced)]
    stated = [compact(clause) for clause in clauses(own) if searched("first_person", clause)]
    return any(not any(compact(hit) in clause for clause in stated) for hit in hits)


def safe_text(text: str, limit: int) -> str:
    """Return ``text`` on one line, without control characters, cut to ``limit`` characters."""
    return clean(text)[:limit].strip()
