"""R8: what has expired is absent everywhere, whether or not the table has deleted it (moto never does)."""

from tests.support.system import System


def test_expired_messages_are_gone_from_reads_and_from_the_window(system: System) -> None:
    """Each message expires by itself; the session lives on while it is used."""
    # GIVEN a question and, twenty days later, another one
    system.ask("gardener early")
    system.clock.advance(days=20)
    system.ask("gardener late")
    # WHEN the first one's thirty days are over
    system.clock.advance(days=15)
    # THEN only the later turn is left, in the API and in front of the model
    assert [m["metadata"]["turn"] for m in system.read("conversation").data] == [2, 2]
    assert system.ask("gardener now").data["turn"] == 3
    assert [m["content"] for m in system.model.requests[-1]] == [
        "gardener late",
        "Answer to: gardener late",
        "gardener now",
    ]


def test_expired_session_starts_anew_with_everything_gone(system: System) -> None:
    """A new epoch: turns and versions start again, and nothing of the old life is seen."""
    # GIVEN a session with a role and a message_id
    system.ask("gardener early", message_id="m1")
    system.ring_all()
    # WHEN it has expired
    system.clock.advance(days=31)
    assert system.read("conversation").data == []
    assert system.read("latest").json["data"] is None
    assert system.read("latest").json["roleMemory"] is None
    assert system.read("track").data == []
    assert system.read("guidance").data["text"] == ""
    assert system.read("latest", version="1").status == 404
    assert system.call("GET", "/api/user/sessions").data == []
    assert system.call("GET", "/api/user/export").data == []
    # THEN the same message is a first turn again
    reply = system.ask("baker now", message_id="m1")
    assert (reply.data["turn"], reply.data["guidance"]["applied"]) == (1, False)
    assert [m["content"] for m in system.model.requests[-1]] == ["baker now"]
    system.ring_all()
    [snapshot] = system.read("track").data
    assert snapshot["metadata"]["version"] == 1
    assert snapshot["text"]["identifiedRole"]["possibleIdentities"] == ["baker"]


def test_latest_snapshot_lives_while_the_role_is_used(system: System) -> None:
    """Old versions expire one by one; the newest stays the latest."""
    for _ in range(3):
        system.ask("gardener asks")
        system.ring_all()
        system.clock.advance(days=14)
    assert [s["metadata"]["version"] for s in system.read("track").data] == [2, 3]
    assert system.read("latest").data["metadata"]["version"] == 3
    assert system.read("latest", version="1").status == 404
    # AND what expired can't be gone back to
    assert system.call("POST", "/api/user/memory/rollback", body={"session_id": "s1", "version": 1}).status == 404


def test_expired_items_do_not_hide_live_ones(system: System) -> None:
    """A page full of expired items is passed over, not taken for the end."""
    for number in range(6):
        system.ask(f"gardener {number}")
    system.clock.advance(days=20)
    system.ask("gardener late")
    system.clock.advance(days=15)
    page = system.read("conversation", limit="2")
    assert [m["metadata"]["turn"] for m in page.data] == [7, 7]
    assert page.json["nextCursor"] is None


def test_cursor_of_an_expired_session_is_refused(system: System) -> None:
    """A position in a session that has ended leads nowhere."""
    for number in range(2):
        system.ask(f"gardener {number}")
    cursor = system.read("conversation", limit="1").json["nextCursor"]
    system.clock.advance(days=31)
    assert system.read("conversation", cursor=cursor).status == 400
