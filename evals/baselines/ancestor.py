"""The algorithm role memory started from: the model is trusted with everything.

One extraction call with a free schema and the model's own confidence. Only a confidence above the stored one passes (so
that it can only rise). Then a merge call whose prompt holds the threshold and both roles, and which answers with no
change or with the merged role. No evidence is checked, and no picture that did not pass is kept.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.dialogues import Dialogue
from evals.playing import Played, PlayedDialogue, measured
from evals.recording import Tape
from evals.scoring import Stored
from functions.role_memory.extraction.reading import reading_of
from functions.role_memory.extraction.text import compact
from shared.errors import MemoryFault
from shared.model.ports import ChatMessage, StructuredModel
from shared.records import ConfidenceLevel, Operation, Preferences

HISTORY = 10
CALL_SECONDS = 300.0
PROMPTS = Path(__file__).parent
_FREE: dict[str, Any] = {"type": "object"}
_LEVELS = {compact(level): level for level in ConfidenceLevel}


@dataclass
class Ancestor:
    """The role of one user as the model last wrote it."""

    model: StructuredModel
    questions: list[str] = field(default_factory=list)
    role: Mapping[str, Any] | None = None

    def ask(self, question: str) -> Stored:
        """Read one question and return what is stored then.

        Raises
        ------
        ModelUnavailable, ModelOutputUnusable
            The model did not answer; the role stays.
        """
        earlier, self.questions = self.questions[-HISTORY:], [*self.questions, question]
        listed = "\n".join(f"- {text}" for text in earlier) or "(none)"
        new = self._answer(
            "role_extract", "extract.md", f"Earlier questions:\n{listed}\n\nCurrent question:\n{question}"
        )
        if self.role is None:
            self.role = new
            return _stored(new, Operation.CREATE)
        if _confidence(new) <= _confidence(self.role):
            return _stored(self.role, Operation.NONE_CHANGE)
        both = "\n".join(f"{name} role:\n{_json(role)}" for name, role in (("Old", self.role), ("New", new)))
        merged = self._answer("role_update", "merge.md", both)
        if str(merged.get("result", "")).upper() == Operation.NONE_CHANGE or not _identities(merged):
            return _stored(self.role, Operation.NONE_CHANGE)
        self.role = merged
        return _stored(merged, Operation.UPDATE)

    def _answer(self, name: str, prompt: str, data: str) -> Mapping[str, Any]:
        system = (PROMPTS / f"ancestor.{prompt}").read_text(encoding="utf-8").strip()
        messages: Sequence[ChatMessage] = [
            {"role": "system", "content": system},
            {"role": "user", "content": data},
        ]
        return self.model.ask(name, messages, _FREE, seconds=CALL_SECONDS).fields


def play_ancestor(dialogue: Dialogue, model: StructuredModel, tape: Tape) -> PlayedDialogue:
    """Play ``dialogue``; a question that failed is SKIPPED."""
    ancestor = Ancestor(model)
    played: list[Played] = []
    for tape.turn, turn in enumerate(dialogue.turns, start=1):
        started, fault = time.monotonic(), None
        try:
            stored = ancestor.ask(turn.question)
        except MemoryFault as failed:
            stored, fault = Stored(operation=Operation.SKIPPED), f"{type(failed).__name__}: {failed}"
        left = {"stored": stored, "snapshot": stored.to_json(), "fault": fault}
        played.append(measured(tape, seconds=time.monotonic() - started, **left))
    return PlayedDialogue(dialogue=dialogue.id, turns=tuple(played))


def _stored(role: Mapping[str, Any], operation: Operation) -> Stored:
    read = reading_of(role)
    hints = read.preferences
    level = _found(role, "confidencelevel")
    preferences = Preferences(**{name: value for name, value in hints if value is not None})
    return Stored(
        operation=operation,
        identities=read.identities,
        texts=(*read.characteristics, *(quote for _, quote in read.quotes)),
        overview=read.overview,
        preferences=preferences.to_json(),
        confidence=_LEVELS.get(compact(str(level)), ConfidenceLevel.MEDIUM),
    )


def _identities(role: Mapping[str, Any]) -> tuple[str, ...]:
    return reading_of(role).identities


def _confidence(role: Mapping[str, Any]) -> float:
    try:
        return float(str(_found(role, "confidencescore")))
    except ValueError:
        return 0.0


def _found(value: Any, name: str) -> Any:
    """Return the first value under a key of that name, at any depth."""
    if not isinstance(value, Mapping):
        return None
    own = (inner for key, inner in value.items() if compact(str(key)) == name)
    nested = (found for inner in value.values() if (found := _found(inner, name)) is not None)
    return next(own, next(nested, None))


def _json(role: Mapping[str, Any]) -> str:
    return json.dumps(role, ensure_ascii=False)
