"""What the user says about how they want to be answered: read by code, word for word (R12)."""

from enum import StrEnum
from typing import TypeVar

from functions.role_memory.extract import PreferenceHints
from functions.role_memory.extraction.text import han_count, kana_count, plain
from functions.role_memory.extraction.words import patterns, searched, word_set
from shared.records import ContentDepth, DetailLevel, ResponseFormat

DETAIL, DEPTH, FORMAT = "detailLevel", "contentDepth", "responseFormat"
MAX_OTHER_WORDS, MAX_OTHER_CJK = 3, 5
_KINDS: dict[str, type[StrEnum]] = {DETAIL: DetailLevel, DEPTH: ContentDepth, FORMAT: ResponseFormat}
_E = TypeVar("_E", bound=StrEnum)


def preferences_in(own: str) -> PreferenceHints:
    """Return the preferences stated in the user's own words; where two contradict, the last one said.

    What is asked of one answer only is no preference. Who wants structure and detail wants structure; who wants short
    answers, and says nothing of their form, wants a short form.
    """
    if searched("once", own):
        return PreferenceHints()
    detail, form = _last_said(DetailLevel, DETAIL, own), _last_said(ResponseFormat, FORMAT, own)
    if form is ResponseFormat.DETAILED and _says(FORMAT, ResponseFormat.STRUCTURED_WITH_EXAMPLES, own):
        form = ResponseFormat.STRUCTURED_WITH_EXAMPLES
    if form is None and detail is DetailLevel.CONCISE:
        form = ResponseFormat.CONCISE
    return PreferenceHints(
        detail_level=detail, content_depth=_last_said(ContentDepth, DEPTH, own), response_format=form
    )


def _says(field: str, value: StrEnum, own: str) -> bool:
    return searched(f"preferences.{field}.{value}", own)


def only_wishes(own: str) -> bool:
    """Return whether the question is about the form of answers and about nothing else."""
    rest = own
    for field, kind in _KINDS.items():
        for value in kind:
            for pattern in patterns(f"preferences.{field}.{value}", own):
                rest = pattern.sub(" ", rest)
    if rest == own:
        return False
    words = [word for word in plain(rest).split() if word not in word_set("filler")]
    return len(words) <= MAX_OTHER_WORDS and han_count(rest) + kana_count(rest) <= MAX_OTHER_CJK


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
