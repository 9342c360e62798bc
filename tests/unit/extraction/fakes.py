"""A model that answers by script and remembers what it was asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.errors import ModelOutputUnusable
from shared.model.ports import ChatMessage, Check, Structured
from shared.records import Tokens


@dataclass
class Scripted:
    """Answers each question with the next of ``answers``, the last one again and again."""

    answers: Sequence[Mapping[str, Any]]
    asked: list[Sequence[ChatMessage]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def ask(
        self,
        name: str,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        *,
        seconds: float,
        check: Check | None = None,
    ) -> Structured:
        fields = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append(messages)
        self.names.append(name)
        complaint = check(fields) if check else None
        if complaint:
            raise ModelOutputUnusable(complaint)
        return Structured(fields, "scripted", Tokens(input=10, output=5))
