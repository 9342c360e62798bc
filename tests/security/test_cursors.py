"""R22: cursors come back from a client, who can take them apart and put others together."""

import base64
import hashlib
import json

import pytest

from tests.support.system import HttpReply, System

USER = "u1"
LISTS = {
    "conversation": "/api/user/memory/conversation",
    "track": "/api/user/memory/track",
    "sessions": "/api/user/sessions",
    "export": "/api/user/export",
}
STRANGE = [
    "", "0", "~", "abc", "-1", "\ud800", "a\u0000b", "\uffff", "😀" * 300, "9" * 700, "USER#u2", "2#TRACK", "1#s1",
    "2#TRACK#s1", "2#TRACK#u2", "3#", -1, 0, 1, 10**9, 10**10, 10**30, 10**400, True, None, 1.5, [], {}, ["s1"],
]  # fmt: skip

WRONG_STAMPS: list[object] = [1, None, [], {}, "", "0" * 16, "\ud800"]


def forged(*content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


@pytest.fixture
def full(system: System) -> System:
    for session in ("s1", "s2"):
        for number in range(2):
            system.ask(f"gardener {number}", session=session)
    system.ask("orchid grower", user="u2")
    system.ring_all()
    return system


def page_of(system: System, name: str, user: str = USER, **query: str) -> HttpReply:
    of_session = {"session_id": "s1"} if name in ("conversation", "track") else {}
    return system.call("GET", LISTS[name], user=user, query=of_session | query)


def cursor_of(system: System, name: str) -> str:
    cursor: str = page_of(system, name, limit="1").json["nextCursor"]
    return cursor


@pytest.mark.parametrize("name", LISTS)
def test_forged_position_is_no_way_out_of_ones_own_data(full: System, name: str) -> None:
    # GIVEN a genuine cursor, whose stamp holds for any position: it is no secret
    opened: list[str] = json.loads(base64.urlsafe_b64decode(cursor_of(full, name) + "=="))
    stamp, position = opened[0], opened[1:]
    made_of = json.dumps([USER, "track", "s1"]).encode()
    assert name != "track" or stamp == hashlib.sha256(made_of).hexdigest()[:16]
    # WHEN the positions are made up
    forgeries = [[one] for one in STRANGE] + [[*position[:-1], one] for one in STRANGE]
    forgeries += [[f"{position[0]}{one}", *position[1:]] for one in STRANGE if isinstance(one, str)]
    forgeries += [["2#TRACK#s1", one] for one in STRANGE]
    for forgery in forgeries:
        reply = page_of(full, name, cursor=forged(stamp, *forgery))
        # THEN the reply is an error that says so, or a page of one's own
        assert reply.status in (200, 400), (reply.json, forgery)
        assert "orchid" not in json.dumps(reply.json)
        if reply.status == 400:
            assert reply.json["errors"][0]["field"] == "cursor"


@pytest.mark.parametrize("name", LISTS)
def test_cursor_of_another_or_without_the_stamp_is_refused(full: System, name: str) -> None:
    genuine = cursor_of(full, name)
    refused = [page_of(full, name, user=user, cursor=genuine) for user in ("u2", "u1_", "U1", "nobody")]
    refused += [
        page_of(full, name, cursor=forged(stamp, *position))
        for stamp in WRONG_STAMPS
        for position in ((), ("x",), (1,), ("1#s1", ""))
    ]
    refused += [page_of(full, other, cursor=genuine) for other in LISTS if other != name]
    for reply in refused:
        assert reply.status == 400, reply.json
        assert reply.json["errors"][0]["field"] == "cursor"
        assert "gardener" not in json.dumps(reply.json)
