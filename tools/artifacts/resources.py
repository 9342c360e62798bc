"""The tables and the queue of the template in an emulator, for functions that run without a deployment."""

from tools.local.emulator import Emulator
from tools.local.stand_in import MODEL, StandIn
from tools.resources import create_fifo_queue, create_table

TABLES = ("ConversationTable", "RoleMemoryTable")
QUEUE = "DoorbellQueue"


def create(aws: Emulator) -> dict[str, str]:
    """Make them, each under its logical id as `sam local` names them, and return what the template's references are."""
    dynamodb, sqs = aws.client("dynamodb"), aws.client("sqs")
    for table in TABLES:
        create_table(dynamodb, table, table)
    url = create_fifo_queue(sqs, QUEUE, QUEUE)
    return {table: table for table in TABLES} | {QUEUE: url}


def parameters(aws_url: str, model_url: str) -> dict[str, str]:
    """Return the parameters that lead to an emulator and to the stand-in model."""
    model = {"OpenAiBaseUrl": f"{model_url}/v1", "OpenAiApiKey": MODEL, "ChatModel": MODEL, "RoleModel": MODEL}
    return {"AwsEndpointUrl": aws_url} | model


def follow(aws: Emulator, model: StandIn) -> dict[str, str]:
    """Make the resources and return all values that differ from the template's defaults."""
    return create(aws) | parameters(aws.url, model.url)
