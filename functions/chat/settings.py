"""The settings of the chat function."""

from functools import cache

from pydantic import Field

from shared.settings import HttpSettings, ModelSettings


class ChatSettings(HttpSettings, ModelSettings):
    """What answering needs."""

    doorbell_queue_url: str
    chat_model: str = ""
    chat_system_prompt: str = ""
    chat_timeout_seconds: float = Field(default=25, gt=0, le=900)


@cache
def settings() -> ChatSettings:
    """Return the settings of this process, read once.

    Raises
    ------
    SettingsError
        Naming what is wrong.
    """
    return ChatSettings.from_environment()
