"""Two pictures of a user, and what must be known of how alike they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from functions.role_memory.extract import Extract
from shared.domain.edit_request import EditableField
from shared.domain.terms import related
from shared.records import Candidate, Evidence, Snapshot, Tokens

SPELLING = "terms"
"""The measure a snapshot names when equal terms needed no other."""
NEWEST = 2
"""Of what the user wrote that shows a picture, the newest is looked at."""


@dataclass(frozen=True)
class Picture:
    """Who a user is, as one question or the role shows it; ``asked`` is what the user wrote that shows it."""

    identities: tuple[str, ...] = ()
    characteristics: tuple[str, ...] = ()
    asked: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, source: Extract | Candidate) -> Self:
        """Return the picture a question drew."""
        return cls(source.identities, source.characteristics, _newest(source.evidence))

    @classmethod
    def of_role(cls, snapshot: Snapshot) -> Self:
        """Return the picture the role of a snapshot draws; what the user pinned was not concluded from questions."""
        role, metadata = snapshot.text.identified_role, snapshot.metadata
        asked = () if EditableField.POSSIBLE_IDENTITIES in metadata.pinned else _newest(metadata.evidence)
        return cls(role.possible_identities, role.primary_characteristics, asked)

    def is_part_of(self, other: "Picture") -> bool:
        """Tell whether spelling alone proves that both show the same role.

        It does when ``other`` holds the likeliest identity of this picture, or, where this picture has none, all of
        its characteristics. Nothing follows when it does not.
        """
        if self.identities:
            return any(related(self.identities[0], identity) for identity in other.identities)
        return bool(self.characteristics) and all(
            any(related(mine, theirs) for theirs in other.characteristics) for mine in self.characteristics
        )


def _newest(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    return tuple(piece.quote for piece in evidence[-NEWEST:])


@dataclass(frozen=True)
class Comparison:
    """What a measure is asked, in one go: how alike ``picture`` is to each of ``others``."""

    picture: Picture
    others: tuple[Picture, ...]


@dataclass(frozen=True)
class Similarities:
    """What the measure named ``measure`` answered: a number in [0, 1] for each picture, 0.8 and more being the same.

    ``tokens`` is what its call used.
    """

    measure: str = SPELLING
    scores: Mapping[Picture, float] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=Tokens)
