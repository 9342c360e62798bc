"""What the functions log, as CloudWatch would get it."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shared.observability import logger


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(json.loads(logger.registered_formatter.format(record)))


@contextmanager
def logged() -> Iterator[list[dict[str, Any]]]:
    """Collect the lines that are logged within."""
    collector = _Lines()
    logger.addHandler(collector)
    try:
        yield collector.lines
    finally:
        logger.removeHandler(collector)
