"""What clients and workers do, past the HTTP layer, which is not made for threads."""

from datetime import timedelta
from typing import Any

from functions.chat.contract import ChatData, ChatRequest
from shared.queue import Doorbell
from shared.records import QuestionMetadata, UserMessage
from shared.store.heads import Heads, SessionHead
from shared.store.turns import Question
from tests.support.system import System

SESSION = "s1"


def ask(system: System, user: str, message: str, message_id: str | None = None, *, session: str = SESSION) -> ChatData:
    """Ask a question."""
    request = ChatRequest(message=message, session_id=session, message_id=message_id)
    return system.service.ask(user, request, seconds_left=29)


def store_questions(
    system: System, user: str, *texts: str, session: str = SESSION, head: SessionHead | None = None
) -> SessionHead | None:
    """Store the next questions of a session behind ``head`` as the chat does, without asking a model."""
    for text in texts:
        turn = head.last_turn + 1 if head else 1
        question = Question(
            message=UserMessage(metadata=QuestionMetadata(turn=turn, created_at=system.clock()), text=text)
        )
        heads = Heads(session=head, track=None, erasure="", request=None)
        head = system.stores.turns.append_question(user, session, heads, question, lease=timedelta(seconds=1))
    return head


def learn(system: System, user: str, *, session: str = SESSION, last_delivery: bool = False) -> None:
    """Deliver a doorbell."""
    doorbell = Doorbell(user_id=user, session_id=session)
    system.learner().learn(doorbell, last_delivery=last_delivery, seconds_left=120)


def log(system: System, user: str, session: str = SESSION) -> list[tuple[int, str, str]]:
    """Return turn, type and text of all messages of a session in the order of the log, whether visible or not."""
    entries = system.stores.conversation.newest(user, session, 1000)
    return [(entry.turn, entry.message.message_type, entry.message.text) for entry in entries]


def track(system: System, user: str, session: str = SESSION) -> list[Any]:
    """Return all snapshots that the API shows."""
    return list(system.read("track", user=user, session=session, limit="1000").data)
