"""The settings of the chat function."""

from functools import cache

from pydantic import Field

from shared.domain.window import Bounds
from shared.settings import HttpSettings, ModelSettings


class ChatSettings(HttpSettings, ModelSettings):
    """What answering needs."""

    doorbell_queue_url: str
    chat_model: str = ""
    chat_system_prompt: str = ""
    conversation_max_characters: int = Field(default=400_000, ge=1_000, le=10_000_000)
    chat_timeout_seconds: float = Field(default=25, gt=0, le=900)

    @property
    def window(self) -> Bounds:
        """What the model is shown of the conversation."""
        return Bounds(self.conversation_max_messages, self.conversation_max_characters)


@cache
def settings() -> ChatSettings:
    """Return the settings of this process, read once.

    Raises
    ------
    SettingsError
        Naming what is wrong.
    """
    return ChatSettings.from_environment()
