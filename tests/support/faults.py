"""Faults between the code and what it calls, one call at a time.

A `Wire` lies under the boto3 clients (so that what botocore makes of a fault is real) and around the ports of the
model. It names every call, so that a test can take the calls of a clean run and let each of them go wrong in turn: a
call that is added later is covered without a new test.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPMessage
from threading import Lock
from types import SimpleNamespace
from typing import Any, TypeVar

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import BotoCoreError, EndpointConnectionError, ReadTimeoutError

from shared.errors import ModelUnavailable

Do = Callable[[], Any]
"""Does what was called for and returns its reply."""
Fault = Callable[[Do], Any]
"""Does something else instead, or besides."""
FOR_GOOD = 1_000
_P = TypeVar("_P")


class Killed(BaseException):
    """The process is gone: nothing after this point of it runs."""


def _none(do: Do) -> Any:
    return do()


def lost(_: Do) -> Any:
    """Lose the request on its way."""
    raise EndpointConnectionError(endpoint_url="http://nowhere")


def unanswered(do: Do) -> Any:
    """Carry the request out, and lose the reply."""
    do()
    raise ReadTimeoutError(endpoint_url="http://nowhere")


def refused(_: Do) -> Any:
    """Break on the other side, before anything is done."""
    return error_reply(500, "InternalServerError")


def done_but_refused(do: Do) -> Any:
    """Carry the request out, and report that it failed."""
    do()
    return error_reply(500, "InternalServerError")


def throttled(_: Do) -> Any:
    """Refuse the request for being one too many."""
    return error_reply(400, "ProvisionedThroughputExceededException")


def late(do: Do) -> Any:
    """Take some time."""
    time.sleep(0.03)
    return do()


def killed_before(_: Do) -> Any:
    """Die before the request leaves the process."""
    raise Killed


def killed_after(do: Do) -> Any:
    """Die before the reply arrives."""
    do()
    raise Killed


def interrupted_by(meanwhile: Callable[[], object]) -> Fault:
    """Return the fault that something else happens right before the request."""

    def interrupted(do: Do) -> Any:
        meanwhile()
        return do()

    return interrupted


def error_reply(status: int, code: str, **more: Any) -> AWSResponse:
    """Return what AWS answers to a request that it does not carry out."""
    return reply(status, {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "injected"} | more)


def reply(status: int, body: Any) -> AWSResponse:
    """Return a reply of AWS."""
    raw = SimpleNamespace(stream=lambda: [json.dumps(body).encode()])
    return AWSResponse("http://nowhere", status, HTTPMessage(), raw)  # type: ignore[arg-type]


@dataclass
class _Armed:
    call: str
    fault: Fault
    times: int
    everything: bool = False
    """Whether it strikes whatever comes after the call, too."""
    request: str = ""
    """The one that the fault has struck first: it strikes again only what is like it."""

    def strikes(self, call: str, request: str) -> bool:
        like = self.request == request or (self.everything and bool(self.request))
        if self.times == 0 or not (self.call == call or like):
            return False
        self.times -= 1
        self.request = request
        return True


@dataclass
class Wire:
    """Every call of the clients and ports it was laid under, in order."""

    calls: list[str] = field(default_factory=list)
    requests: list[AWSPreparedRequest] = field(default_factory=list)
    _seen: Counter[str] = field(default_factory=Counter)
    _armed: _Armed | None = None
    _lock: Lock = field(default_factory=Lock)

    def under(self, *clients: Any) -> "Wire":
        """Lie under boto3 clients."""
        for client in clients:
            client._endpoint.http_session = _Session(self, client._endpoint.http_session)
        return self

    def around(self, port: _P, name: str) -> _P:
        """Return ``port`` of a model with every call of it on the wire."""
        return _Port(self, port, name)  # type: ignore[return-value]

    def calls_of(self, run: Callable[[], object]) -> list[str]:
        """Return the names of the calls that ``run`` makes."""
        self._restart()
        run()
        return list(self.calls)

    @contextmanager
    def fault(self, call: str, fault: Fault, *, times: int = 1, everything: bool = False) -> Iterator[None]:
        """Let ``fault`` strike the call so named and its retries, up to ``times``; or also ``everything`` behind it."""
        self._restart()
        self._armed = armed = _Armed(call, fault, times, everything)
        try:
            yield
        finally:
            self._armed = None
        if not armed.request:
            raise LookupError(f"{call} was never made, but {self.calls}")

    def pass_on(self, kind: str, content: str, do: Do) -> Any:
        """Do one call, or what a fault makes of it."""
        with self._lock:
            self._seen[kind] += 1
            call = f"{kind} {self._seen[kind]}"
            self.calls.append(call)
            fault = self._armed.fault if self._armed and self._armed.strikes(call, kind + content) else _none
        return fault(do)

    def _restart(self) -> None:
        self._seen.clear()
        self.calls.clear()
        self.requests.clear()


@dataclass(frozen=True)
class _Session:
    wire: Wire
    real: Any

    def send(self, request: AWSPreparedRequest) -> Any:
        body = json.loads(request.body)  # type: ignore[arg-type]
        body.pop("ClientRequestToken", None)
        operation = request.headers["X-Amz-Target"].decode().split(".")[-1]  # type: ignore[union-attr]
        self.wire.requests.append(request)
        kind = " ".join([operation, *_tables(body)])
        return self.wire.pass_on(kind, json.dumps(body, sort_keys=True), lambda: self.real.send(request))

    def close(self) -> None:
        self.real.close()


@dataclass(frozen=True)
class _Port:
    wire: Wire
    port: Any
    name: str

    def __getattr__(self, method: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                result = self.wire.pass_on(f"{self.name}.{method}", "", lambda: real(*args, **kwargs))
            except BotoCoreError as failed:
                raise ModelUnavailable(type(failed).__name__) from None
            if isinstance(result, AWSResponse):
                raise ModelUnavailable(f"HTTP {result.status_code}")
            return result

        real = getattr(self.port, method)
        return call


def _tables(body: Any) -> list[str]:
    """Return the tables that a request names, each once."""
    found: dict[str, None] = {}
    if isinstance(body, dict):
        if isinstance(body.get("TableName"), str):
            found[body["TableName"]] = None
        if isinstance(body.get("RequestItems"), dict):
            found |= dict.fromkeys(body["RequestItems"])
        for value in body.values():
            found |= dict.fromkeys(_tables(value))
    elif isinstance(body, list):
        for value in body:
            found |= dict.fromkeys(_tables(value))
    return list(found)
