"""What the model is asked: prompt files, the schema, and the user's questions as data.

User text is JSON-encoded, a line a question, so that nothing in it can pass for the frame around it, and it is only
ever appended: no template is expanded over it (R21).
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from functions.role_memory.extraction.reading import WISHES
from functions.role_memory.extraction.text import sentences
from shared.model.ports import ChatMessage

PROMPTS = Path(__file__).parent.parent / "prompts"
MAX_QUESTION = 1500
"""Characters of the current question the model sees."""
MAX_HISTORY_QUESTION = 240
"""Characters of an earlier question the model sees: the prompt stays flat however long the session grows."""

MAX_LINES = 9
"""Numbered lines of the current question: small models quote badly, but can name the line that shows most."""


def _text(limit: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": limit}


def _texts(count: int, limit: int) -> dict[str, Any]:
    return {"type": "array", "items": _text(limit), "maxItems": count}


def _one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


_FIELDS: dict[str, Any] = {
    "evidence": {"type": "array", "items": {"type": "integer", "enum": list(range(1, MAX_LINES + 1))}, "maxItems": 2},
    "workplace": _text(40),
    "possibleIdentities": _texts(3, 40),
    "primaryCharacteristics": _texts(2, 50),
    "answerWish": _one_of(*WISHES),
    "userOverview": _text(80),
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": _FIELDS,
    "required": list(_FIELDS),
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Frame:
    """The words around the data, in one language."""

    earlier: str
    current: str


_FRAMES = {
    "en": Frame("Earlier questions, oldest first:", "CURRENT question:"),
    "zh": Frame("之前的问题（从早到晚）：", "当前问题："),
    "es": Frame("Preguntas anteriores, la más antigua primero:", "Pregunta ACTUAL:"),
    "fr": Frame("Questions précédentes, la plus ancienne d'abord :", "Question ACTUELLE :"),
}
_LANGUAGE_NAMES = {
    "ar": "Arabic",
    "de": "German",
    "el": "Greek",
    "es": "Spanish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pt": "Portuguese",
    "ru": "Russian",
    "th": "Thai",
}


@cache
def prompt_of(name: str, language: str) -> str:
    """Return the prompt ``name`` for questions in ``language``: its own file, else the English one with a request."""
    own = PROMPTS / f"{name}.{language}.md"
    if own.exists():
        return own.read_text(encoding="utf-8").strip()
    english = (PROMPTS / f"{name}.en.md").read_text(encoding="utf-8").strip()
    known = _LANGUAGE_NAMES.get(language)
    return f"{english}\nWrite every text in {known}." if known else english


@cache
def prompt_version(name: str, language: str) -> str:
    """Return a name for exactly what is asked: prompt and schema, by content."""
    content = prompt_of(name, language) + json.dumps(SCHEMA)
    return f"{name}.{language}@{sha256(content.encode()).hexdigest()[:12]}"


def messages_for(language: str, question: str, history: Iterable[tuple[int, str]]) -> list[ChatMessage]:
    """Return the request: the prompt, then the questions as data, oldest first, the current one last."""
    frame = _FRAMES.get(language, _FRAMES["en"])
    earlier = [f"- {_quoted(text, MAX_HISTORY_QUESTION)}" for _, text in sorted(history)]
    lines = [frame.earlier, *earlier, ""] if earlier else []
    lines += [frame.current, *(f"{n}. {_quoted(line, MAX_QUESTION)}" for n, line in enumerate(lines_of(question), 1))]
    return [
        {"role": "system", "content": prompt_of("extract", language)},
        {"role": "user", "content": "\n".join(lines)},
    ]


def lines_of(question: str) -> list[str]:
    """Return the numbered lines the model sees: its sentences, what is beyond the last number in one."""
    lines = sentences(question[:MAX_QUESTION])
    return [*lines[: MAX_LINES - 1], " ".join(lines[MAX_LINES - 1 :])] if len(lines) > MAX_LINES else lines


def _quoted(text: str, limit: int) -> str:
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return json.dumps(cut, ensure_ascii=False)
