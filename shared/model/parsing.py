"""From what a model wrote to the JSON objects in it.

Models wrap JSON in reasoning, fences and prose, echo the schema, answer twice, and use full-width punctuation. What is
found is only parsed here; what it means is for the caller to judge. An object that was cut off is not an object.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from json_repair import loads as repair

from shared.model.ports import Check

MAX_CHARACTERS = 64 * 1024
"""What lies beyond is not read: no object that was asked for is that long."""
MAX_DEPTH = 16

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning|reflection)\b[^>]*>.*?(</\1\s*>|\Z)", re.DOTALL | re.I)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning|reflection)\s*>", re.I)
_WIDE = str.maketrans("｛｝［］：，", "{}[]:,")
_CLOSING = {'"': '"', "“": "”", "”": "”"}


def objects_in(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects in ``text`` that hold anything, in order; the members of a list count as objects."""
    text = _without_thoughts(text[:MAX_CHARACTERS].replace("\ufeff", "").replace("\0", ""))
    plain = _parsed(text.strip())
    found = (
        plain if plain is not None else [value for span in _spans(text) for value in _parsed(span) or _repaired(span)]
    )
    return [unwrapped for value in found if (unwrapped := _without_schema(value))]


def fullest(text: str, check: Check | None = None) -> tuple[dict[str, Any] | None, str]:
    """Return the object in ``text`` that holds most, the last of equals; or ``None`` and why there is none.

    Only objects that ``check`` has nothing against count.
    """
    complaint = "There was no complete JSON object with content in the answer."
    best: dict[str, Any] | None = None
    for fields in objects_in(text):
        wrong = check(fields) if check else None
        if wrong:
            complaint = wrong
        elif best is None or _leaves(fields) >= _leaves(best):
            best = fields
    return best, complaint


def _leaves(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(_leaves(part) for part in value.values())
    if isinstance(value, list):
        return sum(_leaves(part) for part in value)
    return int(value not in (None, ""))


def _without_thoughts(text: str) -> str:
    text = _THOUGHT.sub("", text)
    return _THOUGHT_END.split(text)[-1]


def _parsed(span: str) -> list[dict[str, Any]] | None:
    try:
        return _objects(json.loads(span, strict=False))
    except (ValueError, RecursionError):
        return None


def _repaired(span: str) -> list[dict[str, Any]]:
    try:
        return _objects(repair(span, skip_json_loads=True))
    except (ValueError, RecursionError):
        return []


def _objects(value: Any) -> list[dict[str, Any]]:
    members = value if isinstance(value, list) else [value]
    return [member for member in members if isinstance(member, dict)]


def _spans(text: str) -> Iterator[str]:
    """Yield every balanced outermost ``{…}``, with full-width punctuation outside strings made plain."""
    start, depth, closing, escaped = 0, 0, "", False
    plain: list[str] = []
    spans = 0
    for character in text:
        if closing:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == closing:
                closing, character = "", '"'
            plain.append(character)
            continue
        character = character.translate(_WIDE)
        if depth and character in _CLOSING:
            closing, character = _CLOSING[character], '"'
        plain.append(character)
        if character == "{":
            start, depth = (len(plain) - 1, 1) if depth == 0 else (start, depth + 1)
            if depth > MAX_DEPTH:
                return
        elif character == "}" and depth:
            depth -= 1
            if depth == 0:
                spans += 1
                yield "".join(plain[start:])
    if not spans and depth:
        yield from _span_despite_quotes(text)


def _span_despite_quotes(text: str) -> Iterator[str]:
    """Yield first ``{`` to last ``}`` if braces pair up once quotes are ignored: a quote was not escaped."""
    span = text[text.find("{") : text.rfind("}") + 1]
    if span and span.count("{") == span.count("}"):
        yield span


def _without_schema(value: dict[str, Any]) -> dict[str, Any]:
    """Return what was filled into an echoed schema; nothing of one that only describes itself."""
    inner = value.get("properties")
    if not isinstance(inner, dict):
        return value
    rest = {key: part for key, part in value.items() if key not in _SCHEMA_WORDS}
    filled = {key: part for key, part in inner.items() if not _describes(part)}
    return rest | filled


_SCHEMA_WORDS = frozenset(
    {"properties", "type", "required", "title", "description", "additionalProperties", "$schema", "$defs", "name"}
)


def _describes(part: Any) -> bool:
    return isinstance(part, Mapping) and bool({"type", "enum", "anyOf", "$ref"} & part.keys())
