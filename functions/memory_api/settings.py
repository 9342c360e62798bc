"""The settings of the memory API."""

from functools import cache

from shared.settings import HttpSettings, ModelSettings


class MemoryApiSettings(HttpSettings, ModelSettings):
    """What serving needs; of the model only whether it is configured, for the health call."""

    chat_model: str = ""
    role_model: str = ""

    @property
    def model_configured(self) -> bool:
        """Whether the other functions have an endpoint and a model each."""
        return self.has_endpoint and bool(self.chat_model and self.role_model)


@cache
def settings() -> MemoryApiSettings:
    """Return the settings of this process, read once.

    Raises
    ------
    SettingsError
        Naming what is wrong.
    """
    return MemoryApiSettings.from_environment()
