"""What the user says about how they want to be answered: read by code, word for word (R12)."""

from enum import StrEnum
from typing import TypeVar

from functions.role_memory.extract import PreferenceHints
from functions.role_memory.extraction.words import patterns
from shared.records import ContentDepth, DetailLevel, ResponseFormat

_E = TypeVar("_E", bound=StrEnum)


def preferences_in(own: str) -> PreferenceHints:
    """Return the preferences stated in the user's own words; where two contradict, the last one said."""
    return PreferenceHints(
        detail_level=_last_said(DetailLevel, "detailLevel", own),
        content_depth=_last_said(ContentDepth, "contentDepth", own),
        response_format=_last_said(ResponseFormat, "responseFormat", own),
    )


def _last_said(kind: type[_E], field: str, own: str) -> _E | None:
    said = [
        (match.end(), match.end() - match.start(), value)
        for value in kind
        for pattern in patterns(f"preferences.{field}.{value}", own)
        for match in pattern.finditer(own)
    ]
    return max(said, key=lambda one: one[:2])[2] if said else None


def united(stated: PreferenceHints, read: PreferenceHints) -> PreferenceHints:
    """Return what was stated, and what the model read where nothing was."""
    return PreferenceHints(
        detail_level=stated.detail_level or read.detail_level,
        content_depth=stated.content_depth or read.content_depth,
        response_format=stated.response_format or read.response_format,
    )
