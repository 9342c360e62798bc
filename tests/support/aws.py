"""The tables and the queue of the template, made in whatever plays AWS."""

from typing import Any

from tests.support.template import properties

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


def create_queue(sqs: Any) -> str:
    """Create the doorbell queue and return its URL."""
    wanted = properties("DoorbellQueue")
    attributes = {
        name: str(wanted[name]).lower() for name in ("FifoQueue", "ContentBasedDeduplication") if name in wanted
    }
    url: str = sqs.create_queue(QueueName="doorbell.fifo", Attributes=attributes)["QueueUrl"]
    return url
