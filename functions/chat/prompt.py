"""What the model is sent: system prompt and guidance, then the window, then the question."""

from collections.abc import Sequence

from shared.model.ports import ChatMessage
from shared.records import AssistantMessage, Message


def messages_for_model(
    system_prompt: str, guidance: str, window: Sequence[Message], question: str
) -> list[ChatMessage]:
    """Return the messages of a chat completion request.

    Guidance stands right behind the system prompt, so that the head of the request stays the same, byte for byte, while
    the role does (R20). Texts are put together and never expanded (R21).
    """
    system = "\n\n".join(part for part in (system_prompt, guidance) if part)
    messages = [ChatMessage(role="system", content=system)] if system else []
    for message in window:
        by_model = isinstance(message, AssistantMessage)
        messages.append(ChatMessage(role="assistant" if by_model else "user", content=message.text))
    return [*messages, ChatMessage(role="user", content=question)]
