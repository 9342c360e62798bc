"""Which messages go in front of the model (R7)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from shared.records import Message, UserMessage


@dataclass(frozen=True)
class Bounds:
    """How many messages, and how many characters in all, a model is shown."""

    messages: int
    characters: int


def window(messages: Sequence[Message], bounds: Bounds) -> list[Message]:
    """Return the newest of ``messages`` (oldest first) that fit ``bounds``, opened on a question.

    A message is shown whole or not at all. Without the second bound a few long messages would be more than a model
    reads, and it would refuse every further question of the session.
    """
    newest_first = messages[: -bounds.messages - 1 : -1]
    lengths = accumulate(len(message.text) for message in newest_first)
    fitting = sum(length <= bounds.characters for length in lengths)
    newest = messages[len(messages) - fitting :]
    start = next((at for at, message in enumerate(newest) if isinstance(message, UserMessage)), len(newest))
    return list(newest[start:])
