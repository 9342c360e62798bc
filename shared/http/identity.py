"""Who calls (R22): the verified ``sub`` of a token, or the user the trusted backend names. Never a request body."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Depends, Request

from shared.domain.text import has_hidden
from shared.errors import NotIdentified
from shared.settings import AuthMode, HttpSettings

USER_HEADER = "X-User-Id"
_MAX_CHARACTERS = 255


def caller_under(settings: Callable[[], HttpSettings]) -> Callable[..., str]:
    """Return the dependency that is the user id of a request, under the settings of a function."""

    def caller(request: Request, config: Annotated[HttpSettings, Depends(settings)]) -> str:
        return identify(request.resolved_event.raw_event, config.auth_mode)

    return caller


def identify(event: Mapping[str, Any], mode: AuthMode) -> str:
    """Return the user id of an API Gateway event.

    With ``JWT`` it is the ``sub`` that the authorizer verified, and the header is ignored. With ``IAM`` the gateway has
    verified that the caller is the trusted backend, whose header names the user.

    Raises
    ------
    NotIdentified
        Nobody vouches for the caller, or the id is not 1–255 printable characters.
    """
    if mode is AuthMode.JWT:
        user_id = _subject((event.get("requestContext") or {}).get("authorizer") or {})
        missing = "The token has no usable sub claim: sign in again."
    else:
        user_id = _header(event)
        missing = f"Send the header {USER_HEADER} once, with the id of the user: 1 to 255 printable characters."
    if user_id is None or not _is_usable(user_id):
        raise NotIdentified(missing)
    return user_id


def _subject(authorizer: Mapping[str, Any]) -> str | None:
    claims = authorizer.get("claims")
    subject = (claims if isinstance(claims, Mapping) else authorizer).get("sub")
    return subject if isinstance(subject, str) else None


def _header(event: Mapping[str, Any]) -> str | None:
    multiple = event.get("multiValueHeaders") or {}
    single = {name: [value] for name, value in (event.get("headers") or {}).items()}
    values = [
        value
        for name, values in (multiple or single).items()
        if name.lower() == USER_HEADER.lower()
        for value in values
    ]
    # Two headers are two claims: which of them the backend meant can't be known.
    return values[0] if len(values) == 1 else None


def _is_usable(user_id: str) -> bool:
    # An id that looks like another, or breaks a line of a log, is none: spaces at its ends, and what shows nothing.
    shown = user_id.isprintable() and user_id == user_id.strip() and not has_hidden(user_id)
    return shown and 1 <= len(user_id) <= _MAX_CHARACTERS
