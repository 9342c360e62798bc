"""Every call of the API with a request that is valid, and that says whose data it wants only by who sends it."""

from dataclasses import dataclass, field
from typing import Any

from tests.support.events import rest_event
from tools import openapi


@dataclass(frozen=True)
class Call:
    """One route. ``session`` tells whether the query names the session; a body names its own."""

    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] | None = None

    def event(self, **request: Any) -> dict[str, Any]:
        """Return the event of this call, with whatever ``rest_event`` takes changed."""
        query = {**self.query, **request.pop("query", {})} or None
        body = None if self.body is None else {**self.body, **request.pop("body", {})}
        return rest_event(self.method, self.path, query=query, body=body, **request)


_SESSION = {"session_id": "s1"}
CALLS = (
    Call("POST", "/api/chat", body={"message": "hello there", **_SESSION}),
    Call("GET", "/api/user/memory/conversation", _SESSION),
    Call("GET", "/api/user/memory/latest", _SESSION),
    Call("GET", "/api/user/memory/track", _SESSION),
    Call("GET", "/api/user/memory/diff", {**_SESSION, "from": "1", "to": "1"}),
    Call("GET", "/api/user/memory/guidance", _SESSION),
    Call("POST", "/api/user/memory/edit", body={**_SESSION, "pin": ["userOverview"]}),
    Call("POST", "/api/user/memory/rollback", body={**_SESSION, "version": 1}),
    Call("POST", "/api/user/memory/delete", {**_SESSION, "scope": "all"}),
    Call("GET", "/api/user/sessions"),
    Call("GET", "/api/user/export"),
    Call("POST", "/api/user/delete"),
)
"""All but the health call, which tells nobody's data."""


def every_call_is_here() -> bool:
    """Tell whether a route was added to the API and not to ``CALLS``."""
    documented = {(method.upper(), path) for path, methods in openapi.document()["paths"].items() for method in methods}
    return documented == {(call.method, call.path) for call in CALLS} | {("GET", "/api/health")}
