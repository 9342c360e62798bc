"""The types of what comes in over HTTP: charsets, lengths, ranges (docs/openapi.json)."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, StringConstraints

DEFAULT_SESSION = "__default__"
"""The session of a request that names none; private to each user."""

_ID = r"^[A-Za-z0-9._:@-]{1,128}$"


def _storable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("holds half of a surrogate pair, which is no character") from None
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _written_out(moment: object) -> object:
    if isinstance(moment, str) and ":" not in moment:  # a bare number would be taken for seconds since 1970
        raise ValueError("must be a moment such as 2026-01-31T10:00:00Z")
    return moment


SessionId = Annotated[str, StringConstraints(pattern=_ID)]
MessageId = Annotated[str, StringConstraints(pattern=_ID)]
MessageText = Annotated[
    str, StringConstraints(min_length=1, max_length=32_000), AfterValidator(_storable), AfterValidator(_not_blank)
]

Moment = Annotated[AwareDatetime, BeforeValidator(_written_out)]

SessionQuery = Annotated[str, Query(pattern=_ID, description="Which session; the user's default one when left out.")]
LimitQuery = Annotated[int, Query(ge=1, le=1000, description="How many at most on one page.")]
CursorQuery = Annotated[str | None, Query(max_length=1024, description="`nextCursor` of the page before.")]
