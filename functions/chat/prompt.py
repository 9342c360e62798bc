"""What the model is sent: system prompt and guidance, then the window, then the question."""

from collections.abc import Sequence
from itertools import groupby

from shared.model.ports import ChatMessage
from shared.records import AssistantMessage, Message


def messages_for_model(
    system_prompt: str, guidance: str, window: Sequence[Message], question: str
) -> list[ChatMessage]:
    """Return the messages of a chat completion request.

    Guidance stands right behind the system prompt, so that the head of the request stays the same, byte for byte, while
    the role does (R20). Texts are put together and never expanded (R21). Questions without an answer between them go
    as one message: the templates of many models take turns only.
    """
    system = "\n\n".join(part for part in (system_prompt, guidance) if part)
    messages = [ChatMessage(role="system", content=system)] if system else []
    said = [*((isinstance(message, AssistantMessage), message.text) for message in window), (False, question)]
    for by_model, texts in groupby(said, key=lambda one: one[0]):
        content = "\n\n".join(text for _, text in texts)
        messages.append(ChatMessage(role="assistant" if by_model else "user", content=content))
    return messages
