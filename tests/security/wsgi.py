"""The system behind a WSGI application, so that HTTP tools can talk to it in this process."""

import base64
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from tests.support.events import rest_event
from tests.support.system import System

Environ = dict[str, Any]


def event_of(environ: Environ) -> dict[str, Any]:
    """Return the event that API Gateway makes of a request."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length) if length else b""
    event = rest_event(environ["REQUEST_METHOD"], environ["PATH_INFO"], user=None)
    names = {name: name.removeprefix("HTTP_").replace("_", "-").title() for name in environ if name.startswith("HTTP_")}
    event["headers"] = {written: environ[name] for name, written in names.items()}
    if environ.get("CONTENT_TYPE"):
        event["headers"]["Content-Type"] = environ["CONTENT_TYPE"]
    event["multiValueHeaders"] = {name: [value] for name, value in event["headers"].items()}
    query = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    event["multiValueQueryStringParameters"] = query or None
    event["queryStringParameters"] = {name: values[-1] for name, values in query.items()} or None
    if body:
        event |= {"body": base64.b64encode(body).decode(), "isBase64Encoded": True}
    return event


@dataclass
class Front:
    """The WSGI application of ``system``, which each test sets anew."""

    system: System | None = None

    def __call__(self, environ: Environ, start_response: Callable[..., object]) -> Iterable[bytes]:
        assert self.system is not None
        reply = self.system.send(event_of(environ))
        start_response(f"{reply.status} Status", list(reply.headers.items()))
        return [json.dumps(reply.json).encode()]
