"""What the specification keeps: turns, sessions, snapshots, tracks."""

from dataclasses import dataclass, field

Subject = tuple[str, str | None]
Message = tuple[str, int, str, bool]
"""Type, turn, text, and whether it is marked as failed."""


@dataclass
class Turn:
    """A question and what became of it; ``cut_off`` holds until the clock is moved past its lease."""

    number: int
    text: str
    message_id: str | None
    day: int
    asked: int
    answered_on: int | None = None
    failed: bool = False
    cut_off: bool = False


@dataclass
class Session:
    """A conversation; it lives as long as its last activity has not expired."""

    turns: list[Turn] = field(default_factory=list)
    cursor: int = 0
    day: int = 0
    active: int = 0
    guided: bool = False


@dataclass(frozen=True)
class Snapshot:
    """One version of the role."""

    version: int = 0
    operation: str = ""
    turn: int | None = None
    covered: tuple[int, ...] = ()
    identities: frozenset[str] = frozenset()
    short: bool = False
    pinned: bool = False
    forbidden: frozenset[str] = frozenset()
    interactions: int = 0
    question: str = ""
    learned: bool = False
    day: int = 0

    @property
    def guides(self) -> bool:
        return self.learned and bool(self.identities or self.short)


@dataclass
class Track:
    """The versions of one subject; ``erased`` is when it was last deleted."""

    version: int = 0
    floor: int = 0
    erased: int = -1
    day: int = 0
    snapshots: list[Snapshot] = field(default_factory=list)


@dataclass(frozen=True)
class Asked:
    """What a chat request must be answered with; ``window`` is ``None`` when the model must not be asked."""

    status: int
    turn: int | None = None
    window: tuple[tuple[str, str], ...] | None = None
    guided_by: int | None = None
    rings: bool = False
