"""The door: it signs, and else changes nothing."""

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from tests.support.polling import eventually
from tools.local.front import Front
from tools.local.ports import free_port


class Upstream(BaseHTTPRequestHandler):
    """Answers with what it got, as an API that says 418."""

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        got = {"path": self.path, "headers": dict(self.headers.items()), "body": body.decode()}
        answer = json.dumps(got).encode()
        self.send_response(418)
        self.send_header("X-Request-Id", "r1")
        self.send_header("X-Twice", "a")
        self.send_header("X-Twice", "b")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def front() -> Iterator[Front]:
    """GIVEN a front before an API."""
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    front = Front(0)
    front.upstream = f"http://127.0.0.1:{upstream.server_port}/stage"
    with serving(upstream), serving(front):
        yield front


@pytest.fixture
def lonely_front() -> Iterator[Front]:
    """GIVEN a front whose API does not answer."""
    front = Front(0)
    front.upstream = f"http://127.0.0.1:{free_port()}"
    with serving(front):
        yield front


def test_everything_passes_through(front: Front, capsys: pytest.CaptureFixture[str]) -> None:
    # WHEN a request with an odd query, a body and an identity comes
    path = "/api/x?q=a%20b+c&q=&%E5%9B%9E=%2F"
    reply = httpx.put(f"{front.url}{path}", headers={"X-User-Id": "auth0|u1"}, content="正文".encode())

    # THEN the API gets it as it was, signed, and its reply comes back as it was
    got = reply.json()
    assert (got["path"], got["body"]) == (f"/stage{path}", "正文")
    assert got["headers"]["X-User-Id"] == "auth0|u1"
    assert got["headers"]["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=test/")
    assert reply.status_code == 418
    assert reply.headers["X-Request-Id"] == "r1"
    assert reply.headers.get_list("X-Twice") == ["a", "b"]

    # AND one line says so, without the query (R24)
    logged = eventually(lambda: capsys.readouterr().out)
    assert re.fullmatch(r"\d\d:\d\d:\d\d PUT /api/x 418 \d+ ms\n", logged)


def test_no_identity_is_invented(front: Front) -> None:
    """R22: who the user is, is for the caller to say."""
    assert "x-user-id" not in {name.lower() for name in httpx.put(front.url).json()["headers"]}


def test_a_foreign_signature_is_replaced(front: Front) -> None:
    got = httpx.put(front.url, headers={"Authorization": "Bearer of-somebody"}).json()
    assert got["headers"]["Authorization"].startswith("AWS4-HMAC-SHA256 ")


def test_a_body_of_unknown_length_is_refused(front: Front) -> None:
    reply = httpx.put(front.url, content=iter([b"piece"]))
    assert reply.status_code == 411
    assert reply.json()["data"] is None


def test_an_api_that_does_not_answer_is_said_so(lonely_front: Front) -> None:
    reply = httpx.get(lonely_front.url)
    assert reply.status_code == 502
    assert reply.json() | {"message": ""} == {"code": 502, "status": "error", "message": "", "data": None}


@pytest.mark.parametrize("line", [b"no http at all\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"G\x01T / HTTP/1.1\r\n\r\n"])
def test_what_is_not_http_gets_the_envelope(front: Front, line: bytes) -> None:
    with socket.create_connection(("127.0.0.1", front.server_port), timeout=5) as connection:
        connection.sendall(line)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert json.loads(answer.rpartition(b"\r\n\r\n")[2])["status"] == "error"


def test_before_there_is_an_api_it_says_so(lonely_front: Front) -> None:
    # GIVEN a front that knows no API yet
    lonely_front.upstream = ""

    # THEN nobody waits in vain, and nobody else gets the port
    assert httpx.get(lonely_front.url).status_code == 503
    with pytest.raises(OSError, match="in use"):
        Front(lonely_front.server_port)
