"""From the object a model filled in to typed values, whatever it called them (docs/rules.md, Models).

Contract shapes are flattened, other names and spellings are understood, and everything the server owns (confidence,
counts, times, versions) is not even read (R12). What is read is still only a claim: other modules check it.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from pydantic import Field

from functions.role_memory.extract import PreferenceHints
from functions.role_memory.extraction.preferences import united
from functions.role_memory.extraction.text import compact
from shared.domain.text import clean
from shared.records import ContentDepth, DetailLevel, Record, ResponseFormat

MAX_TERMS = 5
MAX_DEPTH = 6
Quote = tuple[int | None, str]

_NAMES = {
    "evidence": "evidence evidences quote quotes evidencequotes evidencesummary supportingevidence 证据 依据 证据摘要",
    "about": "about aboutwhom speaker subject 对象",
    "identities": "possibleidentities possibleidentity possibleoccupations possibleoccupation identities identity"
    " occupations occupation roles role possibleroles jobs 可能身份 可能的身份 身份 职业 角色",
    "characteristics": "primarycharacteristics primarycharacteristic characteristics maincharacteristics traits"
    " keycharacteristics 主要特征 特征 特点",
    "denied": "notidentities notidentity deniedidentities denied 不是 否认的身份",
    "detail_level": "detaillevel detail levelofdetail 详细程度",
    "content_depth": "contentdepth depth 内容深度",
    "response_format": "responseformat format answerformat 回答格式 回复格式",
    "wish": "answerwish wish",
    "overview": "useroverview overview usersummary userdescription 用户概述 用户概览 概述",
}
_FIELD_OF = {name: field for field, names in _NAMES.items() for name in names.split()}
_DETAIL = {
    DetailLevel.CONCISE: "concise brief short low minimal succinct 简洁 简短 简略",
    DetailLevel.BALANCE: "balance balanced medium moderate normal average 适中 平衡 中等",
    DetailLevel.COMPREHENSIVE: "comprehensive detailed high full thorough indepth extensive complete 详细 全面 详尽",
}
_DEPTH = {
    ContentDepth.OVERVIEW: "overview summary general shallow surface basic 概览 概述 概要",
    ContentDepth.PRACTICAL: "practical practice applied handson actionable howto 实用 实践 实操",
    ContentDepth.CONCEPTUAL: "conceptual concept theory theoretical principle principles deep 概念 理论 原理",
}
_FORMAT = {
    ResponseFormat.CONCISE: "concise brief short simple 简洁 简短",
    ResponseFormat.DETAILED: "detailed detail prose long full narrative 详细",
    ResponseFormat.STRUCTURED_WITH_EXAMPLES: "structuredwithexamples structured structuredexamples withexamples"
    " examples stepbystep steps list bulleted 结构化 带示例 结构化带示例",
}
WISHES = {
    "NONE": PreferenceHints(),
    "SHORT": PreferenceHints(detail_level=DetailLevel.CONCISE, response_format=ResponseFormat.CONCISE),
    "DETAILED": PreferenceHints(detail_level=DetailLevel.COMPREHENSIVE, response_format=ResponseFormat.DETAILED),
    "OVERVIEW": PreferenceHints(content_depth=ContentDepth.OVERVIEW),
    "PRINCIPLES": PreferenceHints(content_depth=ContentDepth.CONCEPTUAL),
    "STEPS_WITH_EXAMPLES": PreferenceHints(
        content_depth=ContentDepth.PRACTICAL, response_format=ResponseFormat.STRUCTURED_WITH_EXAMPLES
    ),
}
"""How a model can say in one word what the user wishes of answers: what small models get right."""

_NOT_SAID = {
    "",
    "unknown",
    "none",
    "null",
    "na",
    "nil",
    "notapplicable",
    "unspecified",
    "undefined",
    "无",
    "未知",
    "不详",
}
_LEAD = re.compile(r"^(?:[-*•]|\d+[.)、])?\s*(?:(?:an?|the)\s+)?", re.IGNORECASE)
_E = TypeVar("_E", bound=StrEnum)


class Reading(Record):
    """What a model claims to have read."""

    quotes: tuple[Quote, ...] = ()
    lines: tuple[int, ...] = ()
    about: str = ""
    identities: tuple[str, ...] = Field(default=(), max_length=MAX_TERMS)
    characteristics: tuple[str, ...] = Field(default=(), max_length=MAX_TERMS)
    denied: tuple[str, ...] = Field(default=(), max_length=MAX_TERMS)
    preferences: PreferenceHints = PreferenceHints()
    overview: str = ""


def complaint_about(fields: Mapping[str, Any]) -> str | None:
    """Return why ``fields`` cannot be read at all, for the model; ``None`` when it can."""
    known = {field for field, _ in _known(fields)}
    if known & {"identities", "characteristics", "overview", "evidence"}:
        return None
    return "None of the fields that were asked for is there. Use exactly the field names of the schema."


def reading_of(fields: Mapping[str, Any]) -> Reading:
    """Return the claims in ``fields``."""
    values: dict[str, Any] = {}
    for field, value in _known(fields):
        if field == "evidence" and field in values:
            values[field] = [*_members(values[field]), *_members(value)]
        elif not values.get(field):
            values[field] = value
    hints = PreferenceHints(
        detail_level=_enum(values.get("detail_level"), _DETAIL),
        content_depth=_enum(values.get("content_depth"), _DEPTH),
        response_format=_enum(values.get("response_format"), _FORMAT),
    )
    return Reading(
        quotes=tuple(_quotes(values.get("evidence"))),
        lines=tuple(_lines(values.get("evidence"))),
        about=re.sub(r"[^A-Z]", "", _first_text(values.get("about")).upper()),
        identities=_terms(values.get("identities")),
        characteristics=_terms(values.get("characteristics")),
        denied=_terms(values.get("denied")),
        preferences=united(hints, WISHES.get(_first_text(values.get("wish")).upper(), PreferenceHints())),
        overview=clean(_first_text(values.get("overview"))),
    )


def _known(fields: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the fields whose names are understood, those of nested objects after those of their parent."""
    nested = []
    for name, value in fields.items():
        field = _FIELD_OF.get(compact(str(name)))
        if field and not (isinstance(value, Mapping) and any(_FIELD_OF.get(compact(str(key))) for key in value)):
            yield field, value
        elif isinstance(value, Mapping) and depth < MAX_DEPTH:
            nested.append(value)
    for value in nested:
        yield from _known(value, depth + 1)


