"""What the model is sent: system prompt and guidance, then the window, then the question."""

from collections.abc import Sequence
from itertools import pairwise

from shared.model.ports import ChatMessage
from shared.records import AssistantMessage, Message

UNANSWERED = "(no answer)"


def messages_for_model(
    system_prompt: str, guidance: str, window: Sequence[Message], question: str
) -> list[ChatMessage]:
    """Return the messages of a chat completion request.

    Guidance stands right behind the system prompt, so that the head of the request stays the same, byte for byte, while
    the role does (R20). Texts are put together and never expanded (R21). Behind a question that was
    never answered stands a word that says so: the templates of many models take turns only.
    """
    system = "\n\n".join(part for part in (system_prompt, guidance) if part)
    messages = [ChatMessage(role="system", content=system)] if system else []
    for message, following in pairwise([*window, None]):
        if isinstance(message, AssistantMessage):
            messages.append(ChatMessage(role="assistant", content=message.text))
        elif message is not None:
            messages.append(ChatMessage(role="user", content=message.text))
            if not isinstance(following, AssistantMessage):
                messages.append(ChatMessage(role="assistant", content=UNANSWERED))
    return [*messages, ChatMessage(role="user", content=question)]
