"""What a deployment may tune in the rules."""

from dataclasses import dataclass

from shared.domain.traits import HALF_LIFE


@dataclass(frozen=True)
class RuleSettings:
    """The numbers of R14, each a setting of the deployment.

    ``drift_questions`` of the last ``drift_window`` questions, the current one included, make a new picture replace
    the role: three, because one or two questions off the subject are everyday, and five, so that two questions which
    show nothing may lie between. A role that a single hint holds up yields to two. A trait that no question shows
    counts half after ``half_life`` questions: two histories of ten.
    """

    update_similarity_threshold: float = 0.8
    drift_questions: int = 3
    drift_window: int = 5
    half_life: int = HALF_LIFE
