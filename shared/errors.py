"""The errors of the domain, one small tree.

::

    MemoryFault
    ├── InvalidInput            400  the request is at fault, field by field
    ├── NotIdentified           401  nobody vouches for the caller
    ├── NotFound                404  what was named does not exist
    ├── Conflict                409  the request does not fit the state of things
    │   ├── MemoryDisabled           memory is switched off
    │   ├── Erased                   what the work was based on was deleted meanwhile
    │   ├── StaleVersion             the role moved on; carries the current version
    │   └── InProgress               the same turn is being answered; carries when to retry
    ├── UnsupportedMedia        415  the body is of another media type
    ├── Busy                    503  too many writers at once, or the store throttles; retry
    ├── ModelUnavailable        502  the model endpoint failed; retry
    └── ModelOutputUnusable     502  the model answered, but not with what was asked for

Messages are sentences for the person who calls; they hold ids and numbers, never what a user said (R24).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class FieldProblem:
    """One input at fault and what is wrong with it."""

    field: str
    problem: str


class MemoryFault(Exception):
    """Base of all errors of the domain."""

    status = 500
    retry_after: int | None = None
    """Seconds after which the same request may succeed."""


class InvalidInput(MemoryFault):
    """The request is at fault."""

    status = 400

    def __init__(self, message: str, problems: tuple[FieldProblem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class NotIdentified(MemoryFault):
    """No verified caller."""

    status = 401


class NotFound(MemoryFault):
    """What was named does not exist."""

    status = 404


class Conflict(MemoryFault):
    """The request does not fit the state of things."""

    status = 409


class MemoryDisabled(Conflict):
    """``SHORT_TERM_MEMORY_ENABLED`` is false."""

    def __init__(self) -> None:
        super().__init__("Memory is switched off on this deployment (SHORT_TERM_MEMORY_ENABLED=false).")


class Erased(Conflict):
    """What the work was based on was deleted while it ran; nothing was stored."""


class StaleVersion(Conflict):
    """The role moved on since the caller read it."""

    def __init__(self, current_version: int) -> None:
        super().__init__(f"The role has changed meanwhile: its version is {current_version}. Read it and try again.")
        self.current_version = current_version


class InProgress(Conflict):
    """The same turn is being answered by another request."""

    def __init__(self, retry_after: int) -> None:
        super().__init__("This message is being answered by another request. Retry with the same message_id.")
        self.retry_after = retry_after


class UnsupportedMedia(MemoryFault):
    """The body is no JSON, by its own word."""

    status = 415

    def __init__(self) -> None:
        super().__init__("Send the body as application/json.")


class Busy(MemoryFault):
    """Too many writers at once."""

    status = 503
    retry_after = 1

    def __init__(self, message: str = "The store is busy. Nothing was lost; retry the same request.") -> None:
        super().__init__(message)


class ModelUnavailable(MemoryFault):
    """The model endpoint could not be reached, refused, or ran out of time."""

    status = 502
    retry_after = 1


class ModelOutputUnusable(MemoryFault):
    """The model answered without what was asked for, also after being told what was wrong."""

    status = 502
