"""The settings of the function that learns the role."""

from functools import cache

from pydantic import Field

from functions.role_memory.rules.settings import RuleSettings
from shared.settings import ModelSettings, Settings


class RoleSettings(Settings, ModelSettings):
    """What learning needs on top: the model, its time, and the numbers of the decision (R4, R14)."""

    doorbell_queue_url: str
    role_model: str = ""
    role_timeout_seconds: float = Field(default=30, gt=0, le=600)
    role_update_similarity_threshold: float = Field(default=0.8, ge=0, le=1)
    role_history_questions: int = Field(default=10, ge=0, le=50)
    role_catch_up_limit: int = Field(default=3, ge=1, le=20)
    role_drift_questions: int = Field(default=3, ge=2, le=20)
    role_drift_window: int = Field(default=5, ge=2, le=50)
    role_half_life_questions: int = Field(default=20, ge=1, le=1000)
    role_max_receives: int = Field(default=3, ge=1, le=10)
    embedding_model: str = ""
    embedding_base_url: str = ""

    @property
    def rules(self) -> RuleSettings:
        """The numbers of the decision."""
        return RuleSettings(
            update_similarity_threshold=self.role_update_similarity_threshold,
            drift_questions=self.role_drift_questions,
            drift_window=max(self.role_drift_window, self.role_drift_questions),
            half_life=self.role_half_life_questions,
        )


@cache
def settings() -> RoleSettings:
    """Return the settings, read once a process.

    Raises
    ------
    SettingsError
        A variable is missing or wrong; the message names it.
    """
    return RoleSettings.from_environment()
