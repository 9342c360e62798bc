"""The door of the local system: signs each request with SigV4 and hands it to the emulator's API Gateway.

It stands where a trusted backend with IAM credentials stands in a deployment. Everything but the signature passes
through unchanged; in particular it never says who the user is: that is what ``X-User-Id`` is for.
"""

import json
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import urllib3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tools.local.emulator import CREDENTIALS, REGION
from tools.local.processes import say

_OF_ONE_CONNECTION = {
    "connection",
    "content-length",
    "date",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}
TIMEOUT_SECONDS = 60.0
"""Time the emulator has to answer; more than any function has."""


class Front(ThreadingHTTPServer):
    """Listens on ``port`` of loopback; before it has an ``upstream``, the address of the API, it says 503."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int) -> None:
        self.upstream = ""
        self.pool = urllib3.PoolManager(maxsize=64, retries=False, timeout=TIMEOUT_SECONDS)
        super().__init__(("127.0.0.1", port), _Forward)

    def server_close(self) -> None:
        """Stop listening, and let go of the emulator."""
        super().server_close()
        self.pool.clear()

    @property
    def url(self) -> str:
        """Where it serves."""
        return f"http://127.0.0.1:{self.server_port}"


class _Forward(BaseHTTPRequestHandler):
    server: Front
    protocol_version = "HTTP/1.1"

    def _forward(self) -> None:
        begin = time.monotonic()
        status = self._answer()
        path = self.path.partition("?")[0]
        spent = (time.monotonic() - begin) * 1000
        say(f"{time.strftime('%H:%M:%S')} {self.command} {path} {status} {spent:.0f} ms")

    def _answer(self) -> int:
        if not self.server.upstream:
            return self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "The local system is starting or stopping. Wait.")
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdecimal():
            return self._refuse(HTTPStatus.LENGTH_REQUIRED, "Send the body with a Content-Length.")
        body = self.rfile.read(int(length)) or None
        url = self.server.upstream + self.path
        signed = AWSRequest(method=self.command, url=url, data=body)
        SigV4Auth(Credentials(*CREDENTIALS), "execute-api", REGION).add_auth(signed)
        headers = urllib3.HTTPHeaderDict(
            (name, value) for name, value in self.headers.items() if name.lower() not in _OF_ONE_CONNECTION
        )
        for name, value in signed.headers.items():
            headers[name] = value
        try:
            reply = self.server.pool.request(
                self.command, url, body=body, headers=headers, decode_content=False, redirect=False
            )
        except urllib3.exceptions.HTTPError:
            return self._refuse(HTTPStatus.BAD_GATEWAY, "The local system did not answer. See .local/emulator.log.")
        self.send_response_only(reply.status)
        for name, value in reply.headers.iteritems():
            if name.lower() not in _OF_ONE_CONNECTION:
                self.send_header(name, value)
        self._send(reply.data)
        return reply.status

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Forward whatever the method: which ones there are is the API's business."""
        if name.startswith("do_") and name.isascii() and name[3:].isalpha():
            return self._forward
        raise AttributeError(name)

    def _refuse(self, status: HTTPStatus, message: str) -> int:
        self.close_connection = True
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self._send(json.dumps({"code": status, "status": "error", "message": message, "data": None}).encode())
        return status

    def _send(self, body: bytes) -> None:
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is not HTTP, or an unknown method, in the envelope too."""
        self.command = self.command or ""
        self._refuse(HTTPStatus(code), HTTPStatus(code).phrase + ".")

    def log_message(self, *_: object) -> None:
        """Say nothing here: one line a request is written in ``_forward``, without what a user said (R24)."""
