"""The event files of ``tests/events`` in the order of a small story, and what each must be answered with."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVENTS = Path("tests/events")


@dataclass(frozen=True)
class Scene:
    """One event file, the function it is for, and what is to hold for the data of the reply."""

    name: str
    function: str
    holds: Callable[[Any], bool]

    @property
    def file(self) -> Path:
        """The event file."""
        return EVENTS / f"{self.name}.json"

    @property
    def event(self) -> dict[str, Any]:
        """The event."""
        event: dict[str, Any] = json.loads(self.file.read_text("utf-8"))
        return event

    def check(self, reply: Any) -> None:
        """Raise an ``AssertionError`` unless ``reply`` is what the function must return."""
        if self.function == "RoleMemoryFunction":
            assert reply == {"batchItemFailures": []}, f"{self.name}: {reply}"
            return
        assert reply.get("statusCode") == 200, f"{self.name}: {reply}"
        assert reply["multiValueHeaders"]["X-Request-Id"] == [f"request-{self.name}"]
        body = json.loads(reply["body"])
        assert (body["code"], body["status"]) == (200, "success")
        assert self.holds(body["data"]), f"{self.name}: {body}"


def _versions(snapshots: list[dict[str, Any]]) -> list[int]:
    return [snapshot["metadata"]["version"] for snapshot in snapshots]


def _operation(snapshot: dict[str, Any]) -> tuple[int, str]:
    return snapshot["metadata"]["version"], snapshot["metadata"]["decision"]["operation"]


STORY = (
    Scene("health", "MemoryApiFunction", lambda data: data["modelConfigured"] and data["memoryEnabled"]),
    Scene("chat", "ChatFunction", lambda data: data["turn"] == 1 and data["message"]["text"]),
    Scene("doorbell", "RoleMemoryFunction", bool),
    Scene("conversation", "MemoryApiFunction", lambda data: [m["messageType"] for m in data] == ["USER", "ASSISTANT"]),
    Scene("latest", "MemoryApiFunction", lambda data: _operation(data) == (1, "CREATE")),
    Scene("guidance", "MemoryApiFunction", lambda data: data["text"].startswith("You are having a conversation with")),
    Scene("edit", "MemoryApiFunction", lambda data: _operation(data) == (2, "EDIT")),
    Scene("diff", "MemoryApiFunction", lambda data: [c["field"] for c in data["changes"]].count("detailLevel") == 1),
    Scene("rollback", "MemoryApiFunction", lambda data: _operation(data) == (3, "ROLLBACK")),
    Scene("track", "MemoryApiFunction", lambda data: _versions(data) == [1, 2, 3]),
    Scene("sessions", "MemoryApiFunction", lambda data: [session["sessionId"] for session in data] == ["s1"]),
    Scene("export", "MemoryApiFunction", lambda data: len(data) == 1 + 2 + 3),
    Scene("delete", "MemoryApiFunction", lambda data: data["snapshots"] == 3 and data["verified"]),
    Scene("delete-user", "MemoryApiFunction", lambda data: data["messages"] == 2 and data["verified"]),
)
"""Every event file once: a question, what was learned from it, a correction, and the end of it all."""
