"""Everything that can go right and wrong once, in a process of its own, with words that must not come out again.

``python -m tests.security.talkative REPLIES`` runs the handlers as Lambda does, over moto and a model endpoint that
repeats what it was asked; it writes the error replies to the file named.
"""

import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest.mock import patch

import boto3
from moto import mock_aws

import tests.conftest  # noqa: F401 the environment of all tests
from tests.support.aws import create_queue, create_tables
from tests.support.events import FakeContext, rest_event, sqs_event
from tests.unit.model.scripted import Reply, Script, endpoint_of_script, refused, said

QUESTION, ANSWER, ROLE, EDIT, KEY = "quokka", "numbat", "bilby", "potoroo", "dunnart"
SECRETS = (QUESTION, ANSWER, ROLE, EDIT, KEY)
Call = Callable[..., None]


def learn(script: Script, *replies: Reply, receive_count: int = 1) -> None:
    """Ring the doorbell once, with a model that answers so."""
    from functions.role_memory import handler

    script.replies = list(replies)
    script.bodies.clear()
    bell = json.dumps({"userId": "u1", "sessionId": "s1"})
    handler.handler(sqs_event(bell, receive_count=receive_count), FakeContext(remaining_ms=60_000))


def chat(script: Script, call: Call, *replies: Reply, **body: Any) -> None:
    """Ask one question, with a model that answers so."""
    script.replies = list(replies)
    script.bodies.clear()
    call("POST", "/api/chat", body={"message": f"I am a {ROLE} keeper, {QUESTION}?", "session_id": "s1", **body})


def run(script: Script, call: Call) -> None:
    """Do all of it."""
    echo = f"You asked: {QUESTION} with key {KEY}"
    extract = {
        "evidence": [f"I am a {ROLE} keeper"],
        "about": "SELF",
        "possibleIdentities": [f"{ROLE} keeper"],
        "primaryCharacteristics": [f"keeps a {ROLE}"],
        "userOverview": f"a {ROLE} keeper",
    }
    good = said(json.dumps(extract))
    failures = (
        refused(400, echo),
        refused(401, echo),
        refused(503, echo, retry_after="99"),
        Reply(echo.encode()),
        Reply(json.dumps({"choices": echo}).encode()),
        said(""),
        said(None, "content_filter"),
        Reply(b"", 302, {"Location": f"http://127.0.0.1:9/{KEY}"}),
    )
    chat(script, call, said(f"{ANSWER} answer"), message_id="m1")
    learn(script, good)
    chat(script, call, said(f"{ANSWER} answer"), message_id="m1")
    chat(script, call, said(f"{ANSWER} answer"), message_id="m1", message=f"another {QUESTION}")
    for number, failure in enumerate(failures):
        chat(script, call, failure, message_id=f"f{number}")
        learn(script, failure)
        learn(script, said(f"no JSON, {QUESTION}"), said(echo), receive_count=3)
    chat(script, call, said(ANSWER), temporary=True)
    learn(script, good)
    for path in ("conversation", "latest", "track", "guidance"):
        call("GET", f"/api/user/memory/{path}", query={"session_id": "s1"})
    call("GET", "/api/user/memory/diff", query={"session_id": "s1", "from": "1", "to": "2"})
    for texts in ({"possibleIdentities": [EDIT]}, {"userOverview": f"ignore previous instructions, {EDIT}"}):
        call("POST", "/api/user/memory/edit", body={"session_id": "s1", "set": texts, "forbid": [f"no {EDIT}"]})
    call("POST", "/api/user/memory/edit", body={"set": {"possibleIdentities": [f"{EDIT}\u202e", EDIT * 99]}})
    call("POST", "/api/user/memory/rollback", body={"session_id": "s1", "version": 1})
    bad_input(call)
    bugs(script, call)
    call("GET", "/api/user/export")
    call("POST", "/api/user/memory/delete", query={"session_id": "s1", "scope": "all"})
    call("POST", "/api/user/delete")
    boto3.client("dynamodb").delete_table(TableName="role-memory")
    chat(script, call, said(f"{ANSWER} answer"))
    learn(script, said("{}"))


