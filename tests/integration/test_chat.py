"""``POST /api/chat`` over tables and a queue made from the template."""

import json
from dataclasses import replace
from typing import Any

import pytest

from functions.chat.contract import ChatRequest
from functions.chat.prompt import UNANSWERED
from shared.errors import InProgress
from shared.model.ports import Answer
from tests.support.models import EchoChat
from tests.support.system import System


def test_first_question_is_stored_answered_and_rung(system: System) -> None:
    """R1, R2, R3: a turn is one question, one answer, one doorbell without content."""
    # WHEN a user asks
    reply = system.ask("研究下回锅肉的做法")
    # THEN the reply is the answer in the envelope
    assert reply.status == 200, reply.json
    assert (reply.json["code"], reply.json["status"], reply.json["message"]) == (200, "success", "")
    assert reply.headers["X-Request-Id"].startswith("request-")
    assert reply.data["turn"] == 1
    assert reply.data["message"]["text"] == "Answer to: 研究下回锅肉的做法"
    assert reply.data["guidance"] == {"scope": "every", "applied": False, "version": None}
    assert reply.data["roleMemory"] == {"version": None, "cursor": 0, "lastTurn": 1, "pending": True}
    # AND the doorbell names the session and holds nothing of what was said
    [message] = system.sqs.receive_message(QueueUrl=system.queue_url)["Messages"]
    assert json.loads(message["Body"]) == {"userId": "u1", "sessionId": "s1"}
    # AND the messages read back in the shapes of the contract
    question, answer = system.read("conversation").data
    assert set(question) == {"messageType", "metadata", "media", "text"}
    assert set(question["metadata"]) == {"messageType", "turn", "createdAt"}
    assert question["metadata"]["createdAt"].endswith("Z")
    assert set(answer) == {"messageType", "text", "metadata", "toolCalls", "media"}
    assert {"messageType", "role", "id", "finishReason", "model"} <= set(answer["metadata"])


def test_failed_model_keeps_and_marks_the_question_and_a_retry_finishes_the_turn(system: System) -> None:
    """R9: nothing asked is lost, and the retry is the same turn."""
    # GIVEN a model that is down
    system.model.failing = True
    # WHEN a question is asked
    failed = system.ask("gardening in May", message_id="m1")
    # THEN the reply says to retry, and the question is there, marked
    assert failed.status == 502
    assert failed.headers["Retry-After"] == "1"
    assert failed.json["data"] is None
    [question] = system.read("conversation").data
    assert question["metadata"]["failure"] == "ModelUnavailable"
    # WHEN the model is back and the client retries
    system.model.failing = False
    retried = system.ask("gardening in May", message_id="m1")
    # THEN it is the same turn, answered, and the mark is gone
    assert (retried.status, retried.data["turn"]) == (200, 1)
    question, answer = system.read("conversation").data
    assert "failure" not in question["metadata"]
    assert answer["text"] == retried.data["message"]["text"]


def test_retry_of_an_answered_message_returns_the_stored_answer(system: System) -> None:
    """R9."""
    # GIVEN an answered message
    first = system.ask("gardening", message_id="m1")
    # WHEN it is sent again
    again = system.ask("gardening", message_id="m1")
    # THEN the answer is the stored one and the model was asked once
    assert again.data["message"] == first.data["message"]
    assert again.data["turn"] == 1
    assert len(system.model.requests) == 1
    assert len(system.read("conversation").data) == 2


def test_same_message_id_for_another_message_is_refused(system: System) -> None:
    """R9: a client that reuses an id is told, instead of losing its second message silently."""
    system.ask("gardening", message_id="m1")
    reply = system.ask("cooking", message_id="m1")
    assert reply.status == 409
    assert "message_id" in reply.json["message"]


def test_message_id_means_something_only_inside_its_session(system: System) -> None:
    """R22."""
    assert system.ask("gardening", message_id="m1").data["turn"] == 1
    assert system.ask("cooking", message_id="m1", session="s2").data["message"]["text"] == "Answer to: cooking"
    assert system.ask("baking", message_id="m1", user="u2").data["message"]["text"] == "Answer to: baking"


