"""Settings: one pydantic model a function, read once from the environment.

A field ``role_scope`` is the environment variable ``ROLE_SCOPE``. An empty variable counts as not set, because a
template parameter without a value arrives as an empty string.
"""

import os
from collections.abc import Mapping
from enum import StrEnum
from typing import Self
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator


class SettingsError(Exception):
    """A setting is missing or out of range; the message names it."""


class RoleScope(StrEnum):
    """Whose role is learned: one session's or the user's over all sessions."""

    SESSION = "session"
    USER = "user"


class AuthMode(StrEnum):
    """How the caller was verified (R22)."""

    IAM = "IAM"
    JWT = "JWT"


class GuideScope(StrEnum):
    """Which answers the role guides (R19)."""

    EVERY = "every"
    ONCE = "once"
    NONE = "none"


class Settings(BaseModel):
    """What every function needs to reach the two memories."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    conversation_table: str
    role_memory_table: str
    short_term_memory_enabled: bool = True
    conversation_max_messages: int = Field(default=100, ge=2, le=1000)
    role_scope: RoleScope = RoleScope.SESSION
    memory_ttl_days: int = Field(default=30, ge=1, le=3650)
    memory_time_zone: str = "UTC"

    @field_validator("memory_time_zone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        if name not in available_timezones():
            raise ValueError("must be an IANA time zone such as UTC or Asia/Shanghai")
        return name

    @property
    def zone(self) -> ZoneInfo:
        """The time zone in which ``creatTime`` and ``updateTime`` are written."""
        return ZoneInfo(self.memory_time_zone)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Read the settings.

        Raises
        ------
        SettingsError
            With one sentence a wrong or missing variable, naming it.
        """
        values = {name: environment.get(name.upper(), "").strip() for name in cls.model_fields}
        try:
            return cls.model_validate({name: value for name, value in values.items() if value})
        except ValidationError as wrong:
            problems = (f"{'_'.join(str(p) for p in e['loc']).upper()}: {e['msg']}" for e in wrong.errors())
            raise SettingsError(f"Wrong settings. {'; '.join(problems)}.") from None


class HttpSettings(Settings):
    """What a function behind the API needs on top."""

    auth_mode: AuthMode = AuthMode.IAM
    role_guide_scope: GuideScope = GuideScope.EVERY


class ModelSettings(BaseModel):
    """Where the model is; mixed into the settings of the functions that call one or tell whether there is one."""

    openai_base_url: str = ""
    openai_api_key: str = Field(default="", repr=False)
    openai_api_key_secret_arn: str = ""

    @property
    def has_endpoint(self) -> bool:
        """Whether there is an endpoint to ask: a base URL, or without one a key, which is then for OpenAI's own."""
        return bool(self.openai_base_url or self.openai_api_key or self.openai_api_key_secret_arn)
