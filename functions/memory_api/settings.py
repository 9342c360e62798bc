"""The settings of the memory API."""

from functools import cache

from shared.settings import HttpSettings


class MemoryApiSettings(HttpSettings):
    """What serving needs; of the model only whether it is configured, for the health call."""

    openai_base_url: str = ""
    chat_model: str = ""
    role_model: str = ""


@cache
def settings() -> MemoryApiSettings:
    """Return the settings of this process, read once.

    Raises
    ------
    SettingsError
        Naming what is wrong.
    """
    return MemoryApiSettings.from_environment()
