"""The cached AWS clients. They hold connections and nothing about a user."""

from functools import cache
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient

# Every request has a bound that fits several times into the shortest function's time (29 s).
_CONFIG = Config(
    connect_timeout=2,
    read_timeout=5,
    retries={"mode": "standard", "total_max_attempts": 3},
    max_pool_connections=16,
)


@cache
def dynamodb_client() -> "DynamoDBClient":
    """Return the DynamoDB client of this process."""
    return boto3.client("dynamodb", config=_CONFIG)


@cache
def sqs_client() -> "SQSClient":
    """Return the SQS client of this process."""
    return boto3.client("sqs", config=_CONFIG)
