"""The tables and the queue of the template, made in whatever plays AWS."""

import json
from typing import Any

from tests.support.template import properties, template

CONVERSATION_TABLE = "conversation"
ROLE_MEMORY_TABLE = "role-memory"


def create_tables(dynamodb: Any) -> None:
    """Create both tables with the keys and the time to live the template gives them."""
    for name, logical_id in ((CONVERSATION_TABLE, "ConversationTable"), (ROLE_MEMORY_TABLE, "RoleMemoryTable")):
        wanted = properties(logical_id)
        dynamodb.create_table(
            TableName=name,
            **{key: wanted[key] for key in ("AttributeDefinitions", "KeySchema", "BillingMode")},
        )
        dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=wanted["TimeToLiveSpecification"])


def create_queue(sqs: Any, name: str = "doorbell") -> str:
    """Create the doorbell queue with its dead letter queue, and return its URL."""
    dead_letters = sqs.create_queue(QueueName=f"{name}-dead.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead_letters, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    wanted = properties("DoorbellQueue")
    redrive = {"deadLetterTargetArn": arn, "maxReceiveCount": template()["Parameters"]["RoleMaxReceives"]["Default"]}
    attributes = {
        attribute: str(wanted[attribute]).lower() if isinstance(wanted[attribute], bool) else str(wanted[attribute])
        for attribute in ("FifoQueue", "DeduplicationScope", "FifoThroughputLimit", "VisibilityTimeout")
    }
    attributes["RedrivePolicy"] = json.dumps(redrive)
    url: str = sqs.create_queue(QueueName=f"{name}.fifo", Attributes=attributes)["QueueUrl"]
    return url
