"""Similarity by embeddings, on the scale on which 0.8 is the same role (R14, step 4)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import Self

from functions.role_memory.extraction.text import han_count
from functions.role_memory.rules.picture import Picture
from functions.role_memory.similarity import Measured, measured
from shared.errors import ModelUnavailable
from shared.model.ports import Embedder
from shared.records import Tokens

ANCHORS = (
    ("nurse", "hospital nurse", "护士", "医院护士"),
    ("software developer", "programmer", "软件工程师", "程序员"),
    ("cook", "chef", "厨师", "大厨"),
    ("lawyer", "attorney", "律师", "法律顾问"),
    ("photographer", "portrait photographer", "摄影师", "人像摄影师"),
    ("accountant", "financial accountant", "会计", "财务人员"),
    ("farmer", "crop grower", "农民", "种植户"),
    ("pensioner", "retired person", "退休人员", "退休老人"),
    ("journalist", "news reporter", "记者", "新闻工作者"),
    ("electrician", "electrical fitter", "电工", "电气技工"),
    ("pharmacist", "dispensing chemist", "药剂师", "药师"),
    ("architect", "building designer", "建筑师", "建筑设计师"),
)
"""Roles to calibrate with, each in two wordings and two languages."""
_SAME_AT = ((0, 1), (2, 3), (0, 2))
_STRANGERS_AT = ((0, 0), (2, 2), (0, 2))
_STRIDES = (1, 5)
_LEAST_GAP = 0.2
"""Between the medians of one role and of strangers; a model that tells roles apart has three times as much."""
_SENTENCE = "This user is: "
"""Opens each text: alone, a job title lies near its spelling, not near its meaning."""

Vector = Sequence[float]


class EmbeddingMeasure:
    """Cosine of embeddings, brought onto the scale on which 0.8 is the same role.

    What all roles of one script have in common is taken off first, so that roles in two languages compare as well as in
    one. Raw cosines of different models do not compare: the scale is found once an instance, from the anchors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._scale: Scale | None = None

    def compare(self, new: Picture, known: Sequence[Picture], *, seconds: float) -> Measured:
        """See `functions.role_memory.similarity.Measure.compare`."""
        name = f"embedding:{self._embedder.name}"
        return measured(new, known, name, lambda unclear: (self._asked(new, unclear, seconds), Tokens()))

    def _asked(self, new: Picture, known: Sequence[Picture], seconds: float) -> list[float]:
        anchors = [] if self._scale else [term for role in ANCHORS for term in role]
        terms = list(dict.fromkeys([*anchors, *new.identities, *(term for each in known for term in each.identities)]))
        embedded = self._embedder.embed([_SENTENCE + term for term in terms], seconds=seconds)
        vectors = dict(zip(terms, embedded, strict=True))
        scale = self._scale = self._scale or Scale.of(vectors)
        own = scale.centred(vectors)
        mine = [own[term] for term in new.identities]
        return [scale.similarity(_alike(mine, [own[term] for term in each.identities])) for each in known]


@dataclass(frozen=True)
class Scale:
    """Where the vectors of a model lie: the middle of each script, and which cosine means what."""

    middles: Mapping[bool, Vector]
    points: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, vectors: Mapping[str, Vector]) -> Self:
        """Return the scale that the anchors among ``vectors`` give.

        Raises
        ------
        ModelUnavailable
            The model puts strangers as near to each other as wordings of one role.
        """
        terms = [term for role in ANCHORS for term in role]
        middles = {
            han: [
                fmean(values) for values in zip(*(vectors[t] for t in terms if bool(han_count(t)) is han), strict=True)
            ]
            for han in (True, False)
        }
        own = cls(middles, ()).centred({term: vectors[term] for term in terms})
        same = median(_cosine(own[role[i]], own[role[j]]) for role in ANCHORS for i, j in _SAME_AT)
        strangers = median(
            _cosine(own[role[i]], own[ANCHORS[(at + stride) % len(ANCHORS)][j]])
            for at, role in enumerate(ANCHORS)
            for stride in _STRIDES
            for i, j in _STRANGERS_AT
        )
        if same - strangers < _LEAST_GAP:
            raise ModelUnavailable("The embedding model does not tell roles apart. Name another in EMBEDDING_MODEL.")
        return cls(middles, ((-1.0, 0.0), (strangers, 0.3), ((strangers + same) / 2, 0.8), (1.0, 1.0)))

    def centred(self, vectors: Mapping[str, Vector]) -> dict[str, Vector]:
        """Return the vectors of terms without what all terms of their script have in common."""
        return {
            term: [value - middle for value, middle in zip(vector, self.middles[bool(han_count(term))], strict=True)]
            for term, vector in vectors.items()
        }

    def similarity(self, cosine: float) -> float:
        """Return ``cosine`` on the scale of the threshold."""
        for (left, low), (right, high) in pairwise(self.points):
            if cosine <= right:
                return round(low + (high - low) * max(0.0, cosine - left) / (right - left), 3)
        return 1.0


def _alike(new: Iterable[Vector], known: Sequence[Vector]) -> float:
    """Return the cosine of the likeliest term with the best of the other picture, or the mean over all if higher."""
    best = [max(_cosine(one, other) for other in known) for one in new]
    return max(best[0], fmean(best))


def _cosine(one: Vector, other: Vector) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0
