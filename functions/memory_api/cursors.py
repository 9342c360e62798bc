"""Opaque cursors, each bound to the user and the query it came from."""

import base64
import binascii
import hashlib
import json

from shared.errors import FieldProblem, InvalidInput

Position = str | int
_DIGEST_CHARACTERS = 16


def to_cursor(query: tuple[str, ...], *positions: Position) -> str:
    """Return the cursor for going on behind ``positions`` in ``query`` (the user first)."""
    content = json.dumps([_digest(query), *positions], separators=(",", ":"))
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def from_cursor(cursor: str, query: tuple[str, ...], *kinds: type[Position]) -> tuple[Position, ...]:
    """Return the positions that a cursor of the same query holds, of these ``kinds``.

    The digest is no secret: a client can make up any position. It leads only to places in the client's own query.

    Raises
    ------
    InvalidInput
        The cursor is of another user or query, or no cursor at all.
    """
    try:
        content = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        digest, *positions = content
    except (binascii.Error, ValueError, TypeError, RecursionError):
        raise _invalid() from None
    if digest != _digest(query) or [type(position) for position in positions] != list(kinds):
        raise _invalid()
    if not all(str(position).isascii() for position in positions):  # no key of ours is anything else
        raise _invalid()
    return tuple(positions)


def _digest(query: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps(query).encode()).hexdigest()[:_DIGEST_CHARACTERS]


def _invalid() -> InvalidInput:
    problem = FieldProblem("cursor", "is not a nextCursor of this query")
    return InvalidInput(
        "Send the nextCursor of the page before, with the same session_id, or none to start.", (problem,)
    )