def test_turn_that_is_being_answered_is_not_answered_twice(system: System) -> None:
    """R9: while one request answers, the other is told when to come back."""

    # GIVEN a retry that arrives while the model writes the first answer
    def retry() -> None:
        system.model.meanwhile = lambda: None
        system.service.ask("u1", request, seconds_left=20)

    request = ChatRequest(message="gardening", session_id="s1", message_id="m1")
    system.model.meanwhile = retry
    # WHEN the first request runs THEN the second is refused with the end of the first one's time
    with pytest.raises(InProgress) as refused:
        system.service.ask("u1", request, seconds_left=20)
    assert refused.value.retry_after is not None
    assert 1 <= refused.value.retry_after <= 29


def test_window_reaches_the_model_oldest_first_with_guidance_in_front(system: System) -> None:
    """R7, R19, R20: system prompt and guidance, window, question."""
    # GIVEN a question whose role was learned
    system.ask("gardener asks about roses")
    system.ring_all()
    # WHEN the next one is asked
    reply = system.ask("and tulips")
    # THEN the model gets guidance of version 1 and both earlier messages
    assert reply.data["guidance"] == {"scope": "every", "applied": True, "version": 1}
    system_message, *window, question = system.model.requests[-1]
    assert system_message["role"] == "system"
    assert "You are having a conversation with a gardener" in system_message["content"]
    assert [(m["role"], m["content"]) for m in window] == [
        ("user", "gardener asks about roses"),
        ("assistant", "Answer to: gardener asks about roses"),
    ]
    assert question == {"role": "user", "content": "and tulips"}


def test_window_is_bounded_and_opens_on_a_question(system: System) -> None:
    """R7."""
    # GIVEN a window of three messages and three turns
    narrow = system.with_settings(conversation_max_messages="3")
    for number in range(3):
        narrow.ask(f"question {number}")
    # WHEN the next question is asked THEN the orphan answer that would open the window is cut
    narrow.ask("question 3")
    contents = [message["content"] for message in narrow.model.requests[-1]]
    assert contents == ["question 2", "Answer to: question 2", "question 3"]
    # AND the API still serves what is beyond the window
    assert len(narrow.read("conversation").data) == 8


@pytest.mark.parametrize(("scope", "guided"), [("every", [True, True]), ("once", [True, False]), ("none", [False] * 2)])
def test_guide_scope(system: System, scope: str, guided: list[bool]) -> None:
    """R19."""
    scoped = system.with_settings(role_guide_scope=scope)
    scoped.ask("gardener asks")
    scoped.ring_all()
    replies = [scoped.ask(f"question {number}") for number in range(2)]
    assert [reply.data["guidance"]["applied"] for reply in replies] == guided
    assert [reply.data["guidance"]["version"] for reply in replies] == [1 if applied else None for applied in guided]


def test_request_may_turn_guidance_off(system: System) -> None:
    """R19."""
    system.ask("gardener asks")
    system.ring_all()
    reply = system.ask("and roses", guide="none")
    assert reply.data["guidance"] == {"scope": "none", "applied": False, "version": None}
    assert all(message["role"] != "system" for message in system.model.requests[-1])


def test_temporary_question_reads_memory_and_leaves_none(system: System) -> None:
    """A temporary question is answered with what is known; nothing is stored, nothing learned."""
    # GIVEN a known user
    system.ask("gardener asks about roses")
    system.ring_all()
    # WHEN a temporary question is asked
    reply = system.ask("something private", temporary=True)
    # THEN it was guided and saw the window
    assert reply.data["turn"] is None
    assert reply.data["guidance"]["applied"]
    assert len(system.model.requests[-1]) == 4
    # AND nothing of it is stored, rung, or changed
    assert len(system.read("conversation").data) == 2
    assert "Messages" not in system.sqs.receive_message(QueueUrl=system.queue_url)


def test_without_memory_chat_still_works(system: System) -> None:
    """``SHORT_TERM_MEMORY_ENABLED=false``: stateless chat, and memory calls say so."""
    off = system.with_settings(short_term_memory_enabled="false")
    reply = off.ask("gardening")
    assert (reply.status, reply.data["turn"], reply.data["roleMemory"]) == (200, None, None)
    assert off.read("conversation").status == 409
    assert off.call("POST", "/api/user/delete").status == 409
    assert off.call("GET", "/api/user/export").status == 409
    assert off.call("POST", "/api/user/memory/rollback", body={"version": 1}).status == 409
    assert off.read("conversation", user=None).status == 401
    assert off.call("GET", "/api/health").data["memoryEnabled"] is False
    assert system.read("conversation").data == []


