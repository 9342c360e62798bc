"""What a caller can do wrong: always the envelope, and nothing stored."""

from typing import Any

import pytest

from tests.support.events import rest_event
from tests.support.system import HttpReply, System


def assert_refused(system: System, reply: HttpReply, status: int = 400, field: str | None = None) -> None:
    assert reply.status == status, reply.json
    assert reply.json["code"] == status
    assert reply.json["status"] == "error"
    assert reply.json["data"] is None
    assert len(reply.json["message"]) > 10
    assert "X-Request-Id" in reply.headers
    if field:
        assert [error["field"] for error in reply.json["errors"]] == [field]
    assert system.dynamodb.scan(TableName="conversation")["Count"] == 0
    assert system.model.requests == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "message"),
        ({"message": ""}, "message"),
        ({"message": " \n\u3000"}, "message"),
        ({"message": 7}, "message"),
        ({"message": None}, "message"),
        ({"message": ["x"]}, "message"),
        ({"message": "x" * 32_001}, "message"),
        ({"message": "half \ud800"}, "message"),
        ({"message": "x", "session_id": "a b"}, "session_id"),
        ({"message": "x", "session_id": "a#b"}, "session_id"),
        ({"message": "x", "session_id": "x" * 129}, "session_id"),
        ({"message": "x", "session_id": ""}, "session_id"),
        ({"message": "x", "session_id": "s\n"}, "session_id"),
        ({"message": "x", "message_id": "é"}, "message_id"),
        ({"message": "x", "guide": "sometimes"}, "guide"),
        ({"message": "x", "user_id": "u2"}, "user_id"),
        ({"message": "x", "temporary": "perhaps"}, "temporary"),
    ],
)
def test_chat_body_at_fault(system: System, body: dict[str, object], field: str) -> None:
    assert_refused(system, system.call("POST", "/api/chat", body=body, ascii_body=True), field=field)


@pytest.mark.parametrize("raw", ["", "not json", "[]", '"text"', "null", "1", "{", "[" * 5000, '{"message": }'])
def test_chat_body_that_is_no_object(system: System, raw: str) -> None:
    assert_refused(system, system.call("POST", "/api/chat", raw_body=raw))


@pytest.mark.parametrize("raw", ["//4=", "%%%", "eyJtZXNzYWdlIjo="])
def test_chat_body_that_does_not_decode(system: System, raw: str) -> None:
    assert_refused(system, system.call("POST", "/api/chat", raw_body=raw, base64=True))


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json-seq",
        "application/jsonx; charset=utf-8",
    ],
)
def test_wrong_content_type(system: System, kind: str) -> None:
    headers = {"Content-Type": kind}
    assert_refused(system, system.call("POST", "/api/chat", raw_body="message=x", headers=headers), status=415)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", " Application/JSON ;charset=UTF-8", ""])
def test_right_content_type_in_any_spelling(system: System, kind: str) -> None:
    reply = system.call("POST", "/api/chat", body={"message": "x"}, headers={"Content-Type": kind})
    assert reply.status == 200


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("POST", "/api/user/memory/delete", "sessionId"),
        ("POST", "/api/user/delete", "session_id"),
        ("GET", "/api/user/memory/track", "sesion_id"),
    ],
)
def test_query_that_a_call_does_not_know_is_refused(system: System, method: str, path: str, name: str) -> None:
    """R23: a misspelt name must not delete, or show, another session than the one meant."""
    system.ask("gardener", session="__default__")
    reply = system.call(method, path, query={name: "s1"})
    assert (reply.status, reply.json["errors"]) == (400, [{"field": name, "problem": "is not a field of this call"}])
    assert len(system.read("conversation", session="__default__").data) == 2


def test_body_of_a_get_is_not_looked_at(system: System) -> None:
    """No such call has one, so none of its kinds is wrong."""
    system.ask("hello")
    event = rest_event("GET", "/api/user/memory/conversation", query={"session_id": "s1"})
    reply = system.send(event | {"body": "x", "headers": event["headers"] | {"Content-Type": "text/plain"}})
    assert reply.status == 200
    assert reply.data[0]["text"] == "hello"


@pytest.mark.parametrize(
    "text",
    [
        "a\x00b",
        "\u202eevil\u202c",
        "👩‍👩‍👧‍👦 🏳️‍🌈",
        "0.1 1e-400 NaN",
        "e\u0301 vs \u00e9",
        "\ufeffx\u200b",
        "﷽ שלום مرحبا",
    ],
)
def test_odd_text_comes_back_as_it_was(system: System, text: str) -> None:
    """The log keeps what the user wrote, to the character."""
    assert system.ask(text).status == 200
    assert system.read("conversation").data[0]["text"] == text


