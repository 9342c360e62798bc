"""R22: every route, and every way to name another's data. Never that data, never a 500."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.security.requests import CALLS, every_call_is_here
from tests.support.system import HttpReply, System

VICTIM, ATTACKER = "victim", "attacker"
SECRET = "orchid"
Event = dict[str, Any]


@pytest.fixture
def robbed(system: System) -> Iterator[System]:
    """Return a system with a victim, of whom afterwards everything is still there and unchanged."""
    for session in ("s1", "s2"):
        system.ask(f"{SECRET} grower asks", user=VICTIM, session=session, message_id="m1")
    system.ring_all()
    before = system.call("GET", "/api/user/export", user=VICTIM).data
    assert len(before) == 8
    yield system
    assert system.call("GET", "/api/user/export", user=VICTIM).data == before


def assert_nothing_of_the_victim(reply: HttpReply) -> None:
    assert reply.status < 500, reply.json
    assert SECRET not in json.dumps(reply.json)
    assert VICTIM not in json.dumps(reply.json)


def test_every_route_is_attacked() -> None:
    assert every_call_is_here()


@pytest.mark.parametrize("name", ["user_id", "userId", "user", "sub", "X-User-Id"])
def test_user_in_query_or_body_is_not_believed(robbed: System, name: str) -> None:
    for call in CALLS:
        # WHEN a caller names the victim in the query THEN it means nothing
        assert_nothing_of_the_victim(robbed.send(call.event(user=ATTACKER, query={name: VICTIM})))
        # AND in a body it is refused: a field that means nothing must not look as if it did
        if call.body is not None:
            reply = robbed.send(call.event(user=ATTACKER, body={name: VICTIM}))
            assert reply.status == 400
            assert reply.json["errors"][0]["field"] == name


def other_headers(event: Event) -> None:
    for name in ("X-User-ID", "X-User", "User-Id", "X-Forwarded-User", "Cookie", "X-User-Id-Override"):
        if name.lower() != "x-user-id":
            event["headers"][name] = VICTIM
            event["multiValueHeaders"][name] = [VICTIM]


def single_value_header_says_otherwise(event: Event) -> None:
    event["headers"]["X-User-Id"] = VICTIM


def authorizer_context(event: Event) -> None:
    event["requestContext"]["authorizer"] = {"sub": VICTIM, "claims": {"sub": VICTIM}, "principalId": VICTIM}


def iam_caller(event: Event) -> None:
    event["requestContext"]["identity"] |= {
        "user": VICTIM,
        "userArn": f"arn:aws:iam::1:user/{VICTIM}",
        "caller": VICTIM,
    }


def method_override(event: Event) -> None:
    event["headers"] |= {"X-HTTP-Method-Override": "GET", "X-Original-URL": "/api/user/export"}


@pytest.mark.parametrize(
    "forge",
    [other_headers, single_value_header_says_otherwise, authorizer_context, iam_caller, method_override],
    ids=lambda forge: forge.__name__,
)
def test_only_the_one_header_tells_the_user(robbed: System, forge: Callable[[Event], None]) -> None:
    for call in CALLS:
        event = call.event(user=ATTACKER)
        forge(event)
        assert_nothing_of_the_victim(robbed.send(event))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-User-Id": [ATTACKER, VICTIM]},
        {"X-User-Id": [VICTIM], "x-user-id": [ATTACKER]},
        {"X-USER-ID": [ATTACKER], "x-uSer-Id": [VICTIM]},
        {"X-User-Id": []},
        {"X-User-Id": [f"{VICTIM}\r\nX-Other: 1"]},
        {"X-User-Id": [f"{VICTIM}\u0000"]},
        {"X-User-Id": [f"\ufeff{VICTIM}"]},
        {"X-User-Id": [f"{VICTIM}\u2028"]},
        {"X-User-Id": ["a\u2029b"]},
        {"X-User-Id": ["\u3164"]},
        {"X-User-Id": ["\u115f\u1160"]},
        {"X-User-Id": [f"{VICTIM}\ufe0f"]},
        {"X-User-Id": [f"{VICTIM}\u3000"]},
        {"X-User-Id": [f"\u00a0{VICTIM}"]},
        {"X-User-Id": [f"{VICTIM} "]},
        {"X_User_Id": [VICTIM]},
        {"X-User-Id ": [VICTIM]},
    ],
    ids=range(18),
)
def test_header_that_names_nobody_or_two_is_nobody(robbed: System, headers: dict[str, list[str]]) -> None:
    """In IAM mode, without one well-formed header, there is no caller: 401."""
    for call in CALLS:
        event = call.event(user=None)
        event["multiValueHeaders"] |= headers
        event["headers"] |= {name: values[-1] for name, values in headers.items() if values}
        reply = robbed.send(event)
        assert reply.status == 401, reply.json
        assert_nothing_of_the_victim(reply)


@pytest.mark.parametrize(
    "name",
    [
        f"{ATTACKER},{VICTIM}", f"{VICTIM}, {ATTACKER}", f"{VICTIM}%00", "%76ictim", "VICTIM", "Victim", "ｖictim",
        f"{VICTIM}#s1", f"{VICTIM}%23s1", f"USER#{VICTIM}", f"SESSION#{VICTIM}", f"{VICTIM}/", f"../{VICTIM}",
        "auth0|victim", f'"{VICTIM}"', f"{VICTIM};", f"{VICTIM}*", "*", "%", "vicTim\u0301",
    ],
)  # fmt: skip
def test_name_that_looks_like_the_victims_is_another_user(robbed: System, name: str) -> None:
    for call in CALLS:
        reply = robbed.send(call.event(user=name))
        assert reply.status < 500
        assert SECRET not in json.dumps(reply.json)


def test_header_in_any_case_is_the_header(robbed: System) -> None:
    """HTTP header names have no case: a proxy may write them as it likes."""
    for call in CALLS:
        event = call.event(user=None)
        event["headers"]["x-user-id"] = "somebody"
        event["multiValueHeaders"]["x-user-id"] = ["somebody"]
        assert robbed.send(event).status in (200, 404)
        # AND an event without the header in its multi-value form is read in its single one
        event = call.event(user="somebody")
        event["multiValueHeaders"] = None
        assert robbed.send(event).status in (200, 404)


@pytest.mark.parametrize(
    "authorizer",
    [
        None, {}, {"sub": ""}, {"sub": None}, {"sub": " "}, {"sub": [VICTIM]}, {"sub": {"S": VICTIM}}, {"sub": 7},
        {"claims": None}, {"claims": {}}, {"claims": "text"}, {"claims": [VICTIM]}, {"principalId": VICTIM},
        {"SUB": VICTIM}, {"claims": {"username": VICTIM, "email": VICTIM}},
    ],
    ids=range(15),
)  # fmt: skip
def test_token_without_subject_is_nobody(robbed: System, authorizer: dict[str, Any] | None) -> None:
    """In JWT mode the header is ignored, whatever it says."""
    jwt = robbed.with_settings(auth_mode="JWT")
    for call in CALLS:
        reply = jwt.send(call.event(user=VICTIM, authorizer=authorizer))
        assert reply.status == 401, reply.json
        assert_nothing_of_the_victim(reply)


def test_token_and_header_is_the_token(robbed: System) -> None:
    jwt = robbed.with_settings(auth_mode="JWT")
    for call in CALLS:
        assert_nothing_of_the_victim(jwt.send(call.event(user=VICTIM, authorizer={"sub": ATTACKER})))


def test_session_id_with_separators_is_refused(robbed: System) -> None:
    names = [
        f"{VICTIM}#s1", f"../{VICTIM}/s1", f"{VICTIM}%23s1", "s1#", "#s1", "s1%00", "s1\u0000", "s1\n", " s1", "s1/",
        "s*", "", "ｓ1", "s1?x=1", "s1&user_id=victim", "\u202es1", "s1 OR 1=1", "${s1}", "{{s1}}", "s" * 129, "s1\\",
    ]  # fmt: skip
    for call in (call for call in CALLS if "session_id" in (call.body or call.query)):
        where = "body" if call.body else "query"
        for name in names:
            reply = robbed.send(call.event(user=ATTACKER, **{where: {"session_id": name}}))
            assert reply.status == 400, name
            assert [error["field"] for error in reply.json["errors"]] == ["session_id"]
            assert_nothing_of_the_victim(reply)


@pytest.mark.parametrize("session", ["s1", "s2", f"{VICTIM}:s1", f"{VICTIM}@s1", "__default__", "."])
def test_session_of_another_is_one_of_ones_own(robbed: System, session: str) -> None:
    for call in CALLS:
        where = "body" if call.body else "query"
        reply = robbed.send(call.event(user=ATTACKER, **{where: {"session_id": session}}))
        assert reply.status < 500
        assert SECRET not in json.dumps(reply.json)


def test_message_id_of_another_is_ones_own(robbed: System) -> None:
    """R9, R22: nobody gets another's stored answer."""
    reply = robbed.ask(f"{SECRET} grower asks", user=ATTACKER, message_id="m1")
    assert (reply.status, reply.data["turn"]) == (200, 1)
    assert len(robbed.model.requests[-1]) == 1


@pytest.mark.parametrize("event_field", ["headers", "multiValueHeaders", "requestContext"])
@pytest.mark.parametrize("value", [None, {}])
def test_event_without_its_parts_is_nobodys(robbed: System, event_field: str, value: object) -> None:
    """Nothing of an event is taken for granted."""
    for call in CALLS:
        event = call.event(user=None)
        event[event_field] = value
        assert robbed.send(event).status == 401


def test_change_of_scope_opens_no_door_to_another(robbed: System) -> None:
    """R22: a user whose id ends like a session of another does not inherit that session's role over all sessions."""
    # GIVEN a deployment whose roles were of sessions and are of users now
    wide = robbed.with_settings(role_scope="user")
    neighbour = f"{VICTIM}#s1"
    # WHEN a user has a role whose id is the victim's id and a session THEN it holds nothing of the victim
    wide.ask("sailor asks", user=neighbour)
    wide.ring_all()
    for name in ("track", "latest", "guidance"):
        assert SECRET not in json.dumps(wide.read(name, user=neighbour).json)
    # AND erasing it erases nothing of the victim, as the fixture checks
    assert wide.call("POST", "/api/user/delete", user=neighbour).data["snapshots"] == 1
