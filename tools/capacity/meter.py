"""Counts what functions ask of AWS: it stands between them and the emulator."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import urllib3

from tools.capacity.units import read_units

READS = {"GetItem", "BatchGetItem", "Query"}


class Meter(ThreadingHTTPServer):
    """Passes every request on to ``upstream`` and adds up read and write units and requests.

    What a write consumes the emulator says when it is asked, which the functions have no use for. Reads it counts flat,
    so they are computed by DynamoDB's own rule.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.counted: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.pool = urllib3.PoolManager(maxsize=16, retries=False)
        super().__init__(("127.0.0.1", 0), _Count)

    @property
    def url(self) -> str:
        """Where it serves."""
        return f"http://127.0.0.1:{self.server_port}"

    def take(self) -> Counter[str]:
        """Return what was counted since the last time."""
        with self.lock:
            counted, self.counted = self.counted, Counter()
        return counted

    def count(self, operation: str, request: Any, reply: Any) -> None:
        """Count one request, and the units it consumed."""
        with self.lock:
            if operation == "SendMessage":
                self.counted["sqs requests"] += 1
            else:
                self.counted["dynamodb requests"] += 1
                self.counted["read units"] += read_units(operation, request, reply)
                if operation not in READS:
                    consumed = reply.get("ConsumedCapacity") or []
                    tables = [consumed] if isinstance(consumed, dict) else consumed
                    self.counted["write units"] += round(sum(table["CapacityUnits"] for table in tables))


class _Count(BaseHTTPRequestHandler):
    server: Meter
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        service, _, operation = self.headers.get("X-Amz-Target", "").partition(".")
        if service.startswith("DynamoDB"):
            body = json.dumps(json.loads(body) | {"ReturnConsumedCapacity": "TOTAL"}).encode()
        dropped = ("host", "content-length", "connection", "accept-encoding")
        headers = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
        reply = self.server.pool.request("POST", self.server.upstream + self.path, body=body, headers=headers)
        self.server.count(operation, json.loads(body), json.loads(reply.data))
        self.send_response_only(reply.status)
        for name in ("Content-Type", "x-amzn-RequestId"):
            if name in reply.headers:
                self.send_header(name, reply.headers[name])
        self.send_header("Content-Length", str(len(reply.data)))
        self.end_headers()
        self.wfile.write(reply.data)

    def log_message(self, *_: object) -> None:
        """Say nothing: what a user said reaches no log (R24)."""
