"""What a model answered, kept a call a line, so that rules can be played again in seconds without it.

A call is found again by exactly what was asked. Where prompts or code have changed what is asked, the call of the same
name and place in the same turn of the same dialogue stands in for it, and is counted as such.
"""

import base64
import json
import struct
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from shared.errors import ModelOutputUnusable, ModelUnavailable
from shared.model.endpoint import Endpoint, Resource
from shared.model.ports import ChatMessage, Check, Embedder, Structured, StructuredModel
from shared.records import Record, Tokens

EXTRACT, EMBED = "role_extract", "embed"
_FAULTS = {kind.__name__: kind for kind in (ModelUnavailable, ModelOutputUnusable)}
_T = TypeVar("_T")


class Call(Record):
    """One call of a model: where it stood, what it cost, and its reply or fault. ``requests`` counts HTTP requests."""

    dialogue: str
    turn: int
    name: str
    request: str
    seconds: float = 0.0
    requests: int = 0
    model: str = ""
    tokens: Tokens = Tokens()
    fields: dict[str, Any] | None = None
    vectors: dict[str, str] | None = None
    fault: str | None = None
    replayed: str | None = None


@dataclass
class Tape:
    """The calls of one dialogue in order; ``turn`` is the question being read."""

    dialogue: str
    turn: int = 0
    calls: list[Call] = field(default_factory=list)

    def of_turn(self) -> list[Call]:
        """Return the calls of the question being read."""
        return [call for call in self.calls if call.turn == self.turn]


@dataclass(frozen=True)
class MeteredEndpoint(Endpoint):
    """An endpoint that counts the requests it sends."""

    sent: list[Resource] = field(default_factory=list, compare=False)

    def post(self, resource: Resource, body: Mapping[str, Any], *, seconds: float) -> dict[str, Any]:
        """See `Endpoint.post`."""
        self.sent.append(resource)
        return super().post(resource, body, seconds=seconds)


@dataclass
class Recorder:
    """A model, and an embedder where there is one, whose calls go on the tape."""

    tape: Tape
    sent: Sequence[Resource]
    model: StructuredModel
    embedder: Embedder | None = None
    asked: str = ""
    """The name the model is asked for by. What a server calls it may be a path of the server's machine."""
    name: str = field(init=False)
    """That of the embedding model, empty without one."""

    def __post_init__(self) -> None:
        self.name = self.embedder.name if self.embedder else ""

    def ask(
        self,
        name: str,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        *,
        seconds: float,
        check: Check | None = None,
    ) -> Structured:
        """See `StructuredModel.ask`."""

        def put_down(reply: Structured) -> dict[str, Any]:
            return {"fields": dict(reply.fields), "model": self.asked or reply.model, "tokens": reply.tokens}

        request = digest([name, messages, schema])
        return self._kept(
            name, request, lambda: self.model.ask(name, messages, schema, seconds=seconds, check=check), put_down
        )

    def embed(self, texts: Sequence[str], *, seconds: float) -> list[list[float]]:
        """See `Embedder.embed`."""
        embedder = self.embedder
        if embedder is None:
            raise ModelUnavailable("There is no embeddings endpoint: set EMBEDDING_MODEL.")

        def put_down(vectors: list[list[float]]) -> dict[str, Any]:
            kept = {text for call in self.tape.calls for text in call.vectors or ()}
            new = {text: packed(vector) for text, vector in zip(texts, vectors, strict=True) if text not in kept}
            return {"vectors": new, "model": embedder.name}

        return self._kept(EMBED, digest(list(texts)), lambda: embedder.embed(texts, seconds=seconds), put_down)

    def _kept(self, name: str, request: str, ask: Callable[[], _T], put_down: Callable[[_T], dict[str, Any]]) -> _T:
        started, sent = time.monotonic(), len(self.sent)
        reply: dict[str, Any] = {}
        try:
            answer = ask()
            reply = put_down(answer)
            return answer
        except (ModelUnavailable, ModelOutputUnusable) as failed:
            kind = ModelOutputUnusable if isinstance(failed, ModelOutputUnusable) else ModelUnavailable
            reply = {"fault": f"{kind.__name__}: {failed}"}
            raise
        finally:
            self.tape.calls.append(
                Call(
                    dialogue=self.tape.dialogue,
                    turn=self.tape.turn,
                    name=name,
                    request=request,
                    seconds=round(time.monotonic() - started, 2),
                    requests=len(self.sent) - sent,
                    **reply,
                )
            )


