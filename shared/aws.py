"""The cached AWS clients. They hold connections and nothing about a user."""

from functools import cache
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.parameters import SecretsProvider
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient

_CONNECT_SECONDS, _READ_SECONDS = 1, 2
REQUEST_SECONDS = _CONNECT_SECONDS + _READ_SECONDS
"""The longest that one try of a request takes."""


def _config(attempts: int) -> Config:
    return Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=16,
    )


@cache
def dynamodb_client() -> "DynamoDBClient":
    """Return the DynamoDB client of this process; the store retries, since it knows how much time is left."""
    return boto3.client("dynamodb", config=_config(attempts=1))


@cache
def sqs_client() -> "SQSClient":
    """Return the SQS client of this process."""
    return boto3.client("sqs", config=_config(attempts=2))


@cache
def secrets() -> "SecretsProvider":
    """Return the reader of secrets of this process, imported on first use: most deployments on a laptop have none."""
    from aws_lambda_powertools.utilities.parameters import SecretsProvider

    return SecretsProvider(boto_config=_config(attempts=2))
