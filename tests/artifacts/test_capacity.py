"""What a turn takes is bounded by the window, however long the session."""

from pathlib import Path

import pytest

from tools.capacity.__main__ import measure
from tools.capacity.bill import bill, idle, mean
from tools.capacity.units import read_units, size


def test_no_cost_of_a_turn_grows_with_the_session(artifacts: Path) -> None:
    # GIVEN a session of several times its window
    (turns,) = measure(artifacts, sessions=1, turns=40, window=10)
    # WHEN the questions of its middle are compared with the same ones of its end
    middle, end = mean(turns[10:20]), mean(turns[30:])
    # THEN requests are the same, and units, calls and tokens as good as that
    for name in ("dynamodb requests", "sqs requests"):
        assert end[name] == middle[name], name
    for name in ("write units", "read units", "model calls", "input tokens"):
        assert end[name] <= middle[name] * 1.1, name
    # AND a turn is what the documents say it is
    assert end["sqs requests"] == 3
    assert end["model calls"] <= 3
    assert end["write units"] <= 24


def test_size_of_an_item_is_what_dynamodb_counts() -> None:
    # GIVEN items of each type; THEN names and values count, a list and a map three bytes and one an entry
    assert size({"pk": {"S": "语"}}) == 2 + 3
    assert size({"a": {"L": [{"S": "bc"}, {"BOOL": True}]}}) == 1 + 3 + 2 + 3
    assert size({"a": {"M": {"b": {"S": "c"}}}}) == 1 + 3 + 1 + 2
    # AND each started 4 KB is a unit, as is what is not there
    item = {"a": {"S": "x" * 4096}}
    assert read_units("Query", {}, {"Items": [item, item]}) == 3
    asked = {"RequestItems": {"t": {"Keys": [{}, {}]}}}
    assert read_units("BatchGetItem", asked, {"Responses": {"t": [item]}}) == 1 + 2


def test_bill_charges_each_service_once() -> None:
    # GIVEN a turn and round prices WHEN a thousand are billed
    turn = {"write units": 10, "read units": 4, "sqs requests": 3, "chat ms": 0, "worker ms": 0}
    turn |= {"input tokens": 1000, "output tokens": 100}
    prices = {
        "dynamodb": {"million_write_units": 1.0, "million_read_units": 0.5},
        "sqs": {"million_requests": 1.0},
        "lambda": {"million_requests": 0.0, "gigabyte_second": 1.0},
        "api_gateway": {"million_requests": 4.0},
        "logs": {"gigabyte": 0.0},
        "model": {"million_input_tokens": 1.0, "million_output_tokens": 10.0},
    }
    costs = bill(turn, prices, answer_seconds=2)
    # THEN
    assert costs["DynamoDB"] == pytest.approx(0.012)
    assert costs["SQS"] == pytest.approx(0.003)
    assert costs["Lambda"] == pytest.approx(1000 * (2 * 1.0 + 1 * 0.5))
    assert costs["Model"] == pytest.approx(2.0)


def test_idle_deployment_costs_its_alarms_its_dashboard_its_secret_and_polling() -> None:
    # GIVEN round prices; THEN a month is the seven alarms, one dashboard, one secret and 648,000 polls
    prices = {"month": {"alarm": 1.0, "dashboard": 10.0, "secret": 100.0}, "sqs": {"million_requests": 1000.0}}
    assert idle(prices) == pytest.approx(7 + 10 + 100 + 648)