def test_body_in_base64_is_read(system: System) -> None:
    reply = system.call("POST", "/api/chat", raw_body="eyJtZXNzYWdlIjogImhlbGxvIn0=", base64=True)
    assert reply.status == 200


def test_longest_message_and_ids_are_taken(system: System) -> None:
    """The limits themselves are allowed: 32,000 characters, ids of 128."""
    body = {"message": "长" * 32_000, "session_id": "x" * 128, "message_id": "a.b_c-d:e@f" + "y" * 117}
    assert system.call("POST", "/api/chat", body=body).status == 200
    assert system.read("conversation", session="x" * 128).data[0]["text"] == "长" * 32_000


@pytest.mark.parametrize(
    ("call", "query", "field"),
    [
        ("conversation", {"limit": "0"}, "limit"),
        ("conversation", {"limit": "1001"}, "limit"),
        ("conversation", {"limit": "many"}, "limit"),
        ("track", {"limit": "0"}, "limit"),
        ("latest", {"version": "0"}, "version"),
        ("latest", {"version": "x"}, "version"),
        ("latest", {"as_of": "yesterday"}, "as_of"),
        ("latest", {"as_of": "2026-01-01T00:00:00"}, "as_of"),
        ("latest", {"version": "1", "as_of": "2026-01-01T00:00:00Z"}, "as_of"),
        ("diff", {"to": "1"}, "from"),
        ("guidance", {"session_id": "a b"}, "session_id"),
    ],
)
def test_query_at_fault(system: System, call: str, query: dict[str, str], field: str) -> None:
    reply = system.call("GET", f"/api/user/memory/{call}", query={"session_id": "s1"} | query)
    assert_refused(system, reply, field=field)


def test_delete_scope_at_fault(system: System) -> None:
    reply = system.call("POST", "/api/user/memory/delete", query={"scope": "everything"})
    assert_refused(system, reply, field="scope")


@pytest.mark.parametrize("user", [None, "", " ", "u1 ", " u1", "a\nb", "x" * 256, "a\u200bb"])
def test_nobody_is_refused(system: System, user: str | None) -> None:
    """R22: without a verified caller there is no memory to speak of."""
    assert_refused(system, system.call("POST", "/api/chat", user=user, body={"message": "x"}), status=401)
    assert_refused(system, system.call("GET", "/api/user/export", user=user), status=401)


def test_two_identities_are_none(system: System) -> None:
    """R22."""
    event = rest_event("POST", "/api/chat", body={"message": "x"})
    event["multiValueHeaders"]["X-User-Id"] = ["u1", "u2"]
    assert_refused(system, system.send(event), status=401)


def test_unknown_call(system: System) -> None:
    assert_refused(system, system.call("GET", "/api/user/memory/everything"), status=404)
    assert_refused(system, system.call("DELETE", "/api/chat"), status=404)


def test_token_without_subject(system: System) -> None:
    """R22: in JWT mode the header means nothing."""
    jwt = system.with_settings(auth_mode="JWT")
    strange: list[dict[str, Any] | None] = [None, {}, {"sub": ""}, {"claims": {}}, {"principalId": "u1"}, {"sub": 7}]
    for authorizer in strange:
        assert_refused(jwt, jwt.call("GET", "/api/user/export", user="u1", authorizer=authorizer), status=401)


def test_subject_of_the_token_is_the_user(system: System) -> None:
    """R22."""
    jwt = system.with_settings(auth_mode="JWT")
    verified: list[dict[str, Any]] = [{"sub": "auth0|1"}, {"claims": {"sub": "auth0|1"}}]
    for authorizer in verified:
        assert jwt.call("POST", "/api/chat", user="u2", authorizer=authorizer, body={"message": "x"}).status == 200
    assert system.call("GET", "/api/user/memory/conversation", user="u2").data == []
    assert len(system.call("GET", "/api/user/memory/conversation", user="auth0|1").data) == 4


@pytest.mark.parametrize("other", ["u1#s1", "u1%23s1", "U1", "u 1", "u1#", "SESSION#u1"])
def test_no_user_id_reaches_into_another(system: System, other: str) -> None:
    """R22: ids that look like keys are ids."""
    system.ask("secret of u1")
    assert system.read("conversation", user=other).data == []
    assert system.call("POST", "/api/user/delete", user=other).data["messages"] == 0
    assert len(system.read("conversation").data) == 2
