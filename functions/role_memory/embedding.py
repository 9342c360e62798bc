"""Similarity by embeddings, on the scale on which 0.8 is the same role (R14, step 4)."""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from functions.role_memory.similarity import Measured, Terms, measured
from shared.errors import ModelUnavailable
from shared.model.ports import Embedder
from shared.records import Tokens

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

    def compare(self, new: Terms, known: Sequence[Terms], *, seconds: float) -> Measured:
        """See `functions.role_memory.similarity.Measure.compare`."""
        return measured(
            new,
            known,
            f"embedding:{self._embedder.name}",
            lambda unclear: (self._asked(new, unclear, seconds), Tokens()),
        )

    def _asked(self, new: Terms, known: Sequence[Terms], seconds: float) -> list[float]:
        anchors = [] if self._scale else _ANCHORS
        texts = list(dict.fromkeys([*anchors, *new, *(term for terms in known for term in terms)]))
        vectors = dict(zip(texts, self._embedder.embed(texts, seconds=seconds), strict=True))
        if anchors:
            self._scale = _scale([vectors[term] for term in anchors])
        ours = [vectors[term] for term in new]
        return [round(_on_scale(_alike(ours, [vectors[term] for term in terms]), self._scale), 3) for terms in known]


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
