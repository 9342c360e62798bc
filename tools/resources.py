"""The tables and the queue of the template, made in whatever plays AWS."""

from typing import Any

from tools.template import properties


def create_table(dynamodb: Any, logical_id: str, name: str) -> None:
    """Create a table with the keys and the time to live the template gives it."""
    wanted = properties(logical_id)
    keys = {key: wanted[key] for key in ("AttributeDefinitions", "KeySchema", "BillingMode")}
    dynamodb.create_table(TableName=name, **keys)
    dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=wanted["TimeToLiveSpecification"])


def create_fifo_queue(sqs: Any, logical_id: str, name: str, **attributes: str) -> str:
    """Create a queue as the template describes it, with ``attributes`` on top, and return its URL."""
    wanted = properties(logical_id)
    described = ("FifoQueue", "DeduplicationScope", "FifoThroughputLimit", "VisibilityTimeout")
    spelled = {key: str(wanted[key]).lower() if wanted[key] is True else str(wanted[key]) for key in described}
    return str(sqs.create_queue(QueueName=f"{name}.fifo", Attributes=spelled | attributes)["QueueUrl"])
