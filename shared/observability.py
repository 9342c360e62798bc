"""Logging and metrics of all functions. What is handed to them is ids, numbers, decisions and durations (R24)."""

import logging

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

logger = Logger()
metrics = Metrics()

for _library in ("aws_lambda_powertools", "boto3", "botocore", "httpcore2", "httpx2", "openai", "urllib3"):
    # At DEBUG they log whole requests, whatever level the function's own log has.
    logging.getLogger(_library).setLevel(logging.WARNING)


def count(name: str, value: int = 1) -> None:
    """Add to a counter."""
    metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)


def duration(name: str, seconds: float) -> None:
    """Record how long something took."""
    metrics.add_metric(name=name, unit=MetricUnit.Milliseconds, value=round(seconds * 1000))


def place_of(error: BaseException) -> str:
    """Return the function and the line that raised ``error``: its message may hold what a user said (R24)."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}" if trace else ""
