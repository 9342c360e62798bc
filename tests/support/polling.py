"""Waiting for something to become so, without a fixed sleep."""

import time
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


def eventually(read: Callable[[], _T], holds: Callable[[_T], bool] = bool, seconds: float = 30) -> _T:
    """Read until what was read holds, and return it; fail with what was read last."""
    deadline = time.monotonic() + seconds
    while not holds(found := read()):
        assert time.monotonic() < deadline, f"Still so after {seconds} s: {found}"
        time.sleep(0.02)
    return found
