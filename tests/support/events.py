"""API Gateway and SQS events as the gateway and the queue send them."""

import itertools
import json
from dataclasses import dataclass
from typing import Any

_numbers = itertools.count(1)


@dataclass
class FakeContext:
    """What a handler uses of the Lambda context."""

    function_name: str = "test"
    function_version: str = "$LATEST"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:123456789012:function:test"
    aws_request_id: str = "00000000-0000-0000-0000-000000000000"
    remaining_ms: int = 29_000

    def get_remaining_time_in_millis(self) -> int:
        return self.remaining_ms


def rest_event(
    method: str,
    path: str,
    *,
    user: str | None = "u1",
    query: dict[str, str] | None = None,
    body: object = None,
    raw_body: str | None = None,
    headers: dict[str, str] | None = None,
    authorizer: dict[str, Any] | None = None,
    base64: bool = False,
    ascii_body: bool = False,
) -> dict[str, Any]:
    """Return the event of a REST API request."""
    sent = {"Content-Type": "application/json"} | ({"X-User-Id": user} if user is not None else {}) | (headers or {})
    return {
        "resource": path,
        "path": path,
        "httpMethod": method,
        "headers": sent,
        "multiValueHeaders": {name: [value] for name, value in sent.items()},
        "queryStringParameters": query,
        "multiValueQueryStringParameters": {name: [value] for name, value in query.items()} if query else None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "requestId": f"request-{next(_numbers)}",
            "httpMethod": method,
            "path": path,
            "stage": "test",
            "authorizer": authorizer,
            "identity": {"sourceIp": "127.0.0.1"},
        },
        "body": raw_body
        if raw_body is not None
        else None
        if body is None
        else json.dumps(body, ensure_ascii=ascii_body),
        "isBase64Encoded": base64,
    }


def sqs_event(
    *bodies: str, group: str = "group", receive_count: int = 1, receipt_handle: str = "handle"
) -> dict[str, Any]:
    """Return the event of messages of a FIFO queue."""
    return {
        "Records": [
            {
                "messageId": f"message-{next(_numbers)}",
                "receiptHandle": receipt_handle,
                "body": body,
                "attributes": {
                    "ApproximateReceiveCount": str(receive_count),
                    "MessageGroupId": group,
                    "MessageDeduplicationId": f"dedup-{next(_numbers)}",
                    "SequenceNumber": "1",
                    "SentTimestamp": "1545082649183",
                    "SenderId": "AIDAIENQZJOLO23YVJ4VO",
                    "ApproximateFirstReceiveTimestamp": "1545082649185",
                },
                "messageAttributes": {},
                "md5OfBody": "",
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:doorbell.fifo",
                "awsRegion": "us-east-1",
            }
            for body in bodies
        ]
    }
