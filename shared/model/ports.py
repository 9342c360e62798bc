"""What the functions ask of a model, whoever plays it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypedDict

from shared.records import Tokens


class ChatMessage(TypedDict):
    """One message of a chat completion request."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Answer:
    """A finished chat answer. ``finish_reason`` is upper case as in the contract: ``STOP``, ``LENGTH`` and so on."""

    id: str
    text: str
    finish_reason: str
    model: str


@dataclass(frozen=True)
class Structured:
    """The JSON object a model answered with, as parsed and repaired, before anyone trusts it."""

    fields: Mapping[str, Any]
    model: str
    tokens: Tokens


Check = Callable[[Mapping[str, Any]], str | None]
"""Looks at a parsed object and returns, in a sentence for the model, why it is of no use; ``None`` when it is."""


class ChatModel(Protocol):
    """Writes the answer to a conversation."""

    def answer(self, messages: Sequence[ChatMessage], *, seconds: float) -> Answer:
        """Answer within ``seconds``.

        Raises
        ------
        ModelUnavailable
            The endpoint could not be reached, refused, answered with nothing, or ran out of time.
        """


class StructuredModel(Protocol):
    """Answers with a JSON object."""

    def ask(
        self,
        name: str,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        *,
        seconds: float,
        check: Check | None = None,
    ) -> Structured:
        """Ask for an object of ``schema``, named ``name`` (``role_extract`` or ``role_update``), within ``seconds``.

        An object that ``check`` finds of no use is asked for once more, with the reason.

        Raises
        ------
        ModelUnavailable
            The endpoint could not be reached, refused or ran out of time.
        ModelOutputUnusable
            No object could be made of the answers, also after telling the model what was wrong.
        """


class Embedder(Protocol):
    """Turns texts into vectors."""

    name: str

    def embed(self, texts: Sequence[str], *, seconds: float) -> list[list[float]]:
        """Embed ``texts`` in order.

        Raises
        ------
        ModelUnavailable
            The endpoint could not be reached, refused or ran out of time.
        """
