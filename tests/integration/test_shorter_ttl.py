"""R8: a deployment whose MEMORY_TTL_DAYS gets shorter. What is stored lives as long as it was told."""

import json

import pytest

from shared.queue import Doorbell
from tests.support.system import System

BELL = Doorbell(user_id="u1", session_id="s1").model_dump_json()


def identities(system: System) -> list[str]:
    found: list[str] = system.read("latest").data["text"]["identifiedRole"]["possibleIdentities"]
    return found


@pytest.fixture
def shorter(system: System) -> System:
    """Return a deployment that kept a session for 30 days and keeps it for one from now on."""
    for number in range(3):
        system.ask(f"gardener {number}")
        system.ring_all()
    shorter = system.with_settings(memory_ttl_days="1")
    shorter.ask("gardener again")
    shorter.ring_all()
    return shorter


def test_session_and_role_go_on_after_a_rest(shorter: System) -> None:
    """R5: a head that went before its snapshots would let no version follow them."""
    shorter.clock.advance(days=2)
    shorter.ask("gardener after a rest")
    shorter.learn(BELL)
    assert shorter.read("latest").json["roleMemory"] == {"version": 5, "cursor": 5, "lastTurn": 5, "pending": False}
    assert shorter.call("POST", "/api/user/memory/edit", body={"session_id": "s1", "forbid": ["x"]}).status == 200


def test_expired_role_does_not_come_back(shorter: System) -> None:
    shorter.clock.advance(days=31)
    assert shorter.read("latest").data is None
    shorter.ask("baker asks")
    shorter.ring_all()
    assert identities(shorter) == ["baker"]
    assert [one["metadata"]["version"] for one in shorter.read("track").data] == [1]


def test_question_from_before_a_role_delete_never_teaches(system: System) -> None:
    """R23: the head of the erased track stays as long as a question that might teach it again."""
    # GIVEN an unread question, and a role deleted by a deployment that keeps things for a day
    system.ask("gardener secret")
    shorter = system.with_settings(memory_ttl_days="1")
    shorter.call("POST", "/api/user/memory/delete", query={"session_id": "s1"})
    # WHEN it is read after that day
    shorter.clock.advance(hours=30)
    shorter.ask("baker now")
    shorter.learn(BELL)
    # THEN it is passed over
    assert "gardener" not in json.dumps(shorter.read("track").data)
