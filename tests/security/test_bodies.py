"""Bodies and queries that are made to break the reader: an error that says so, never a 500, and nothing stored."""

import json

import pytest

from tests.security.requests import CALLS
from tests.support.system import System

_DIGITS = "9" * 5000
BODIES = [
    f'{{"message": {_DIGITS}}}',
    f'{{"message": "x", "session_id": "s1", "version": {_DIGITS}}}',
    f'{{"message": "x", "more": 1e{_DIGITS}}}',
    '{"message": NaN}',
    '{"message": "x", "temporary": Infinity}',
    '{"message": "x", "message": {}}',
    '{"message": {"$gt": ""}}',
    '{"message": "x", "__proto__": {"temporary": true}}',
    '{"message": "x", "": 1}',
    '{"message": "x", "\ud83d": 1}'.encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
    '{"mess\\ud800age": "x"}',
    '{"set": {"possibleIdentities": ["\\ud800"]}}',
    '{"forbid": ["\\u0000"], "allow": ["\\u202e"]}',
    '{"set": {"\\ud800": 1}}',
    '{"pin": ["\\ud800"]}',
    '{"version": 1e308, "session_id": "s1"}',
    '{"version": -0, "session_id": "s1"}',
    '{"a":' * 990 + "1" + "}" * 990,
    "\ufeff{}",
    "{}\u0000",
    "\u0000",
    '"\\ud800"',
]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_hostile_body_is_a_400(system: System, body: str) -> None:
    for call in CALLS:
        if call.body is None:
            continue
        reply = system.send(call.event() | {"body": body})
        assert reply.status in (400, 404), (call.path, reply.json)
        assert reply.json["errors"] or reply.status == 404
        json.dumps(reply.json, ensure_ascii=False).encode()
    assert system.dynamodb.scan(TableName="conversation")["Count"] == 0
    assert system.dynamodb.scan(TableName="role-memory")["Count"] == 0


@pytest.mark.parametrize(
    "value", [_DIGITS, "-1", "1e3", "0x10", "１", "\u0661", "1\u0000", "NaN", "", " 1", "1_000", "\ud800", "9" * 40]
)
def test_hostile_number_in_the_query(system: System, value: str) -> None:
    for call in CALLS:
        for name in ("limit", "version", "from", "to"):
            if call.method == "GET":
                reply = system.send(call.event(query={name: value}))
                assert reply.status < 500, (call.path, name, reply.json)


@pytest.mark.parametrize(
    "moment", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00+23:59", "1e400", "99999999999999", "now"]
)
def test_hostile_moment_in_the_query(system: System, moment: str) -> None:
    system.ask("gardener asks")
    system.ring_all()
    assert system.read("latest", as_of=moment).status in (200, 400)
