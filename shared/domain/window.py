"""Which messages go in front of the model (R7)."""

from collections.abc import Sequence

from shared.records import Message, UserMessage


def window(messages: Sequence[Message], max_messages: int) -> list[Message]:
    """Return the newest ``max_messages`` of ``messages``, which are oldest first, opened on a question."""
    newest = messages[max(0, len(messages) - max_messages) :]
    start = next((at for at, message in enumerate(newest) if isinstance(message, UserMessage)), len(newest))
    return list(newest[start:])
