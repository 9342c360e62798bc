"""Every read of the API, compared with the specification."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.stateful.records import Snapshot
from tests.stateful.specification import WORDS, Memory
from tests.support.system import System

_SMALL, _LARGE = 2, 1000


@dataclass
class Reader:
    """Reads everything of everybody; remembers each snapshot, which must never change (R1)."""

    system: System
    memory: Memory
    users: Sequence[str]
    sessions: Sequence[str]
    seen: dict[tuple[object, ...], dict[str, Any]] = field(default_factory=dict)
    guided: dict[tuple[object, ...], str] = field(default_factory=dict)
    rounds: int = 0

    def compare(self) -> None:
        """Read all that is stored of everybody, and by every call what is stored of one user, each in turn."""
        self.rounds += 1
        for session in self.sessions:
            self._compare_session(self.users[self.rounds % 5 == 0], session)
        for user in self.users:
            self._compare_user(user)

    def state(self, user: str, name: str) -> dict[str, Any] | None:
        """Return what ``roleMemory`` must say."""
        session = self.memory.session(user, name)
        if session is None:
            return None
        latest = self.memory.latest(self.memory.subject(user, name))
        last = len(session.turns)
        version = latest.version if latest else None
        return {"version": version, "cursor": session.cursor, "lastTurn": last, "pending": session.cursor < last}

    def _compare_session(self, user: str, name: str) -> None:
        messages = list(self._pages("/api/user/memory/conversation", user, session_id=name))
        assert [_said(message) for message in messages] == self.memory.messages(user, name)
        subject = self.memory.subject(user, name)
        track, wanted = list(self._pages("/api/user/memory/track", user, session_id=name)), self.memory.track(subject)
        assert [_facts(snapshot) for snapshot in track] == [_expected(snapshot) for snapshot in wanted]
        for snapshot in track:
            first = self.seen.setdefault((*subject, snapshot["metadata"]["createdAt"]), snapshot)
            assert snapshot == first, "a snapshot has changed"
            overview = snapshot["text"]["userOverview"]
            known = snapshot["text"]["identifiedRole"]["possibleIdentities"]
            assert not [word for word in WORDS if word in overview and word not in known]
        latest = self.system.read("latest", user=user, session=name)
        assert latest.data == (track[-1] if track else None)
        assert latest.json["roleMemory"] == self.state(user, name)
        self._compare_guidance(user, name, latest.data)

    def _compare_guidance(self, user: str, name: str, latest: dict[str, Any] | None) -> None:
        guidance = self.system.read("guidance", user=user, session=name).data
        version = self.memory.guidance(user, name)
        assert (guidance["applied"], guidance["version"]) == (version is not None, version)
        if version is None or latest is None:
            assert guidance["text"] == ""
            return
        first_line = guidance["text"].split("\n")[0]
        assert first_line == f"You are having a conversation with {latest['text']['userOverview']}"
        made_at = latest["metadata"]["createdAt"]
        assert self.guided.setdefault((user, made_at), guidance["text"]) == guidance["text"], (
            "R20: same version, same bytes"
        )

    def _compare_user(self, user: str) -> None:
        alive = {name: session for name in self.sessions if (session := self.memory.session(user, name))}
        newest_first = sorted(alive, key=lambda name: -alive[name].active)
        listed = list(self._pages("/api/user/sessions", user))
        assert [(one["sessionId"], one["turns"], one["pending"], one["title"]) for one in listed] == [
            (name, len(one.turns), one.cursor < len(one.turns), one.turns[0].text)
            for name in newest_first
            for one in [alive[name]]
        ]
        exported = [_entry(entry) for entry in self._pages("/api/user/export", user)]
        expected: list[tuple[object, ...]] = []
        for name in sorted(alive):
            expected += [(name, "session"), *((name, *message) for message in self.memory.messages(user, name))]
        for subject in dict.fromkeys(self.memory.subject(user, name) for name in sorted(self.sessions)):
            expected += [(subject[1], _expected(snapshot)) for snapshot in self.memory.track(subject)]
        assert exported == expected

    def _pages(self, path: str, user: str, **query: str) -> Iterator[dict[str, Any]]:
        """Yield a list of the API, every other time in small pages."""
        asked = query | {"limit": str(_SMALL if self.rounds % 4 == 0 else _LARGE)}
        while True:
            page = self.system.call("GET", path, user=user, query=asked)
            assert page.status == 200, page.json
            yield from page.data
            if page.json["nextCursor"] is None:
                return
            asked["cursor"] = page.json["nextCursor"]


def _said(message: dict[str, Any]) -> tuple[object, ...]:
    metadata = message["metadata"]
    return message["messageType"], metadata["turn"], message["text"], "failure" in metadata


def _entry(entry: dict[str, Any]) -> tuple[object, ...]:
    if "session" in entry:
        return entry["sessionId"], "session"
    if "message" in entry:
        return (entry["sessionId"], *_said(entry["message"]))
    return entry["sessionId"], _facts(entry["snapshot"])


def _facts(snapshot: dict[str, Any]) -> tuple[object, ...]:
    metadata, role = snapshot["metadata"], snapshot["text"]
    return (
        metadata["version"],
        metadata["decision"]["operation"],
        metadata["turn"],
        tuple(metadata["coveredTurns"]),
        sorted(role["identifiedRole"]["possibleIdentities"]),
        role["communicationPreferences"]["detailLevel"] == "CONCISE",
        metadata["pinned"] == ["possibleIdentities"],
        sorted(metadata["forbidden"]),
        role["conversationAnalysis"]["interactionCount"],
        role["userQuery"],
        bool(role["creatTime"]),
    )


def _expected(snapshot: Snapshot) -> tuple[object, ...]:
    return (
        snapshot.version,
        snapshot.operation,
        snapshot.turn,
        snapshot.covered,
        sorted(snapshot.identities),
        snapshot.short,
        snapshot.pinned,
        sorted(snapshot.forbidden),
        snapshot.interactions,
        snapshot.question,
        snapshot.learned,
    )
