"""The artifacts under Lambda's real runtime loop: the emulator binary of the SAM CLI and AWS's own runtime client."""

import contextlib
import json
import os
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.artifacts.conftest import Deployment
from tests.artifacts.processes import runtimes
from tests.support.events import rest_event
from tools.artifacts.sandbox import can_mount
from tools.artifacts.story import STORY, Scene
from tools.local.stand_in import StandIn

MEMORY = "/api/user/memory"
LAMBDA_REPLY_BYTES = 6 * 1024 * 1024


def ask(user: str, message: str, session: str = "s1") -> dict[str, Any]:
    return rest_event("POST", "/api/chat", user=user, body={"session_id": session, "message": message})


def body(reply: Any) -> dict[str, Any]:
    return dict(json.loads(reply["body"]))


@pytest.mark.parametrize("scene", STORY, ids=lambda scene: scene.name)
def test_event_files_are_answered(deployment: Deployment, scene: Scene) -> None:
    """The first event of a function is its cold start; the story goes on over one store."""
    scene.check(deployment.invoke(scene.function, scene.event))


@pytest.mark.parametrize("function", ["ChatFunction", "MemoryApiFunction"])
def test_r22_two_users_on_one_warm_sandbox_share_nothing(deployment: Deployment, model: StandIn, function: str) -> None:
    # GIVEN two users who asked in a session of the same name, one sandbox serving both
    for user in ("red", "blue"):
        assert deployment.invoke("ChatFunction", ask(user, f"{user}-secret", "shared"))["statusCode"] == 200
    # WHEN each asks again, or reads
    for user, other in (("red", "blue"), ("blue", "red")):
        if function == "ChatFunction":
            deployment.invoke(function, ask(user, "and now", "shared"))
        else:
            query = {"session_id": "shared"}
            reply = deployment.invoke(function, rest_event("GET", f"{MEMORY}/conversation", user=user, query=query))
            # THEN what comes back is their own
            assert f"{user}-secret" in reply["body"]
            assert f"{other}-secret" not in reply["body"]
    # AND so is what the model was told
    requests = [json.dumps(request) for request in model.requests]
    assert any("red-secret" in request for request in requests)
    assert not any("red-secret" in request and "blue-secret" in request for request in requests)


def test_r24_nothing_a_user_said_is_in_the_logs(deployment: Deployment) -> None:
    # GIVEN functions that have answered; THEN their whole output holds no word of it
    deployment.invoke("ChatFunction", ask("u2", "marzipan-secret"))
    logs = "".join(file.read_text(errors="replace") for file in deployment.folder.iterdir())
    assert "REPORT RequestId" in logs
    assert "marzipan-secret" not in logs
    assert "-secret" not in logs


@pytest.mark.skipif(not can_mount(), reason="only root can make a folder read-only for one process")
def test_task_folder_is_read_only(deployment: Deployment) -> None:
    # GIVEN a running sandbox; WHEN its process looks at its folder
    deployment.invoke("ChatFunction", ask("u2", "hello"))
    (runtime,) = runtimes(deployment.started["ChatFunction"].log)
    mounts = Path(f"/proc/{runtime}/mountinfo").read_text().splitlines()
    # THEN it is a read-only mount
    (folder,) = (mount.split() for mount in mounts if mount.split()[4].endswith("/ChatFunction"))
    assert "ro" in folder[5].split(",")


def test_memory_is_capped(deployment: Deployment) -> None:
    # GIVEN a running sandbox; THEN its process has no more memory than the template gives
    deployment.invoke("ChatFunction", ask("u2", "hello"))
    (runtime,) = runtimes(deployment.started["ChatFunction"].log)
    (limit,) = (line for line in Path(f"/proc/{runtime}/limits").read_text().splitlines() if "data size" in line)
    assert limit.split()[3] == str(1024 << 20)


def test_crash_ends_the_sandbox_and_nothing_else(deployment: Deployment) -> None:
    # GIVEN a warm sandbox whose runtime is killed from outside
    sandbox = deployment.start("ChatFunction")
    assert sandbox.invoke(ask("u3", "first", "crash"))["statusCode"] == 200
    for process in runtimes(sandbox.log):
        os.kill(process, signal.SIGKILL)
    # WHEN the next request comes, and one more
    lost = sandbox.invoke(ask("u3", "second", "crash"))
    reply = sandbox.invoke(ask("u3", "third", "crash"))
    # THEN one is lost at most, and the next is answered by a fresh runtime with the memory there was
    assert "errorType" in lost or lost["statusCode"] == 200
    assert reply["statusCode"] == 200
    assert body(reply)["data"]["turn"] in (2, 3)


