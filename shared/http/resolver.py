"""The one resolver factory and the one map from errors to HTTP."""

import base64
import json
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response, content_types
from aws_lambda_powertools.event_handler.api_gateway import ResponseBuilder
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEvent
from aws_lambda_powertools.utilities.typing import LambdaContext

from shared.errors import FieldProblem, InvalidInput, MemoryFault, StaleVersion, UnsupportedMedia
from shared.http.envelope import error_reply
from shared.observability import count, logger, place_of

_SENTENCES = {
    "missing": "is missing",
    "literal_error": "is not one of the values allowed",
    "extra_forbidden": "is not a field of this call",
}
_CONTENT_TYPE = "content-type"
REPLY_SECONDS = 0.5
"""What is kept of the function's time for the reply."""


def memory_resolver() -> APIGatewayRestResolver:
    """Return a resolver that validates requests and answers every error in the envelope."""
    # Without a word on it, an environment variable could make it print every request (R24).
    app = APIGatewayRestResolver(
        enable_validation=True, serializer=_serialized, json_body_deserializer=_parsed, debug=False
    )
    app.exception_handler(MemoryFault)(_on_fault)
    app.exception_handler(RequestValidationError)(_on_invalid)
    app.exception_handler(Exception)(_on_bug)
    app.not_found(_on_unknown_call)
    app.use([_known_query])
    return app


def _known_query(app: APIGatewayRestResolver, next_middleware: NextMiddleware) -> Response[Any]:
    """Refuse what a call does not know: a misspelt ``session_id`` must not delete the default session."""
    event = app.current_event.raw_event
    names = {**(event.get("queryStringParameters") or {}), **(event.get("multiValueQueryStringParameters") or {})}
    known = {parameter.alias for parameter in app.context["_route"].dependant.query_params}
    problems = tuple(FieldProblem(name, _SENTENCES["extra_forbidden"]) for name in sorted(names.keys() - known))
    if problems:
        raise InvalidInput(f"The request is not valid: look at {', '.join(one.field for one in problems)}.", problems)
    return next_middleware(app)


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


def _on_unknown_call(_: NotFoundError) -> Response[Any]:
    return _error(HTTPStatus.NOT_FOUND, "There is no such call. The README lists the calls and their methods.")


def _on_bug(bug: Exception) -> Response[Any]:
    # The message of an unknown error may hold what a user said: the log gets its type and its place only.
    logger.error("unexpected error", extra={"error": type(bug).__name__, "place": place_of(bug)})
    count("UnexpectedError")
    return _error(HTTPStatus.INTERNAL_SERVER_ERROR, "Something failed on our side. Retry the same request.")


def serve(app: APIGatewayRestResolver, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer an API Gateway event; its reply and its log lines carry the id of the request.

    The context of the request holds its ``deadline``, a moment of the monotonic clock.
    """
    request_id = (event.get("requestContext") or {}).get("requestId") or context.aws_request_id
    with logger.append_context_keys(request_id=request_id):
        reply = _reply(app, event, context)
    count(f"Status{reply['statusCode']}")
    reply.setdefault("multiValueHeaders", {})["X-Request-Id"] = [request_id]
    return reply


def _reply(app: APIGatewayRestResolver, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    try:
        readable = _readable(event)
    except MemoryFault as fault:
        builder: ResponseBuilder[APIGatewayProxyEvent] = ResponseBuilder(_on_fault(fault), _serialized)
        return builder.build(APIGatewayProxyEvent(event))
    seconds = context.get_remaining_time_in_millis() / 1000 - REPLY_SECONDS
    app.append_context(deadline=time.monotonic() + seconds)  # type: ignore[no-untyped-call]
    return app.resolve(readable, context)


def _readable(event: dict[str, Any]) -> dict[str, Any]:
    """Return the event with its body as text, and the media type spelled as the resolver knows it.

    Raises
    ------
    UnsupportedMedia, InvalidInput
        The body is not JSON by its header, or not text.
    """
    body = event.get("body")
    if not body or event.get("httpMethod") == "GET":  # no call reads the body of a GET
        return event
    headers = event.get("headers") or {}
    given = [value for name, value in headers.items() if name.lower() == _CONTENT_TYPE and value]
    if any(value.partition(";")[0].strip().lower() != content_types.APPLICATION_JSON for value in given):
        raise UnsupportedMedia
    try:
        text = base64.b64decode(body, validate=True).decode() if event.get("isBase64Encoded") else body
    except ValueError:
        raise _not_json() from None
    others = {name: value for name, value in headers.items() if name.lower() != _CONTENT_TYPE}
    return event | {
        "body": text,
        "isBase64Encoded": False,
        "headers": others | {_CONTENT_TYPE: content_types.APPLICATION_JSON},
    }


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # no JSON, a number with more digits than Python reads, or too deep
        raise _not_json() from None


def _not_json() -> InvalidInput:
    return InvalidInput("The body is not JSON in UTF-8.", (FieldProblem("body", "is not JSON"),))


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


def _serialized(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
