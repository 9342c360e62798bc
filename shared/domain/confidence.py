"""How sure a role is, computed from what holds it up (R16, R17)."""

from collections.abc import Iterable
from typing import NamedTuple

from shared.domain.traits import HALF_LIFE, best_weight
from shared.records import ConfidenceLevel, Trait

_LEVELS = ((0.88, ConfidenceLevel.HIGH), (0.7, ConfidenceLevel.MEDIUM_HIGH), (0.4, ConfidenceLevel.MEDIUM))
"""With score = votes / (votes + 1): one question that implies a role is MEDIUM, a statement or three such questions
MEDIUM_HIGH, eight votes HIGH."""


class Confidence(NamedTuple):
    """A score in [0, 1] and its level."""

    score: float
    level: ConfidenceLevel


def confidence(traits: Iterable[Trait], interaction: int, contrary: int = 0, half_life: int = HALF_LIFE) -> Confidence:
    """Return how sure the best supported identity is.

    Parameters
    ----------
    interaction
        The number of questions read so far, against which support fades.
    contrary
        Questions in a row that drew another picture. They grow without bound and support does not grow meanwhile, so
        that any role is doubted in the end.
    half_life
        Questions after which what none of them shows counts half.
    """
    votes = best_weight(traits, interaction, half_life)
    score = round(votes / (votes + 1 + contrary), 3)
    return Confidence(score, next((level for least, level in _LEVELS if score >= least), ConfidenceLevel.LOW))
