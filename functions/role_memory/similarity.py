"""How alike the picture a question draws and the role memory are (R14, step 4).

Every measure is calibrated so that 0.8 means the same role. Spelling alone measures nothing: only equal pictures are
decided without a model, and cost no call.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any, Protocol

from functions.role_memory.extraction.prompting import prompt_of
from functions.role_memory.extraction.text import compact
from shared.errors import ModelOutputUnusable, ModelUnavailable
from shared.model.ports import Embedder, StructuredModel
from shared.records import Tokens

VERDICTS = {"SAME": 0.95, "SIMILAR": 0.85, "DIFFERENT": 0.1}
"""What the model's words count for; the numbers are the code's."""


@dataclass(frozen=True)
class Similarity:
    """How alike two pictures are, in [0, 1] with 0.8 for the same role, by which measure, and what the call used."""

    value: float
    measure: str
    tokens: Tokens = field(default_factory=Tokens)


class Measure(Protocol):
    """Tells how alike two pictures of a user are."""

    def compare(self, new: Sequence[str], known: Sequence[str], *, seconds: float) -> Similarity:
        """Compare the identities of a question with those known, within ``seconds``.

        Raises
        ------
        ModelUnavailable
            The endpoint could not be reached, refused or ran out of time.
        ModelOutputUnusable
            The model answered without a verdict.
        """


def without_a_model(new: Sequence[str], known: Sequence[str]) -> Similarity | None:
    """Return the similarity that needs no model: of equal pictures, of one within the other, of an empty one."""
    ours, theirs = ({compact(term) for term in terms} for terms in (new, known))
    if not ours or not theirs:
        return Similarity(0.0, "equal")
    return Similarity(1.0, "equal") if ours <= theirs or theirs <= ours else None


class ModelMeasure:
    """The role model compares, in words; code turns its verdict into a number."""

    def __init__(self, model: StructuredModel) -> None:
        self._model = model

    def compare(self, new: Sequence[str], known: Sequence[str], *, seconds: float) -> Similarity:
        """See `Measure.compare`."""
        if decided := without_a_model(new, known):
            return decided
        lists = {"A": list(known), "B": list(new)}
        answer = self._model.ask(
            "role_update",
            [
                {"role": "system", "content": prompt_of("compare", "en")},
                {
                    "role": "user",
                    "content": "\n".join(f"{n}: {json.dumps(t, ensure_ascii=False)}" for n, t in lists.items()),
                },
            ],
            SCHEMA,
            seconds=seconds,
            check=lambda fields: "The verdict is missing." if _value(fields) is None else None,
        )
        value = _value(answer.fields)
        if value is None:
            raise ModelOutputUnusable("The model compared two roles without a verdict.")
        return Similarity(value, "model", answer.tokens)


_FIELD = {"type": "string", "maxLength": 30}
_COMPARED: dict[str, Any] = {
    "industryA": _FIELD,
    "industryB": _FIELD,
    "verdict": {"type": "string", "enum": list(VERDICTS)},
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": _COMPARED,
    "required": list(_COMPARED),
    "additionalProperties": False,
}


def _value(fields: Mapping[str, Any]) -> float | None:
    """Return the number of the verdict, or of a similarity given on whatever scale."""
    given = {compact(str(name)): value for name, value in fields.items()}
    values = (_number(given.get(name)) for name in ("verdict", "similarity", "similarityscore", "score"))
    return next((value for value in values if value is not None), None)


def _number(said: Any) -> float | None:
    if isinstance(said, str) and compact(said).upper() in VERDICTS:
        return VERDICTS[compact(said).upper()]
    try:
        number = float(str(said).strip().rstrip("%"))
    except ValueError:
        return None
    if not 0 <= number <= 100:
        return None
    return number if number <= 1 else number / 10 if number <= 10 else number / 100


_SAME = (
    ("nurse", "护士"),
    ("software developer", "programmer"),
    ("chef", "cook"),
    ("retired teacher", "former schoolteacher"),
    ("会计", "财务人员"),
    ("农民", "种植户"),
    ("lawyer", "律师"),
    ("photographer", "摄影师"),
)
_STRANGERS = (
    ("nurse", "software developer"),
    ("chef", "会计"),
    ("retired teacher", "photographer"),
    ("律师", "农民"),
    ("cook", "lawyer"),
    ("摄影师", "财务人员"),
    ("programmer", "护士"),
    ("former schoolteacher", "种植户"),
)
_ANCHORS = [term for pair in (*_SAME, *_STRANGERS) for term in pair]


class EmbeddingMeasure:
    """Cosine of embeddings, brought onto the scale on which 0.8 is the same role.

    Raw cosines of different models do not compare. The scale is found once an instance, from pairs that are one role
    and pairs of strangers: the middle between their medians becomes 0.8.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._scale: tuple[tuple[float, float], ...] = ()

    def compare(self, new: Sequence[str], known: Sequence[str], *, seconds: float) -> Similarity:
        """See `Measure.compare`."""
        if decided := without_a_model(new, known):
            return decided
        anchors = [] if self._scale else _ANCHORS
        vectors = self._embedder.embed([*anchors, *new, *known], seconds=seconds)
        if anchors:
            self._scale = _scale(vectors[: len(anchors)])
        terms = vectors[len(anchors) :]
        raw = _alike(terms[: len(new)], terms[len(new) :])
        return Similarity(round(_on_scale(raw, self._scale), 3), f"embedding:{self._embedder.name}")


def _alike(new: Sequence[Sequence[float]], known: Sequence[Sequence[float]]) -> float:
    """Return the cosine of the likeliest term with the best of the other picture, or the mean over all if higher."""
    best = [max(_cosine(one, other) for other in known) for one in new]
    return max(best[0], sum(best) / len(best))


def _scale(vectors: Sequence[Sequence[float]]) -> tuple[tuple[float, float], ...]:
    cosines = [_cosine(vectors[at], vectors[at + 1]) for at in range(0, len(vectors), 2)]
    same, strangers = median(cosines[: len(_SAME)]), median(cosines[len(_SAME) :])
    if strangers >= same:
        raise ModelUnavailable("The embedding model does not tell roles apart. Name another in EMBEDDING_MODEL.")
    return ((-1.0, 0.0), (strangers, 0.3), ((strangers + same) / 2, 0.8), (1.0, 1.0))


def _on_scale(raw: float, scale: Sequence[tuple[float, float]]) -> float:
    for (left, low), (right, high) in pairwise(scale):
        if raw <= right:
            return low + (high - low) * max(0.0, raw - left) / (right - left)
    return 1.0


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


class FirstThatWorks:
    """A measure that is taken over by another when its endpoint cannot be asked."""

    def __init__(self, first: Measure, second: Measure) -> None:
        self._first = first
        self._second = second

    def compare(self, new: Sequence[str], known: Sequence[str], *, seconds: float) -> Similarity:
        """See `Measure.compare`; each measure has half of ``seconds``."""
        try:
            return self._first.compare(new, known, seconds=seconds / 2)
        except ModelUnavailable:
            return self._second.compare(new, known, seconds=seconds / 2)
