"""R5, R6, R9: a model endpoint that answers badly over HTTP costs bounded time, and neither a question nor the role."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from functions.role_memory.reading import ModelReader
from functions.role_memory.similarity import ModelMeasure
from shared.model.endpoint import Endpoint
from shared.model.openai import OpenAIChat
from shared.model.structured import OpenAIStructured
from shared.queue import Doorbell
from tests.faults.acting import track
from tests.support.events import FakeContext, sqs_event
from tests.support.faults import Wire
from tests.support.model_server import (
    Behaviour,
    ModelServer,
    answers,
    hangs,
    model_server,
    replies,
    resets,
    trickles_whitespace,
)
from tests.support.system import System

SECONDS = 1.0
"""What a model call may take."""
SLACK_SECONDS = 3.0
"""What everything else may take, on a busy machine."""
QUESTION = "I am a gardener and my roses have black spots"
ROLE = json.dumps(
    {
        "evidence": [1],
        "workplace": "",
        "possibleIdentities": ["gardener"],
        "primaryCharacteristics": [],
        "answerWish": "NONE",
        "userOverview": "a gardener",
    }
)
BAD = {
    "timeout": hangs,
    "reset": resets,
    "429": replies(429, {"error": {"message": "slow down"}}),
    "429-retry-after": replies(429, {"error": {"message": "slow down"}}, Retry_After="3600"),
    "500": replies(500, {"error": {"message": "broken"}}),
    "no-choices": replies(200, {"id": "c1", "model": "m", "choices": []}),
    "no-content": answers(None),
    "content-filter": answers(None, "content_filter"),
    "cut-off": answers('{"evidence": [1], "possibleIden', "length"),
    "garbage": replies(200, b"\xff\x00garbage" * 350_000),
    "garbage-as-content": answers("{[" * 1_500_000),
    "whitespace": trickles_whitespace,
    "html": replies(200, b"<html>It works!</html>", Content_Type="text/html"),
}
EACH = pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


@pytest.fixture
def server(endpoint: ModelServer) -> ModelServer:
    endpoint.behaviour = answers("fine")
    endpoint.requests.clear()
    return endpoint


@pytest.fixture
def system(deployed: Callable[..., System], server: ModelServer, wire: Wire) -> System:
    """Return a deployment whose models are behind the real client."""
    endpoint = Endpoint(server.url, "key")
    model = OpenAIStructured(endpoint, "role")
    system = deployed(
        threads=3,
        model=OpenAIChat(endpoint, "chat"),
        reader=ModelReader(model, ModelMeasure(model), 10),
    ).with_settings(chat_timeout_seconds=str(SECONDS), role_timeout_seconds=str(SECONDS))
    wire.under(system.sqs)
    return system


def deliver(system: System, user: str, receive_count: int) -> Any:
    """Deliver the doorbell of a user to the worker, in bounded time, and return what the worker reports as failed."""
    body = Doorbell(user_id=user, session_id="s1").model_dump_json()
    started = time.monotonic()
    reply = system.worker().answer_all(sqs_event(body, receive_count=receive_count), FakeContext())
    assert time.monotonic() - started < SECONDS + SLACK_SECONDS
    return reply["batchItemFailures"]


def operations(system: System, user: str) -> list[str]:
    return [one["metadata"]["decision"]["operation"] for one in track(system, user)]


@EACH
def test_chat_keeps_the_question_and_says_to_retry(
    system: System, server: ModelServer, users: Iterator[str], bad: Behaviour
) -> None:
    user = next(users)
    server.behaviour = bad
    # WHEN
    started = time.monotonic()
    reply = system.ask(QUESTION, user=user, message_id="m1")
    # THEN
    assert time.monotonic() - started < SECONDS + SLACK_SECONDS
    if bad is BAD["cut-off"]:  # an answer all the same, and the reply says that it was cut off
        assert reply.data["message"]["metadata"]["finishReason"] == "LENGTH"
        return
    assert reply.status == 502, reply.json
    assert reply.headers["Retry-After"]
    [question] = system.read("conversation", user=user).data
    assert question["text"] == QUESTION
    assert question["metadata"]["failure"]
    # AND the retry is the same turn
    server.behaviour = answers("fine")
    assert system.ask(QUESTION, user=user, message_id="m1").data["turn"] == 1


@EACH
def test_worker_keeps_the_role_and_moves_on_after_the_last_delivery(
    system: System, server: ModelServer, users: Iterator[str], bad: Behaviour
) -> None:
    # GIVEN a role
    user = next(users)
    system.ask(QUESTION, user=user)
    server.behaviour = answers(ROLE)
    assert deliver(system, user, 1) == []
    # WHEN the next question is read badly THEN it is left to the next delivery
    server.behaviour = answers("fine")
    system.ask("How do I prune my roses in winter", user=user)
    server.behaviour = bad
    assert len(deliver(system, user, 1)) == 1
    assert operations(system, user) == ["CREATE"]
    # AND on the last one the log moves on, the role stays, and the message still goes to the dead letters
    assert len(deliver(system, user, 3)) == 1
    created, skipped = track(system, user)
    assert skipped["metadata"]["decision"]["operation"] == "SKIPPED"
    assert skipped["text"]["identifiedRole"] == created["text"]["identifiedRole"]
    # AND the question behind it is read
    server.behaviour = answers("fine")
    system.ask("I am a gardener who grows tulips", user=user)
    server.behaviour = answers(ROLE)
    assert deliver(system, user, 1) == []
    assert operations(system, user)[2] == "UPDATE"


def test_retry_after_that_fits_is_waited_for(system: System, server: ModelServer, users: Iterator[str]) -> None:
    """A rate limit that ends in time costs nothing but the wait."""
    limited = iter([replies(429, {}, Retry_After="0.2")])
    server.behaviour = lambda handler, one: next(limited, answers("fine"))(handler, one)
    assert system.ask(QUESTION, user=next(users)).data["message"]["text"] == "fine"
    assert len(server.requests) == 2


def test_message_that_fails_for_good_reaches_the_dead_letters(
    system: System, server: ModelServer, wire: Wire, users: Iterator[str]
) -> None:
    """R5: delivered again soon and three times in all, then a dead letter, which changes nothing when redriven."""
    user, queue = next(users), {"QueueUrl": system.queue_url}
    dead_letters = {"QueueUrl": system.queue_url.replace(".fifo", "-dead.fifo")}
    system.ask(QUESTION, user=user)
    server.behaviour = BAD["no-choices"]
    # WHEN the queue delivers as often as it will
    pauses = []
    while messages := system.sqs.receive_message(**queue, MessageSystemAttributeNames=["ApproximateReceiveCount"]).get(
        "Messages"
    ):
        [message] = messages
        receive_count = int(message["Attributes"]["ApproximateReceiveCount"])
        wire.requests.clear()
        event = sqs_event(message["Body"], receive_count=receive_count, receipt_handle=message["ReceiptHandle"])
        assert system.worker().answer_all(event, FakeContext())["batchItemFailures"]
        pauses += [json.loads(request.body)["VisibilityTimeout"] for request in wire.requests]  # type: ignore[arg-type]
        system.sqs.change_message_visibility(**queue, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)
    # THEN
    assert pauses == [30, 300, 0]
    assert operations(system, user) == ["SKIPPED"]
    [dead] = system.sqs.receive_message(**dead_letters)["Messages"]
    assert json.loads(dead["Body"]) == {"userId": user, "sessionId": "s1"}
    # AND redriven to a model that works it changes nothing: the question is read
    server.behaviour = answers(ROLE)
    assert system.worker().answer_all(sqs_event(dead["Body"]), FakeContext())["batchItemFailures"] == []
    assert operations(system, user) == ["SKIPPED"]
