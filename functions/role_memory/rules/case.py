"""What a decision looks at (R14)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from functions.role_memory.extract import Extract
from functions.role_memory.rules.drift import Stranger, agreeing, strangers
from functions.role_memory.rules.picture import Picture, Similarities
from functions.role_memory.rules.settings import RuleSettings
from shared.domain.edit_request import EditableField
from shared.domain.terms import covers
from shared.domain.traits import best_weight
from shared.records import Snapshot


@dataclass(frozen=True)
class Case:
    """All that a decision depends on."""

    extract: Extract
    latest: Snapshot | None
    recent: Sequence[Snapshot]
    similarities: Similarities
    settings: RuleSettings

    @cached_property
    def picture(self) -> Picture:
        """The picture of the question."""
        return Picture.of(self.extract)

    @cached_property
    def role(self) -> Picture:
        """The picture of the role."""
        return Picture.of_role(self.latest) if self.latest else Picture()

    @cached_property
    def identities_pinned(self) -> bool:
        """Whether learning may not change who the user is."""
        return self.latest is not None and EditableField.POSSIBLE_IDENTITIES in self.latest.metadata.pinned

    @cached_property
    def same_terms(self) -> bool:
        """Whether spelling alone proves that the question shows the role."""
        return self.picture.is_part_of(self.role)

    @cached_property
    def comparable(self) -> bool:
        """Whether a measure could tell more: not of a picture without identity, nor of an aside."""
        both = self.picture.identities and self.role.identities
        return bool(both) and not self.same_terms and not self.extract.aside

    @cached_property
    def similarity(self) -> float | None:
        """How alike question and role are; ``None`` when nothing says so."""
        return 1.0 if self.same_terms else self.similarities.scores.get(self.role) if self.comparable else None

    @cached_property
    def denies_role(self) -> bool:
        """Whether the user says that an identity of the role, unless pinned, is not theirs."""
        return not self.identities_pinned and any(
            covers(mine, denied) for mine in self.role.identities for denied in self.extract.denied
        )

    def alike(self, other: Picture) -> bool:
        """Tell whether another question showed the picture of this one."""
        score = self.similarities.scores.get(other, 0.0)
        return self.picture.is_part_of(other) or score >= self.settings.update_similarity_threshold

    @cached_property
    def strangers(self) -> tuple[Stranger, ...]:
        """The recent questions that drew another picture than the role."""
        return strangers(self.recent, self.settings)

    @cached_property
    def drift_questions(self) -> int:
        """How many questions must show another picture: one more than hold the role up, at most the setting (R16)."""
        if self.latest is None:
            return self.settings.drift_questions
        interaction = self.latest.text.conversation_analysis.interaction_count
        votes = ceil(best_weight(self.latest.metadata.traits, interaction, self.settings.half_life))
        return min(self.settings.drift_questions, max(1, votes) + 1)

    @cached_property
    def agreeing(self) -> tuple[Stranger, ...]:
        """Those of them that make a drift together with this one."""
        return agreeing(self.strangers, self.picture, self.alike, self.drift_questions)
