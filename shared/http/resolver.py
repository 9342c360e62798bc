"""The one resolver factory and the one map from errors to HTTP."""

import binascii
import json
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response, content_types
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.utilities.typing import LambdaContext

from shared.errors import FieldProblem, InvalidInput, MemoryFault, StaleVersion
from shared.http.envelope import error_reply
from shared.observability import count, logger

_SENTENCES = {
    "json_invalid": "is not JSON",
    "missing": "is missing",
    "literal_error": "is not one of the values allowed",
    "extra_forbidden": "is not a field of this call",
}
REPLY_SECONDS = 0.5
"""What is kept of the function's time for the reply."""
_UNREADABLE = [UnicodeDecodeError, binascii.Error, RecursionError]
"""What a body raises that can't be decoded."""


def memory_resolver() -> APIGatewayRestResolver:
    """Return a resolver that validates requests and answers every error in the envelope."""
    # Without a word on it, an environment variable could make it print every request (R24).
    app = APIGatewayRestResolver(enable_validation=True, serializer=_serialized, debug=False)
    app.exception_handler(MemoryFault)(_on_fault)
    app.exception_handler(RequestValidationError)(_on_invalid)
    app.exception_handler(_UNREADABLE)(_on_unreadable)
    app.exception_handler(Exception)(_on_bug)
    app.not_found(_on_unknown_call)
    return app


def _on_fault(fault: MemoryFault) -> Response[Any]:
    problems = fault.problems if isinstance(fault, InvalidInput) else ()
    current = fault.current_version if isinstance(fault, StaleVersion) else None
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    if fault.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.warning("request failed", extra={"fault": type(fault).__name__, "reason": str(fault)})
    return _error(fault.status, str(fault), problems, current, headers)


def _on_invalid(invalid: RequestValidationError) -> Response[Any]:
    problems = tuple(_problem(error) for error in invalid.errors())
    fields = ", ".join(dict.fromkeys(problem.field for problem in problems))
    return _error(HTTPStatus.BAD_REQUEST, f"The request is not valid: look at {fields}.", problems)


def _on_unreadable(_: Exception) -> Response[Any]:
    return _error(HTTPStatus.BAD_REQUEST, "The body is not JSON in UTF-8.", (FieldProblem("body", "is not JSON"),))


def _on_unknown_call(_: NotFoundError) -> Response[Any]:
    return _error(HTTPStatus.NOT_FOUND, "There is no such call. The README lists the calls and their methods.")


def _on_bug(bug: Exception) -> Response[Any]:
    place = _innermost(bug)
    if isinstance(bug, ValueError) and place.startswith("JSONDecoder."):  # a number with more digits than Python reads
        return _on_unreadable(bug)
    # The message of an unknown error may hold what a user said: the log gets its type and its place only.
    logger.error("unexpected error", extra={"error": type(bug).__name__, "place": place})
    count("UnexpectedError")
    return _error(HTTPStatus.INTERNAL_SERVER_ERROR, "Something failed on our side. Retry the same request.")


def serve(app: APIGatewayRestResolver, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer an API Gateway event; every reply carries the id of its request.

    The context of the request holds its ``deadline``, a moment of the monotonic clock.
    """
    if _has_foreign_content(event):
        refusal = error_reply(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send the body as application/json.")
        reply: dict[str, Any] = {
            "statusCode": int(HTTPStatus.UNSUPPORTED_MEDIA_TYPE),
            "body": _serialized(refusal.to_json()),
            "isBase64Encoded": False,
            "multiValueHeaders": {"Content-Type": [content_types.APPLICATION_JSON]},
        }
    else:
        seconds = context.get_remaining_time_in_millis() / 1000 - REPLY_SECONDS
        app.append_context(deadline=time.monotonic() + seconds)  # type: ignore[no-untyped-call]
        reply = app.resolve(event, context)
    count(f"Status{reply['statusCode']}")
    request_id = (event.get("requestContext") or {}).get("requestId") or context.aws_request_id
    reply.setdefault("multiValueHeaders", {})["X-Request-Id"] = [request_id]
    return reply


def _has_foreign_content(event: Mapping[str, Any]) -> bool:
    if not event.get("body") or event.get("httpMethod") == "GET":  # no call reads the body of a GET
        return False
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    content_type = headers.get("content-type") or content_types.APPLICATION_JSON
    return not content_type.strip().lower().startswith(content_types.APPLICATION_JSON)


def _error(
    status: int,
    message: str,
    problems: tuple[FieldProblem, ...] = (),
    current_version: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response[Any]:
    return Response(
        status_code=int(status),
        content_type=content_types.APPLICATION_JSON,
        headers=dict(headers or {}),
        body=error_reply(int(status), message, problems, current_version).to_json(),
    )


def _problem(error: Mapping[str, Any]) -> FieldProblem:
    place, *path = [str(part) for part in error["loc"] if not isinstance(part, int)] or ["request"]
    sentence = _SENTENCES.get(error["type"]) or str(error["msg"]).removeprefix("Value error, ")
    return FieldProblem(".".join(path) or place, sentence)


def _innermost(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}" if trace else ""


def _serialized(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
