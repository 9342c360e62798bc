"""A JSON object from any OpenAI-compatible endpoint, whatever ``response_format`` it takes (docs/rules.md, Models)."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from shared.errors import ModelOutputUnusable, ModelUnavailable
from shared.model.endpoint import Endpoint, Refused
from shared.model.openai import Completion, complete
from shared.model.parsing import fullest
from shared.model.ports import ChatMessage, Check, Structured
from shared.records import Tokens

ATTEMPTS = 2
STEPS_DOWN = frozenset({400, 404, 415, 422, 500, 501})
"""What endpoints answer to a ``response_format`` they do not know."""
PASSING = frozenset({500, 501})
"""Those that may have another cause: they are believed for later calls when they stand twice in a row."""


class Format(IntEnum):
    """How the shape of the answer is asked for, best first."""

    SCHEMA = 0
    OBJECT = 1
    TEXT = 2


OUTPUT_TOKENS = {Format.SCHEMA: 600, Format.OBJECT: 1000, Format.TEXT: 2000}
"""Several times what the objects need; without a schema there may be prose or reasoning around them."""
REASONING_TOKENS = 4000
"""For models that count their reasoning too; they are known by refusing ``max_tokens``."""


@dataclass(frozen=True)
class Dialect:
    """What one endpoint and model take; the default is tried first."""

    format: Format = Format.SCHEMA
    reasons: bool = False
    temperature: bool = True


BEST = Dialect()


class OpenAIStructured:
    """The model that fills in JSON objects; it remembers the dialect that worked."""

    def __init__(self, endpoint: Endpoint, model: str, dialect: Dialect = BEST) -> None:
        self._endpoint = endpoint
        self._model = model
        self._dialect = dialect
        self._doubted = False
        """Whether the last call stepped down after an error that may pass."""

    def ask(
        self,
        name: str,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        *,
        seconds: float,
        check: Check | None = None,
    ) -> Structured:
        """Ask for an object of ``schema`` within ``seconds``; see `shared.model.ports.StructuredModel`."""
        deadline = time.monotonic() + seconds
        asked, used = list(messages), Tokens()
        for _ in range(ATTEMPTS):
            reply = self._complete(name, asked, schema, deadline)
            used += reply.tokens
            fields, complaint = _judge(reply, check)
            if fields is not None:
                return Structured(fields, reply.model or self._model, used)
            asked = [*messages, *_reminder(reply, complaint, schema)]
        raise ModelOutputUnusable(f"The model did not answer {name} in a usable form: {complaint}")

    def _complete(
        self, name: str, messages: Sequence[ChatMessage], schema: Mapping[str, Any], deadline: float
    ) -> Completion:
        dialect = sure = self._dialect
        doubted = False
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise ModelUnavailable("The model endpoint ran out of time. Retry.")
            try:
                reply = self._speak(dialect, name, messages, schema, left)
            except Refused as refusal:
                simpler = _simpler(dialect, refusal)
                if simpler is None:
                    raise
                dialect = simpler
                doubted = doubted or refusal.status_code in PASSING
                sure = sure if doubted else dialect
            else:
                self._dialect = dialect if self._doubted else sure
                self._doubted = doubted and not self._doubted
                return reply

    def _speak(
        self, dialect: Dialect, name: str, messages: Sequence[ChatMessage], schema: Mapping[str, Any], seconds: float
    ) -> Completion:
        options: dict[str, Any] = {"max_tokens": OUTPUT_TOKENS[dialect.format]}
        if dialect.reasons:
            options = {"max_completion_tokens": REASONING_TOKENS}
        if dialect.temperature:
            options["temperature"] = 0
        if dialect.format is Format.SCHEMA:
            wanted = {"name": name, "schema": schema, "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": wanted}
        else:
            messages = [*messages[:-1], _with_schema(messages[-1], schema)]
        if dialect.format is Format.OBJECT:
            options["response_format"] = {"type": "json_object"}
        return complete(self._endpoint, self._model, messages, seconds=seconds, **options)


def _simpler(dialect: Dialect, refusal: Refused) -> Dialect | None:
    """Return the next dialect to try after a refusal; ``None`` when the refusal is about something else."""
    if refusal.parameter == "max_tokens" and not dialect.reasons:
        return replace(dialect, reasons=True)
    if refusal.parameter == "temperature" and dialect.temperature:
        return replace(dialect, temperature=False)
    if refusal.status_code in STEPS_DOWN and dialect.format is not Format.TEXT:
        return replace(dialect, format=Format(dialect.format + 1))
    return None


def _with_schema(message: ChatMessage, schema: Mapping[str, Any]) -> ChatMessage:
    return {"role": message["role"], "content": f"{message['content']}\n\n{_schema_request(schema)}"}


def _schema_request(schema: Mapping[str, Any]) -> str:
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"Answer with one JSON object that fits this JSON Schema, and nothing else:\n{text}"


def _judge(reply: Completion, check: Check | None) -> tuple[Mapping[str, Any] | None, str]:
    """Return the object to use, or ``None`` and what was wrong."""
    if reply.finish_reason == "LENGTH":
        return None, "The answer was cut off because it was too long. Answer shorter."
    if reply.finish_reason == "CONTENT_FILTER":
        return None, "The answer was withheld."
    return fullest(reply.text, check)


def _reminder(reply: Completion, complaint: str, schema: Mapping[str, Any]) -> list[ChatMessage]:
    return [
        {"role": "assistant", "content": reply.text[:2000] or "…"},
        {"role": "user", "content": f"That cannot be used. {complaint}\n{_schema_request(schema)}"},
    ]
