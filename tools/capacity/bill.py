"""From what turns took to what a thousand of them cost."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tools.template import properties, template

COUNTED = ("write units", "read units", "dynamodb requests", "sqs requests", "chat ms", "worker ms", "model calls")
TOKENS = ("input tokens", "output tokens")
POLLS_A_MONTH = 5 * 3 * 60 * 24 * 30
"""Lambda asks an empty queue with five requests that wait 20 s each."""
LOG_BYTES = 4_000
"""Of one turn, at LogLevel INFO: metrics and reports of two invocations, and an access log line."""


def mean(turns: Sequence[Counter[str]]) -> dict[str, float]:
    """Return the mean of each count."""
    return {name: sum(turn[name] for turn in turns) / len(turns) for name in (*COUNTED, *TOKENS)}


def bill(turn: Mapping[str, float], prices: Mapping[str, Any], answer_seconds: float = 3.0) -> dict[str, float]:
    """Return what a thousand such turns cost, in dollars a service.

    Both functions wait for their model: the answer ``answer_seconds``, the reading of a question half of that.
    """
    gigabytes = {name: properties(name)["MemorySize"] / 1024 for name in ("ChatFunction", "RoleMemoryFunction")}
    chat = (turn["chat ms"] / 1000 + answer_seconds) * gigabytes["ChatFunction"]
    worker = (turn["worker ms"] / 1000 + answer_seconds / 2) * gigabytes["RoleMemoryFunction"]
    single = {
        "DynamoDB": turn["write units"] * prices["dynamodb"]["million_write_units"] / 1e6
        + turn["read units"] * prices["dynamodb"]["million_read_units"] / 1e6,
        "SQS": turn["sqs requests"] * prices["sqs"]["million_requests"] / 1e6,
        "Lambda": 2 * prices["lambda"]["million_requests"] / 1e6
        + (chat + worker) * prices["lambda"]["gigabyte_second"],
        "API Gateway": prices["api_gateway"]["million_requests"] / 1e6,
        "Logs": LOG_BYTES * prices["logs"]["gigabyte"] / 1e9,
        "Model": turn["input tokens"] * prices["model"]["million_input_tokens"] / 1e6
        + turn["output tokens"] * prices["model"]["million_output_tokens"] / 1e6,
    }
    return {service: dollars * 1000 for service, dollars in single.items()}


def idle(prices: Mapping[str, Any]) -> float:
    """Return what a deployment costs a month, in dollars, while nobody asks: alarms, dashboard, secret, and polling."""
    alarms = sum(each["Type"] == "AWS::CloudWatch::Alarm" for each in template()["Resources"].values())
    month = prices["month"]
    polling = POLLS_A_MONTH * prices["sqs"]["million_requests"] / 1e6
    return float(alarms * month["alarm"] + month["dashboard"] + month["secret"] + polling)


def report(sessions: Sequence[Sequence[Counter[str]]], prices: Mapping[str, Any]) -> str:
    """Return the tables that are printed."""
    turns = [turn for session in sessions for turn in session]
    third = max(1, len(sessions[0]) // 3)
    columns = {
        "all turns": mean(turns),
        f"turns 2–{third}": mean([turn for session in sessions for turn in session[1:third]]),
        f"turns {len(sessions[0]) - third + 1}–{len(sessions[0])}": mean(
            [turn for session in sessions for turn in session[-third:]]
        ),
    }
    lines = [f"{'a turn takes':20}" + "".join(f"{name:>16}" for name in columns)]
    lines += [
        f"{name:20}" + "".join(f"{column[name]:16.1f}" for column in columns.values()) for name in (*COUNTED, *TOKENS)
    ]
    costs = bill(columns["all turns"], prices)
    lines += ["", f"1,000 turns at list prices of {prices['date']} in {prices['region']}, a model that answers in 3 s:"]
    lines += [f"{service:20}${dollars:15.4f}" for service, dollars in costs.items()]
    own = sum(dollars for service, dollars in costs.items() if service != "Model")
    lines += [f"{'AWS':20}${own:15.4f}", f"{'AWS and model':20}${sum(costs.values()):15.4f}"]
    return "\n".join([*lines, "", f"{'A month, idle':20}${idle(prices):15.4f}"])
