"""What a turn costs in requests to the store and the queue: every one is counted, so that none is added unnoticed."""

from typing import Any

from tests.support.system import System


def recorded(system: System) -> list[str]:
    """Return the list that every request from now on is written to."""
    names: list[str] = []

    def write(model: Any, **_: Any) -> None:
        names.append(model.name)

    for client in (system.dynamodb, system.sqs):
        client.meta.events.register("before-call.*.*", write)
    return names


def test_answer_costs_five_requests_to_the_store_and_one_to_the_queue(system: System) -> None:
    """The reads go out together, and the doorbell rings while the model is asked."""
    # GIVEN a session with a role
    system.ask("gardener asks")
    system.ring_all()
    names = recorded(system)
    # WHEN the next question is asked, with a message_id
    system.ask("and roses", message_id="m1")
    # THEN
    reads = ["BatchGetItem", "Query", "Query"]
    assert sorted(names) == sorted([*reads, "TransactWriteItems", "TransactWriteItems", "SendMessage"])
    assert names.index("SendMessage") > names.index("TransactWriteItems")


def test_reading_a_question_costs_the_same_in_a_short_and_in_a_long_session(system: System) -> None:
    """R1: no request reads the session as a whole."""
    names = recorded(system)
    costs = []
    for number in range(30):
        system.ask(f"gardener {number}")
        names.clear()
        system.ring_all()
        costs.append(sorted(names))
    assert costs[1] == costs[-1]