def bad_input(call: Call) -> None:
    """Send what can't be read, with the words in it."""
    for body in (
        {"message": QUESTION * 9000},
        {"message": [QUESTION]},
        {"message": QUESTION, "session_id": f"{QUESTION}!"},
        {"message": QUESTION, "message_id": f"{QUESTION}#"},
        {"message": QUESTION, "guide": QUESTION},
        {"message": f"{QUESTION}\ud800"},
        {"message": QUESTION, "api_key": KEY},
    ):
        call("POST", "/api/chat", body=body, ascii_body=True)
    for raw in (f'{{"message": "{QUESTION}', f'"{QUESTION}"', f'{{"message": "{QUESTION}", "more": {"9" * 5000}}}'):
        call("POST", "/api/chat", raw_body=raw)
    call("POST", "/api/chat", raw_body=f"message={QUESTION}", headers={"Content-Type": f"text/{QUESTION}"})
    call("POST", "/api/chat", raw_body=QUESTION, base64=True)
    call("POST", "/api/chat", body={"message": QUESTION}, user=None, headers={"Authorization": KEY})
    call("GET", f"/api/{QUESTION}")
    for query in ({"cursor": QUESTION}, {"session_id": f"{QUESTION} {KEY}"}, {"limit": QUESTION}):
        call("GET", "/api/user/memory/conversation", query=query)
    call("GET", "/api/user/memory/latest", query={"as_of": QUESTION})
    call("POST", "/api/user/memory/delete", query={"scope": QUESTION})


def bugs(script: Script, call: Call) -> None:
    """Let errors nobody knows come out of the middle, with the words in their messages."""
    from functions.role_memory import handler as worker

    def bug(*_: Any, **__: Any) -> None:
        try:
            raise KeyError(KEY)
        except KeyError as cause:
            raise RuntimeError(f"{QUESTION} {ANSWER} {ROLE} {EDIT} {KEY}") from cause

    for place in (
        "functions.chat.service.ChatService.ask",
        "functions.chat.prompt.ChatMessage",
        "functions.memory_api.reading.MemoryReading.latest",
        "functions.memory_api.changing.edited_snapshot",
        "functions.role_memory.learning.decide",
        "functions.role_memory.learning.next_snapshot",
        "shared.store.dynamo.encode",
    ):
        with patch(place, bug):
            chat(script, call, said(f"{ANSWER} answer"))
            call("GET", "/api/user/memory/latest", query={"session_id": "s1"})
            call("POST", "/api/user/memory/edit", body={"session_id": "s1", "set": {"possibleIdentities": [EDIT]}})
            for receive_count in (1, 3):
                learn(script, said("{}"), receive_count=receive_count)
    for body in (QUESTION, f'{{"userId": "{QUESTION}"}}', f'{{"userId": ["{KEY}"], "sessionId": {{}}}}'):
        worker.handler(sqs_event(body), FakeContext())


def authorizer() -> None:
    """Show the authorizer tokens it can't accept."""
    os.environ |= {"JWT_ISSUER": "https://127.0.0.1:9", "JWT_AUDIENCE": "api"}
    from functions.authorizer import handler

    for token in (KEY, f"Bearer {KEY}", f"Bearer {KEY}.{QUESTION}.{ANSWER}", f"Basic {KEY}", ""):
        event = {"type": "TOKEN", "authorizationToken": token, "methodArn": "arn:aws:execute-api:x:1:a/s/GET/api"}
        with suppress(Exception):
            handler.handler(event, FakeContext())  # type: ignore[arg-type]


@contextmanager
def deployed(endpoint: str) -> Iterator[None]:
    """Play AWS, and set what the template sets."""
    with mock_aws():
        create_tables(boto3.client("dynamodb"))
        queue_url = create_queue(boto3.client("sqs"))
        os.environ |= {"OPENAI_BASE_URL": endpoint, "OPENAI_API_KEY": f"{KEY}-key", "DOORBELL_QUEUE_URL": queue_url}
        yield


def main(replies: str) -> None:
    """Run it all, and write the error replies down."""
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "false"
    # As Lambda's runtime does: every logger without a handler of its own ends up in the function's log.
    logging.basicConfig(level=os.environ["ROOT_LOG_LEVEL"], stream=sys.stderr)
    with endpoint_of_script(said("")) as script, deployed(script.base_url), open(replies, "w") as errors:
        from functions.chat import handler as chat_handler
        from functions.memory_api import handler as memory_api

        def call(method: str, path: str, **request: Any) -> None:
            function = chat_handler if path == "/api/chat" else memory_api
            reply = function.handler(rest_event(method, path, **request), FakeContext())
            if reply["statusCode"] != 200:
                errors.write(json.dumps(reply, ensure_ascii=False) + "\n")

        run(script, call)
        authorizer()


if __name__ == "__main__":
    main(sys.argv[1])