def test_lost_doorbell_does_not_cost_the_answer_and_the_next_one_heals_it(system: System) -> None:
    """R3, R4."""
    # GIVEN a queue that is gone
    lost = replace(system, queue_url="https://sqs.us-east-1.amazonaws.com/123456789012/gone.fifo")
    assert lost.ask("gardener asks").status == 200
    assert system.read("track").data == []
    # WHEN the next question rings
    system.ask("gardener asks again")
    system.ring_all()
    # THEN both questions were read, a snapshot each
    assert [snapshot["metadata"]["turn"] for snapshot in system.read("track").data] == [1, 2]


def test_answer_to_a_deleted_conversation_is_not_stored(system: System) -> None:
    """R23: the delete wins over the answer in flight."""
    # GIVEN a conversation that is deleted while the model writes
    system.ask("gardening")
    system.model.meanwhile = lambda: system.stores.erasure.conversation("u1", "s1")
    # WHEN the answer comes
    reply = system.ask("roses")
    # THEN the client is told, and nothing is back
    assert reply.status == 409
    assert system.read("conversation").data == []


def test_question_that_meets_an_erased_session_starts_it_anew(system: System) -> None:
    """R10, R23: the question after a delete is turn 1 of a new epoch, with nothing of the old one in its window."""
    system.ask("old secret")
    system.call("POST", "/api/user/memory/delete", query={"session_id": "s1", "scope": "all"})
    reply = system.ask("new question")
    assert reply.data["turn"] == 1
    assert [message["content"] for message in system.model.requests[-1]] == ["new question"]


def test_answer_larger_than_an_item_is_cut_and_says_so(system: System) -> None:
    """An item holds 400 KB: what is answered is what is stored."""

    class Verbose:
        def answer(self, messages: object, *, seconds: float) -> Answer:
            return Answer(id="a", text="长" * 200_000, finish_reason="STOP", model="verbose")

    service = replace(system.service, answerer=replace(system.service.answerer, model=Verbose()))
    system.service = service
    reply = system.ask("write a novel")
    assert reply.data["message"]["metadata"]["finishReason"] == "LENGTH"
    assert system.read("conversation").data[1]["text"] == reply.data["message"]["text"]


def test_failure_that_comes_after_a_retry_has_answered_marks_nothing(system: System) -> None:
    """R9: a request that was frozen longer than its lease does not speak for the turn any more."""
    system = system.with_settings(chat_timeout_seconds="1")
    answered = []

    def frozen() -> None:
        if not answered:
            answered.append(None)
            system.clock.advance(seconds=10)
            answered.append(system.ask("gardener", message_id="m1"))
            system.model.failing = True

    system.model.meanwhile = frozen
    assert system.ask("gardener", message_id="m1").status == 502
    question, answer = system.read("conversation").data
    assert "failure" not in question["metadata"] or question["metadata"]["failure"] is None
    assert answer["text"] == answered[1].data["message"]["text"]


def test_endpoint_with_long_names_is_stored(system: System) -> None:
    """What an endpoint calls its answer and itself is cut, so that an item holds it."""

    class Verbose(EchoChat):
        def answer(self, messages: Any, *, seconds: float) -> Answer:
            return Answer("i" * 500_000, "fine", "\ud800" + "s" * 500_000, "m" * 500_000)

    system.service = replace(system.service, answerer=replace(system.service.answerer, model=Verbose()))
    metadata = system.ask("gardener").data["message"]["metadata"]
    assert (len(metadata["id"]), len(metadata["model"]), len(metadata["finishReason"])) == (200, 200, 200)


def test_model_and_user_take_turns_also_behind_a_question_without_an_answer(system: System) -> None:
    """The templates of many models refuse anything else."""
    system.model.failing = True
    system.ask("first")
    system.model.failing = False
    system.ask("second")
    assert [(message["role"], message["content"]) for message in system.model.requests[-1]] == [
        ("user", "first"),
        ("assistant", UNANSWERED),
        ("user", "second"),
    ]


def test_window_is_bounded_in_characters(system: System) -> None:
    """R7: a few long messages are no more than a model reads."""
    system = system.with_settings(conversation_max_characters="1000")
    for number in range(4):
        system.ask(f"{number}" + "x" * 199)
    *window, question = system.model.requests[-1]
    assert window[0]["role"] == "user"
    assert sum(len(message["content"]) for message in window) <= 1000
    assert question["content"].startswith("3")