class Recording:
    """The calls of an earlier run."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self._exact: dict[tuple[str, str], Call] = {}
        self._placed: dict[tuple[str, int, str], list[Call]] = {}
        self.vectors: dict[str, str] = {}
        self.embedding_model = ""
        for call in calls:
            if call.vectors is not None:
                self.vectors |= call.vectors
                self.embedding_model = call.model
            elif call.fields is not None or (call.name, call.request) not in self._exact:
                self._exact[call.name, call.request] = call
                self._placed.setdefault((call.dialogue, call.turn, call.name), []).append(call)

    def find(self, tape: Tape, name: str, request: str) -> tuple[Call | None, str]:
        """Return the call to answer with, and how it was found: ``exact``, ``placed`` or ``missing``."""
        if exact := self._exact.get((name, request)):
            return exact, "exact"
        before = sum(call.name == name for call in tape.of_turn())
        placed = self._placed.get((tape.dialogue, tape.turn, name), [])
        return (placed[min(before, len(placed) - 1)], "placed") if placed else (None, "missing")


class Replayer:
    """Plays a model and an embedder from a recording.

    What it does not hold exactly is asked of ``live`` where there is one. Else what stands in for it is taken; without
    that an extraction is unavailable, and two roles that were never compared count as different, which shows on the
    tape as missing.
    """

    def __init__(self, recording: Recording, tape: Tape, live: Recorder | None = None) -> None:
        self._recording = recording
        self._tape = tape
        self._live = live
        self.name = recording.embedding_model

    def ask(
        self,
        name: str,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        *,
        seconds: float,
        check: Check | None = None,
    ) -> Structured:
        """See `StructuredModel.ask`."""
        request = digest([name, messages, schema])
        call, how = self._recording.find(self._tape, name, request)
        if how != "exact" and self._live is not None:
            return self._live.ask(name, messages, schema, seconds=seconds, check=check)
        if call is None:
            fields = {"verdict": "DIFFERENT"} if name == "role_update" else None
            fault = "ModelUnavailable: The recording has no such answer."
            call = Call(dialogue=self._tape.dialogue, turn=self._tape.turn, name=name, request=request, fields=fields)
            call = call.model_copy(update={"fault": None if fields else fault})
        place = {"dialogue": self._tape.dialogue, "turn": self._tape.turn, "request": request, "replayed": how}
        self._tape.calls.append(call.model_copy(update=place))
        if call.fault or call.fields is None:
            kind, _, message = (call.fault or "").partition(": ")
            raise _FAULTS[kind](message)
        return Structured(call.fields, call.model, call.tokens)

    def embed(self, texts: Sequence[str], *, seconds: float) -> list[list[float]]:
        """See `Embedder.embed`."""
        if all(text in self._recording.vectors for text in texts):
            return [unpacked(self._recording.vectors[text]) for text in texts]
        if self._live is not None:
            return self._live.embed(texts, seconds=seconds)
        raise ModelUnavailable("The recording has no vector of such a text.")


def digest(value: Any) -> str:
    """Return a short name for exactly this JSON value."""
    return sha256(json.dumps(value, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]


def packed(vector: Sequence[float]) -> str:
    """Return the vector as text: half precision keeps a cosine to three digits and a recording small."""
    return base64.b64encode(struct.pack(f"<{len(vector)}e", *vector)).decode()


def unpacked(text: str) -> list[float]:
    """Return the vector that was packed."""
    data = base64.b64decode(text)
    return list(struct.unpack(f"<{len(data) // 2}e", data))


def read_calls(path: Path) -> list[Call]:
    """Return the calls of a recording."""
    return [Call.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def line_of(record: Record) -> str:
    """Return a record as one line, what is not set left out."""
    return record.model_dump_json(exclude_defaults=True) + "\n"
