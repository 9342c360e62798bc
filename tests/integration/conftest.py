"""Handlers over moto: single-threaded tests only, since it loses updates under concurrency."""

import os
from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from tests.support.aws import create_queue, create_tables
from tests.support.system import System


@pytest.fixture
def system() -> Iterator[System]:
    with mock_aws():
        dynamodb, sqs = boto3.client("dynamodb"), boto3.client("sqs")
        create_tables(dynamodb)
        yield System(dynamodb, sqs, create_queue(sqs), dict(os.environ))
