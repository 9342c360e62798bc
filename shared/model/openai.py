"""Chat answers and embeddings from any OpenAI-compatible endpoint."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from shared.errors import ModelUnavailable
from shared.model.endpoint import Endpoint
from shared.model.ports import Answer, ChatMessage
from shared.records import Tokens


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True)


_T = TypeVar("_T", bound=BaseModel)


class _Message(_Lenient):
    content: str | list[dict[str, Any]] | None = None


class _Choice(_Lenient):
    message: _Message = _Message()
    finish_reason: str | None = None


class _Usage(_Lenient):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(_Lenient):
    """A reply of ``/chat/completions``, as far as it is read."""

    id: str | None = None
    model: str | None = None
    choices: list[_Choice] = []
    usage: _Usage | None = None

    @property
    def text(self) -> str:
        """The text of the first choice; empty when there is none."""
        content = self.choices[0].message.content if self.choices else None
        if isinstance(content, list):
            return "".join(str(part.get("text") or "") for part in content)
        return content or ""

    @property
    def finish_reason(self) -> str:
        """Why the model stopped, upper case; ``STOP`` when the endpoint does not say."""
        return ((self.choices[0].finish_reason if self.choices else None) or "stop").upper()

    @property
    def tokens(self) -> Tokens:
        """What the call used; zero when the endpoint does not say."""
        usage = self.usage or _Usage()
        return Tokens(input=usage.prompt_tokens, output=usage.completion_tokens)


def complete(
    endpoint: Endpoint, model: str, messages: Sequence[ChatMessage], *, seconds: float, **options: Any
) -> Completion:
    """Ask ``model`` for one completion within ``seconds``.

    Raises
    ------
    ModelUnavailable
        No model is named, the endpoint could not be reached, refused, ran out of time, or answered in another format.
    """
    if not model:
        raise ModelUnavailable("No model is configured: set CHAT_MODEL and ROLE_MODEL.")
    body = {"model": model, "messages": list(messages), **options}
    return _validated(Completion, endpoint.post("chat.completions", body, seconds=seconds))


def _validated(kind: type[_T], reply: Mapping[str, Any]) -> _T:
    try:
        return kind.model_validate(reply)
    except ValidationError:
        raise ModelUnavailable("The model endpoint did not answer in the OpenAI format. Check its address.") from None


class OpenAIChat:
    """The model that writes the answers."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint = endpoint
        self._model = model

    def answer(self, messages: Sequence[ChatMessage], *, seconds: float) -> Answer:
        """Answer within ``seconds``; see `shared.model.ports.ChatModel`."""
        reply = complete(self._endpoint, self._model, messages, seconds=seconds)
        if not reply.text.strip():
            if reply.finish_reason == "CONTENT_FILTER":
                raise ModelUnavailable("The model endpoint withheld its answer (content filter). Ask differently.")
            raise ModelUnavailable("The model answered with nothing. Retry.")
        return Answer(reply.id or "", reply.text, reply.finish_reason, reply.model or self._model)


class _Vector(_Lenient):
    index: int
    embedding: list[float]


class _Vectors(_Lenient):
    data: list[_Vector]


class OpenAIEmbedder:
    """The model that turns texts into vectors."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint = endpoint
        self.name = model

    def embed(self, texts: Sequence[str], *, seconds: float) -> list[list[float]]:
        """Embed ``texts`` in order; see `shared.model.ports.Embedder`."""
        body = {"model": self.name, "input": list(texts), "encoding_format": "float"}
        reply = _validated(_Vectors, self._endpoint.post("embeddings", body, seconds=seconds))
        vectors = [vector.embedding for vector in sorted(reply.data, key=lambda vector: vector.index)]
        if len(vectors) != len(texts) or not all(vectors):
            raise ModelUnavailable("The embeddings endpoint answered with fewer vectors than texts.")
        return vectors
