"""Models that play the ports of ``shared.model.ports``: scripted, recording, failing."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from functions.role_memory.extract import Extract
from functions.role_memory.rules.picture import Comparison, Similarities
from shared.errors import ModelUnavailable
from shared.model.ports import Answer, ChatMessage
from shared.records import Evidence, UserMessage


@dataclass
class EchoChat:
    """Answers with what it was asked; keeps the requests; fails while ``failing`` is set."""

    requests: list[list[ChatMessage]] = field(default_factory=list)
    failing: bool = False
    meanwhile: Callable[[], object] = lambda: None
    """What happens while the model thinks."""

    def answer(self, messages: Sequence[ChatMessage], *, seconds: float) -> Answer:
        assert seconds > 0
        self.requests.append(list(messages))
        self.meanwhile()
        if self.failing:
            raise ModelUnavailable("The model endpoint failed. Retry with the same message_id.")
        return Answer(
            id=f"answer-{len(self.requests)}",
            text=f"Answer to: {messages[-1]['content']}",
            finish_reason="STOP",
            model="echo",
        )


@dataclass
class ScriptedReader:
    """Reads a question as ``script`` says (by default: its first word is an identity); keeps what it was handed."""

    script: Callable[[str], Extract] | None = None
    seen: list[tuple[str, list[str]]] = field(default_factory=list)
    failing: Exception | None = None
    meanwhile: Callable[[], object] = lambda: None
    """What happens while the model reads."""

    def extract(
        self, question: UserMessage, history: Sequence[UserMessage], covered: Collection[int], *, seconds: float
    ) -> Extract:
        assert seconds > 0
        self.seen.append((question.text, [message.text for message in history]))
        self.meanwhile()
        if self.failing:
            raise self.failing
        if self.script:
            return self.script(question.text)
        quote = question.text.split()[0]
        evidence = (Evidence(turn=question.metadata.turn, quote=quote),)
        return Extract(identities=(quote,), evidence=evidence, overview=f"a {quote}", language="en")

    def compare(self, comparison: Comparison, *, seconds: float) -> Similarities:
        return Similarities("scripted", dict.fromkeys(comparison.others, 0.1))