def test_wrong_setting_stops_the_function_and_names_itself(deployment: Deployment) -> None:
    # GIVEN a setting that no function can work with
    sandbox = deployment.start("MemoryApiFunction", {"MemoryTtlDays": "0"})
    # WHEN it is asked
    reply = sandbox.invoke(rest_event("GET", "/api/health"))
    # THEN it did not start, and says why
    assert reply["errorType"] == "SettingsError"
    assert "MEMORY_TTL_DAYS" in reply["errorMessage"]


@pytest.fixture
def silent() -> Iterator[str]:
    """Serve nothing: requests are taken and never answered."""
    done = threading.Event()

    class Silence(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            done.wait(60)

    with ThreadingHTTPServer(("127.0.0.1", 0), Silence) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        done.set()
        server.shutdown()


def test_r9_silent_model_is_told_before_the_sandbox_times_out(deployment: Deployment, silent: str) -> None:
    # GIVEN a model that never answers, and a function that has 8 s
    sandbox = deployment.start("ChatFunction", {"OpenAiBaseUrl": silent}, seconds=8)
    # WHEN a question is asked
    reply = sandbox.invoke(ask("u4", "anybody there?", "silence"))
    # THEN the function answers in time, in the envelope, with what to do
    assert reply["statusCode"] == 502
    assert "Retry" in body(reply)["message"]
    # AND the question is kept and marked
    query = {"session_id": "silence"}
    read = deployment.invoke("MemoryApiFunction", rest_event("GET", f"{MEMORY}/conversation", user="u4", query=query))
    (question,) = body(read)["data"]
    assert question["metadata"]["failure"] == "ModelUnavailable"


def test_timeout_ends_the_sandbox_and_the_next_request_finds_a_fresh_one(deployment: Deployment) -> None:
    # GIVEN a warm sandbox that stands still
    sandbox = deployment.start("MemoryApiFunction", seconds=8)
    assert sandbox.invoke(rest_event("GET", "/api/health"))["statusCode"] == 200
    (runtime,) = runtimes(sandbox.log)
    os.kill(runtime, signal.SIGSTOP)
    # WHEN it is asked; THEN Lambda ends it when its time is over
    assert "timed out after 8" in str(sandbox.invoke(rest_event("GET", "/api/health")))
    # AND the next request is answered by a fresh one
    assert sandbox.invoke(rest_event("GET", "/api/health"))["statusCode"] == 200
    assert runtime not in runtimes(sandbox.log)


def test_longest_page_fits_into_a_reply(deployment: Deployment) -> None:
    # GIVEN a conversation of more than 6 MB: 70 questions of 32,000 characters of three bytes each
    chat = deployment.start("ChatFunction", {"ConversationMaxMessages": "2"})
    for number in range(70):
        assert chat.invoke(ask("u5", f"{number:03}" + "语" * 31_997, "long"))["statusCode"] == 200
    for path, query in ((f"{MEMORY}/conversation", {"session_id": "long"}), ("/api/user/export", {})):
        # WHEN all of it is read, in pages as large as can be asked for
        pages = list(read_all(deployment, path, query | {"limit": "1000"}))
        # THEN each page is handed over, and nothing is missing
        assert len(pages) > 1
        assert json.dumps(pages).count('"messageType": "USER", "metadata"') == 70


def read_all(deployment: Deployment, path: str, query: dict[str, str]) -> Iterator[list[Any]]:
    cursor: str | None = ""
    while cursor is not None:
        asked = query | ({"cursor": cursor} if cursor else {})
        page = body(deployment.invoke("MemoryApiFunction", rest_event("GET", path, user="u5", query=asked)))
        yield page["data"]
        cursor = page["nextCursor"]


def test_endless_answer_of_the_model_is_refused(deployment: Deployment) -> None:
    # GIVEN a model that answers with 6 MB
    flood = json.dumps({"choices": [{"message": {"role": "assistant", "content": "x" * LAMBDA_REPLY_BYTES}}]}).encode()

    class Flood(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(flood)))
            self.end_headers()
            with contextlib.suppress(OSError):  # It is read no further than anybody needs.
                self.wfile.write(flood)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Flood) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        sandbox = deployment.start("ChatFunction", {"OpenAiBaseUrl": f"http://127.0.0.1:{server.server_port}"})
        # WHEN a question is asked; THEN the function lives, and says so
        reply = sandbox.invoke(ask("u6", "tell me everything"))
        server.shutdown()
    assert reply["statusCode"] == 502
    assert "more than any answer needs" in body(reply)["message"]
