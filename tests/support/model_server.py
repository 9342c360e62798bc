"""An OpenAI-compatible endpoint on loopback that answers as badly as a test wants."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[[BaseHTTPRequestHandler, "ModelServer"], None]


@dataclass
class ModelServer:
    """A running endpoint; ``behaviour`` answers each request."""

    url: str
    behaviour: Behaviour
    asked: threading.Event = field(default_factory=threading.Event)
    closing: threading.Event = field(default_factory=threading.Event)
    requests: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Serve on a free port of loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.requests.append(json.loads(body))
            server.asked.set()
            try:
                server.behaviour(self, server)
            except OSError:
                self.close_connection = True  # The client has had enough.

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = ModelServer(f"http://127.0.0.1:{http.server_port}/v1", answers("fine"))
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        http.shutdown()
        thread.join()
        http.server_close()


def answers(content: str | None, finish_reason: str = "stop") -> Behaviour:
    """Answer with ``content``."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}
    return replies(200, {"id": "c1", "model": "m", "choices": [choice]})


def replies(status: int, body: object, **headers: str) -> Behaviour:
    """Reply with ``body``, JSON unless it is bytes."""

    def behave(handler: BaseHTTPRequestHandler, _: ModelServer) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(content))} | named).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return behave


def hangs(_: BaseHTTPRequestHandler, server: ModelServer) -> None:
    """Never answer."""
    server.closing.wait(60)


def resets(handler: BaseHTTPRequestHandler, _: ModelServer) -> None:
    """Reset the connection."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def trickles_whitespace(handler: BaseHTTPRequestHandler, server: ModelServer) -> None:
    """Send a blank every now and then, for ever."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    while not server.closing.is_set():
        handler.wfile.write(b" ")
        time.sleep(0.05)
