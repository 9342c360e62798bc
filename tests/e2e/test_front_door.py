"""What holds at the front door, with API Gateway and IAM in the way as when deployed."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import boto3
import httpx
import pytest

from tests.e2e.local_system import LocalSystem


def test_nobody_without_identity(local: LocalSystem) -> None:
    """R22: the door vouches for no user of its own accord."""
    # WHEN a question comes without X-User-Id
    reply = local.call("POST", "/api/chat", user="", json={"message": "hello"})

    # THEN the system itself refuses it
    assert reply.status_code == 401
    assert reply.json()["status"] == "error"


@pytest.mark.parametrize(("method", "path"), [("GET", "/api/nothing"), ("DELETE", "/api/chat"), ("GET", "/")])
def test_unknown_call_gets_the_envelope(local: LocalSystem, method: str, path: str) -> None:
    """What the gateway refuses reads like everything else."""
    reply = local.call(method, path)

    assert reply.status_code in (403, 404)
    assert reply.json()["code"] == reply.status_code
    assert reply.json()["data"] is None
    assert reply.headers["X-Request-Id"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/user/sessions?limit=1&cursor=%41+b",
        "/api/user/memory/track?session_id=a%20b",
        "/api/user/memory/latest?session_id=%E5%9B%9E&x=a%2Bb~*'()!",
    ],
)
def test_any_query_is_signed_right(local: LocalSystem, path: str) -> None:
    """Whatever a query holds, the gateway accepts the signature, and the function answers."""
    assert local.call("GET", path).status_code == 400


def test_parallel_questions_all_land(local: LocalSystem) -> None:
    """R10: each has its own turn, none is lost, none doubled."""
    # GIVEN six questions WHEN they are asked at once in one session
    with ThreadPoolExecutor(6) as pool:
        bodies = [{"session_id": "parallel", "message": f"question {number}"} for number in range(6)]
        replies = list(pool.map(lambda body: local.call("POST", "/api/chat", "u3", json=body), bodies))

    # THEN each has a turn of its own
    assert [reply.status_code for reply in replies] == [200] * 6
    assert sorted(reply.json()["data"]["turn"] for reply in replies) == list(range(1, 7))


def test_log_has_one_line_a_request_and_no_words_of_users(local: LocalSystem) -> None:
    """R24: method, path, status and time; nothing a user said."""
    # WHEN a request carries words of a user in body and query
    local.call("POST", "/api/chat?note=brown-secret", "u4", json={"message": "my red-secret"})

    # THEN its line, and everything else that was logged, is without them
    assert re.search(r"^\d\d:\d\d:\d\d POST /api/chat 200 \d+ ms$", local.output, re.MULTILINE)
    logged = local.output + (local.folder / "state" / "emulator.log").read_text()
    assert "brown-secret" not in logged
    assert "red-secret" not in logged


def test_only_loopback_is_listened_on(local: LocalSystem) -> None:
    """No other machine gets in."""
    # WHEN one looks for who listens on the ports of front, stand-in and emulator
    sockets = [
        line.split() for kind in ("tcp", "tcp6") for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]
    ]
    listening = [tuple(socket[1].split(":")) for socket in sockets if socket[3] == "0A"]
    ports = (local.port, local.stand_in_port, local.emulator_port)
    found = [[address for address, port in listening if int(port, 16) == ours] for ours in ports]

    # THEN each is there, on 127.0.0.1
    assert found == [["0100007F"]] * 3


def test_gateway_wants_a_signature(local: LocalSystem) -> None:
    """R22: past the door, an unsigned request gets nowhere."""
    # GIVEN the address of the API behind the door
    emulator = f"http://127.0.0.1:{local.emulator_port}"
    gateway = boto3.client(
        "apigateway",
        endpoint_url=emulator,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    (api,) = gateway.get_rest_apis()["items"]

    # WHEN it is called without a signature
    reply = httpx.get(f"{emulator}/_aws/execute-api/{api['id']}/live/api/health")

    # THEN the gateway refuses, in the envelope
    assert reply.status_code == 403
    assert reply.json()["status"] == "error"
