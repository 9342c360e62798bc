"""The tables and the queue of the template, under the names that tests give them."""

import json
from typing import Any

from tools.resources import create_fifo_queue, create_table
from tools.template import template

CONVERSATION_TABLE = "conversation"
ROLE_MEMORY_TABLE = "role-memory"


def create_tables(dynamodb: Any) -> None:
    """Create both tables."""
    create_table(dynamodb, "ConversationTable", CONVERSATION_TABLE)
    create_table(dynamodb, "RoleMemoryTable", ROLE_MEMORY_TABLE)


def create_queue(sqs: Any, name: str = "doorbell") -> str:
    """Create the doorbell queue with its dead letter queue, and return its URL."""
    dead_letters = sqs.create_queue(QueueName=f"{name}-dead.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead_letters, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    redrive = {"deadLetterTargetArn": arn, "maxReceiveCount": template()["Parameters"]["RoleMaxReceives"]["Default"]}
    return create_fifo_queue(sqs, "DoorbellQueue", name, RedrivePolicy=json.dumps(redrive))
