"""An OpenAI-compatible endpoint on this machine that answers by script, over real HTTP."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One answer of the endpoint; ``trickle`` seconds lie between its bytes."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    trickle: float = 0.0


def said(text: str | None, finish_reason: str = "stop", tokens: tuple[int, int] = (7, 3)) -> Reply:
    """Return a completion with ``text``."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return Reply(json.dumps({"id": "c1", "model": "served", "choices": [choice], "usage": usage}).encode())


def refused(status: int, message: str = "no", parameter: str | None = None, **headers: str) -> Reply:
    """Return an error in the format of OpenAI."""
    error = {"error": {"message": message, "type": "invalid_request_error", "param": parameter, "code": None}}
    return Reply(json.dumps(error).encode(), status, {name.replace("_", "-"): value for name, value in headers.items()})


@dataclass
class Script:
    """What the endpoint will answer, the last reply again and again, and what it was asked."""

    replies: list[Reply]
    base_url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def next(self) -> Reply:
        return self.replies[min(len(self.bodies), len(self.replies)) - 1]


@contextmanager
def endpoint_of_script(*replies: Reply) -> Iterator[Script]:
    """Serve ``replies`` in order on a free port."""
    script = Script(list(replies))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            script.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            script.keys.append(self.headers["Authorization"])
            reply = script.next()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            try:
                self._write(reply)
            except OSError:
                self.close_connection = True

        def _write(self, reply: Reply) -> None:
            if not reply.trickle:
                self.wfile.write(reply.body)
                return
            for byte in reply.body:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(reply.trickle)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    script.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
