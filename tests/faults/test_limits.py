"""R1, R7, R15: the largest question and answer, the longest session, the fullest snapshot."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from functions.role_memory.extract import Extract
from shared.domain.roles import MAX_SNAPSHOT_BYTES
from shared.model.ports import Answer
from shared.records import Evidence
from shared.store.codec import encode
from tests.faults.acting import ask, learn, log, store_questions
from tests.support.models import EchoChat
from tests.support.state import items
from tests.support.system import System

LONGEST_QUESTION = 32_000
LONG_ANSWER_BYTES = 200_000
TURNS = 1_000
HISTORY = 5


class Novelist(EchoChat):
    """Answers at length."""

    def answer(self, messages: Any, *, seconds: float) -> Answer:
        return Answer("a", "好" * (LONG_ANSWER_BYTES // 3), "STOP", "novelist")


def test_longest_question_and_a_long_answer_are_stored_whole(
    deployed: Callable[..., System], users: Iterator[str]
) -> None:
    """Several of them are more than one page of the table: window and API still have each, in order."""
    system, user = deployed(threads=3, model=Novelist()), next(users)
    question = "🌹" * LONGEST_QUESTION
    answer = "好" * (LONG_ANSWER_BYTES // 3)
    for _ in range(5):
        assert system.ask(question, user=user).data["message"]["text"] == answer
    assert log(system, user) == [(n, *m) for n in range(1, 6) for m in (("USER", question), ("ASSISTANT", answer))]
    # AND the API hands them out page by page
    page = system.read("conversation", user=user)
    read = [len(message["text"]) for message in page.data]
    while page.json["nextCursor"]:
        page = system.read("conversation", user=user, cursor=page.json["nextCursor"])
        read += [len(message["text"]) for message in page.data]
    assert read == [len(question), len(answer)] * 5
    # AND one character more is refused
    assert system.ask(question + "!", user=user).status == 400


def seed(system: System, user: str, turns: int) -> None:
    """Store ``turns`` turns of which all but the last are read, by copying the first."""
    ask(system, user, f"gardener asks {1:04d}")
    head, *messages = items(system, user, "s1")
    table, puts = system.stores.tables.conversation, []
    for turn in range(2, turns + 1):
        for item in messages:
            epoch, _, part = item["sk"].split("#")
            message = item["message"] | {"metadata": item["message"]["metadata"] | {"turn": turn}}
            message["text"] = message["text"].replace("0001", f"{turn:04d}")
            puts.append(item | {"message": message, "sk": f"{epoch}#{turn:08d}#{part}"})
    puts.append(head | {"lastTurn": turns, "cursor": turns - 1})
    for start in range(0, len(puts), 25):
        requests: Any = [{"PutRequest": {"Item": encode(item)}} for item in puts[start : start + 25]]
        assert not system.dynamodb.batch_write_item(RequestItems={table: requests})["UnprocessedItems"]


@pytest.fixture
def costs(deployed: Callable[..., System]) -> tuple[System, list[tuple[str, float]]]:
    """Return a deployment, and what its requests to the store cost from now on, in capacity units."""
    system = deployed(threads=3).with_settings(
        conversation_max_messages="10", role_history_questions=str(HISTORY), role_catch_up_limit="1"
    )
    costs: list[tuple[str, float]] = []

    def ask_for_it(params: dict[str, Any], model: Any, **_: Any) -> None:
        if model.name != "BatchWriteItem":
            params["ReturnConsumedCapacity"] = "TOTAL"

    def note(parsed: dict[str, Any], model: Any, **_: Any) -> None:
        consumed = parsed.get("ConsumedCapacity", [])
        each = consumed if isinstance(consumed, list) else [consumed]
        costs.append((model.name, sum(one["CapacityUnits"] for one in each)))

    events = system.dynamodb.meta.events
    events.register("provide-client-params.dynamodb.*", ask_for_it)
    events.register("after-call.dynamodb.*", note)
    return system, costs


def test_a_long_session_costs_what_a_short_one_does(
    costs: tuple[System, list[tuple[str, float]]], users: Iterator[str]
) -> None:
    """R1: asking, learning and a page of the log take as many requests and units at turn 1,000 as at turn 10."""
    system, spent = costs
    bills: dict[int, dict[str, list[tuple[str, float]]]] = {}
    for turns in (10, TURNS):
        user = next(users)
        seed(system, user, turns)
        acts: dict[str, Callable[[], object]] = {
            "learn": partial(learn, system, user),
            "ask": partial(ask, system, user, "gardener asks 9999"),
            "page": partial(system.read, "conversation", user=user, limit="10"),
        }
        bills[turns] = {}
        for name, act in acts.items():
            spent.clear()
            act()
            bills[turns][name] = sorted(spent)
    assert bills[10] == bills[TURNS]
    assert [name for name, _ in bills[TURNS]["page"]] == ["BatchGetItem", "Query"]
    assert [name for name, _ in bills[TURNS]["ask"]] == ["BatchGetItem", "Query", "Query", *["TransactWriteItems"] * 2]
    # AND that compares something: the emulator counts every request but a batch of reads
    counted = [units for bill in bills[TURNS].values() for name, units in bill if name != "BatchGetItem"]
    assert all(counted)


def test_fullest_snapshot_stays_small(deployed: Callable[..., System], users: Iterator[str]) -> None:
    """R15: whatever is read, a snapshot stays under its limit, and so does the prompt that is made of it."""
    system, user = deployed(threads=3), next(users)

    def fullest(question: str) -> Extract:
        turn = int(question[:4])
        terms = [f"{turn}第{number}种身份" + "很长" * 1_000 for number in range(50)]
        return Extract(
            identities=tuple(terms),
            characteristics=tuple(f"特征{term}" for term in terms),
            evidence=tuple(Evidence(turn=turn, quote=f"{number}" + "引" * 2_000) for number in range(50)),
            evidence_summary=tuple(f"{number}" + "摘" * 2_000 for number in range(50)),
            denied=tuple(f"不是{term}" for term in terms),
            self_described=True,
            overview="概" * 5_000,
            language="zh",
        )

    system.reader.script = fullest
    head = None
    for turn in range(1, 13):
        head = store_questions(system, user, f"{turn:04d}" + "问" * (LONGEST_QUESTION - 4), head=head)
        learn(system, user)
    sizes = [stored_bytes(item["snapshot"]) for item in items(system, user) if "snapshot" in item]
    assert len(sizes) == 12
    assert max(sizes) <= MAX_SNAPSHOT_BYTES <= 16 * 1024


def stored_bytes(value: Any) -> int:
    """Return what the table counts for a value."""
    if isinstance(value, dict):
        return 3 + sum(1 + len(name.encode()) + stored_bytes(part) for name, part in value.items())
    if isinstance(value, list):
        return 3 + sum(1 + stored_bytes(part) for part in value)
    if isinstance(value, str):
        return len(value.encode())
    return 1 if value is None or isinstance(value, bool) else 2 + len(str(value)) // 2
