"""A model that does what an attacker dictates, behind the real extraction and rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from functions.role_memory.reading import ModelReader
from functions.role_memory.similarity import ModelMeasure
from shared.errors import ModelOutputUnusable
from shared.model.ports import ChatMessage, Check, Structured
from shared.records import Tokens
from tests.support.system import System


@dataclass
class ObeyingModel:
    """Answers every request with ``dictated``; finds every two roles to be the same."""

    dictated: Mapping[str, Any] = field(default_factory=dict)
    asked: list[Sequence[ChatMessage]] = field(default_factory=list)

    def ask(
        self,
        name: str,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        *,
        seconds: float,
        check: Check | None = None,
    ) -> Structured:
        self.asked.append(messages)
        fields = {"verdict": "SAME"} if name == "role_update" else self.dictated
        if check and (complaint := check(fields)):
            raise ModelOutputUnusable(complaint)
        return Structured(fields, "obeying", Tokens(input=1, output=1))


def obeying(system: System) -> ObeyingModel:
    """Let a model that obeys read the questions of ``system`` from now on."""
    model = ObeyingModel()
    system.reader = ModelReader(model, ModelMeasure(model), 10)  # type: ignore[assignment]
    return model
