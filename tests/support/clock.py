"""A clock that stands still until it is moved."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass
class FakeClock:
    """Returns ``now``; every reading is a millisecond later, so that order in time is order of events."""

    now: datetime = datetime(2026, 1, 31, 10, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def advance(self, **by: float) -> None:
        self.now += timedelta(**by)
