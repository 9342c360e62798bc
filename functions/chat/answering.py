"""Asking the model with what is remembered."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from functions.chat.prompt import messages_for_model
from functions.chat.settings import ChatSettings
from shared.clock import Clock
from shared.domain.guidance import guidance_block, guidance_use
from shared.model import ports
from shared.observability import duration
from shared.records import AnswerMetadata, AssistantMessage, GuidanceUse, Message, Snapshot
from shared.settings import GuideScope

_MAX_ANSWER_BYTES = 350_000
"""An item holds 400 KB."""
_MAX_NAME_BYTES = 200
"""What an endpoint may call its answer, its model and its reason to stop."""


@dataclass(frozen=True)
class Answerer:
    """Decides what guides an answer and has the model write it."""

    model: ports.ChatModel
    settings: ChatSettings
    clock: Clock

    def guidance(self, requested: GuideScope | None, *, already_guided: bool, snapshot: Snapshot | None) -> GuidanceUse:
        """Return what guides the next answer (R19)."""
        allowed = self.settings.role_guide_scope
        return guidance_use(allowed, requested, already_guided=already_guided, snapshot=snapshot)

    def write(
        self,
        question: str,
        *,
        turn: int | None,
        window: Sequence[Message],
        guidance: GuidanceUse,
        snapshot: Snapshot | None,
        seconds: float,
    ) -> AssistantMessage:
        """Have the model answer within ``seconds``.

        Raises
        ------
        ModelUnavailable
            The model failed.
        """
        block = guidance_block(snapshot) if guidance.applied and snapshot is not None else ""
        messages = messages_for_model(self.settings.chat_system_prompt, block, window, question)
        started = time.monotonic()
        answer = self.model.answer(messages, seconds=min(self.settings.chat_timeout_seconds, seconds))
        duration("AnswerModelTime", time.monotonic() - started)
        text, cut = _storable(answer.text, _MAX_ANSWER_BYTES)
        return AssistantMessage(
            text=text,
            metadata=AnswerMetadata(
                id=_storable(answer.id, _MAX_NAME_BYTES)[0],
                finish_reason="LENGTH" if cut else _storable(answer.finish_reason, _MAX_NAME_BYTES)[0],
                model=_storable(answer.model, _MAX_NAME_BYTES)[0],
                turn=turn,
                created_at=self.clock(),
            ),
        )


def _storable(text: str, max_bytes: int) -> tuple[str, bool]:
    """Return the text as UTF-8 can hold it, at most ``max_bytes`` of it, and whether it was cut."""
    encoded = text.encode("utf-8", "replace")
    return encoded[:max_bytes].decode("utf-8", "ignore"), len(encoded) > max_bytes
