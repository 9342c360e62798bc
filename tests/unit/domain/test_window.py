from hypothesis import given
from hypothesis import strategies as st

from shared.domain.window import Bounds, window
from shared.records import AnswerMetadata, AssistantMessage, Message, QuestionMetadata, UserMessage
from tests.unit.rules.builders import NOON


def question(turn: int) -> Message:
    return UserMessage(metadata=QuestionMetadata(turn=turn, created_at=NOON), text=f"q{turn}")


def answer(turn: int) -> Message:
    return AssistantMessage(
        metadata=AnswerMetadata(id="a", finish_reason="STOP", model="m", turn=turn, created_at=NOON), text=f"a{turn}"
    )


def test_the_window_opens_on_a_question() -> None:
    """R7: never on an orphan answer."""
    messages = [question(1), answer(1), question(2), answer(2)]
    assert window(messages, Bounds(3, 100)) == messages[2:]
    assert window(messages, Bounds(4, 100)) == messages
    assert window(messages, Bounds(1, 100)) == []
    assert window([], Bounds(5, 100)) == []


def test_the_window_holds_no_more_than_a_model_reads() -> None:
    """R7: whole messages, the newest, within the characters."""
    messages = [question(1), answer(1), question(2), answer(2)]
    assert window(messages, Bounds(100, 8)) == messages
    assert window(messages, Bounds(100, 7)) == messages[2:]
    assert window(messages, Bounds(100, 3)) == []


@given(st.lists(st.booleans(), max_size=30), st.integers(0, 40))
def test_the_window_is_the_newest_messages_that_fit(kinds: list[bool], size: int) -> None:
    """R7: newest first to stay, bounded, and only answers are cut beyond the bound."""
    messages = [question(at) if asked else answer(at) for at, asked in enumerate(kinds, 1)]
    cut = window(messages, Bounds(size, 10_000))
    newest = messages[len(messages) - size :] if size < len(messages) else messages
    assert cut == newest[len(newest) - len(cut) :]
    assert not cut or isinstance(cut[0], UserMessage)
    assert all(isinstance(message, AssistantMessage) for message in newest[: len(newest) - len(cut)])
