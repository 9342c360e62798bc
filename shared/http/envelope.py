"""The envelope every reply comes in."""

from typing import Generic, Literal, TypeVar

from pydantic import Field

from shared.errors import FieldProblem
from shared.records import Record

Data = TypeVar("Data")


class Reply(Record, Generic[Data]):
    """A success."""

    code: Literal[200] = 200
    status: Literal["success"] = "success"
    message: str = ""
    data: Data


class PagedReply(Reply[list[Data]], Generic[Data]):
    """A success with one page of a list; ``nextCursor`` leads to the next page and is null at the end."""

    next_cursor: str | None = None


class ErrorReply(Record):
    """A failure: the HTTP status, a sentence a person can act on, and what was wrong field by field."""

    code: int
    status: Literal["error"] = "error"
    message: str
    data: None = None
    errors: list[FieldProblem] | None = Field(default=None, exclude_if=lambda value: value is None)
    current_version: int | None = Field(default=None, exclude_if=lambda value: value is None)


def error_reply(
    code: int, message: str, problems: tuple[FieldProblem, ...] = (), current_version: int | None = None
) -> ErrorReply:
    """Return the envelope of a failure."""
    return ErrorReply(code=code, message=message, errors=list(problems) or None, current_version=current_version)
