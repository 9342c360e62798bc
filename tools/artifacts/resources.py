"""The tables and the queue of the template in an emulator, for functions that run without a deployment."""

from tools.local.emulator import Emulator
from tools.local.stand_in import MODEL, StandIn
from tools.template import properties

TABLES = ("ConversationTable", "RoleMemoryTable")
QUEUE = "DoorbellQueue"


def create(aws: Emulator) -> dict[str, str]:
    """Make them, each under its logical id as `sam local` names them, and return what the template's references are."""
    dynamodb, sqs = aws.client("dynamodb"), aws.client("sqs")
    for table in TABLES:
        wanted = properties(table)
        keys = {name: wanted[name] for name in ("AttributeDefinitions", "KeySchema", "BillingMode")}
        dynamodb.create_table(TableName=table, **keys)
        dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification=wanted["TimeToLiveSpecification"])
    fifo = {"FifoQueue": "true", "VisibilityTimeout": str(properties(QUEUE)["VisibilityTimeout"])}
    url = sqs.create_queue(QueueName=f"{QUEUE}.fifo", Attributes=fifo)["QueueUrl"]
    return {table: table for table in TABLES} | {QUEUE: url}


def parameters(aws_url: str, model_url: str) -> dict[str, str]:
    """Return the parameters that lead to an emulator and to the stand-in model."""
    model = {"OpenAiBaseUrl": f"{model_url}/v1", "OpenAiApiKey": MODEL, "ChatModel": MODEL, "RoleModel": MODEL}
    return {"AwsEndpointUrl": aws_url} | model


def follow(aws: Emulator, model: StandIn) -> dict[str, str]:
    """Make the resources and return all values that differ from the template's defaults."""
    return create(aws) | parameters(aws.url, model.url)