def _members(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Mapping):
        scored = all(isinstance(part, int | float) for part in value.values())
        return list(value) if scored else [value] if "quote" in value else list(value.values())
    return [value]


def _first_text(value: Any) -> str:
    """Return the first text in ``value``; a number is no text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return next((text for part in value if (text := _first_text(part))), "")
    if isinstance(value, Mapping):
        return next((text for part in value.values() if (text := _first_text(part))), "")
    return ""


def _terms(value: Any) -> tuple[str, ...]:
    terms: dict[str, str] = {}
    for member in _members(value):
        parts = re.split(r"[、；;\n]|,(?= ?\w)|，", member) if isinstance(member, str) else [_first_text(member)]
        for part in parts:
            term = _LEAD.sub("", clean(part)).strip(" .。\"'“”")
            if compact(term) not in _NOT_SAID:
                terms.setdefault(compact(term), term)
    return tuple(terms.values())[:MAX_TERMS]


def _quotes(value: Any) -> Iterator[Quote]:
    for member in _members(value):
        turn = None
        if isinstance(member, Mapping):
            said = str(member.get("turn", ""))
            turn = int(said) if said.isdecimal() and len(said) < 10 else None
            member = member.get("quote") or member.get("text") or _first_text(member)
        text = clean(str(member)) if isinstance(member, str) else ""
        marked = re.match(r"^\W*(?:turn|第)?\s*(\d{1,9})\s*轮?\s*[.:：](?=\s*[\"'“])\s*(.*)$", text, re.IGNORECASE)
        if marked:
            turn, text = int(marked[1]), marked[2]
        if text.strip(" \"'“”") and not text.isdecimal():
            yield turn, text.strip(" \"'“”")


def _lines(value: Any) -> Iterator[int]:
    """Yield the numbers of lines: evidence may be named instead of quoted."""
    for member in _members(value):
        text = str(member).strip()
        if not isinstance(member, bool) and text.isdecimal() and len(text) <= 2:
            yield int(text)


def _enum(value: Any, spellings: Mapping[_E, str]) -> _E | None:
    said = compact(_first_text(value))
    if said in _NOT_SAID:
        return None
    for member, words in spellings.items():
        if said == compact(member.value) or said in words.split():
            return member
    return None
