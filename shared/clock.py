"""The one source of time (R8): everything that needs it is handed a ``Clock``."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the present moment, time zone aware."""


def utc_now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)
