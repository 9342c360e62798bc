"""What whoever looks for a fault finds in the logs."""

import pytest

from shared.errors import Busy, ModelUnavailable
from shared.observability import logger
from tests.support.events import FakeContext, rest_event, sqs_event
from tests.support.logs import logged
from tests.support.system import System

BELL = '{"userId": "u1", "sessionId": "s1"}'


def test_the_id_of_a_reply_finds_the_lines_of_its_request_and_no_others(system: System) -> None:
    # GIVEN a request that fails, one that is refused before it is routed, and one that fails again
    system.model.failing = True
    with logged() as lines:
        # WHEN they are answered
        first = system.ask("hello")
        refused = system.send(rest_event("POST", "/api/chat", raw_body="x", headers={"Content-Type": "text/plain"}))
        second = system.ask("hello")
        logger.info("after them")
    # THEN each failure is found by the id of its reply, and nothing else is
    assert (first.status, refused.status, second.status) == (502, 415, 502)
    found = [line.get("request_id") for line in lines]
    assert found == [first.headers["X-Request-Id"], second.headers["X-Request-Id"], None]
    assert found[0] != found[1]


@pytest.mark.parametrize("fault", [RuntimeError("hello"), Busy(), ModelUnavailable("It refused.")])
@pytest.mark.parametrize("receives", [1, 3])
def test_r24_a_failed_doorbell_says_what_where_and_how_often(system: System, fault: Exception, receives: int) -> None:
    # GIVEN a question that can't be read
    system.ask("hello")
    system.reader.failing = fault
    event = sqs_event(BELL, group="a" * 64, receive_count=receives)
    message_id = event["Records"][0]["messageId"]
    with logged() as lines:
        # WHEN its doorbell is answered
        failed = system.worker().answer_all(event, FakeContext())
        during = len(lines)
        logger.info("after it")
    # THEN the batch says that it failed, and a line says why, without the words of an unknown error
    assert failed == {"batchItemFailures": [{"itemIdentifier": message_id}]}
    (line,) = [line for line in lines if line["message"] == "question failed"]
    assert line["level"] == "WARNING"
    assert line["fault"] == type(fault).__name__
    assert line["place"].startswith("ScriptedReader.extract:")
    assert line["receives"] == receives
    assert "hello" not in str(lines)
    # AND all its lines carry the message and the subject, and the next line does not
    assert {(line["message_id"], line["subject"]) for line in lines[:during]} == {(message_id, "a" * 16)}
    assert "message_id" not in lines[during]
