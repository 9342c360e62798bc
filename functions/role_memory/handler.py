"""The worker behind the doorbell: the events of an SQS FIFO queue."""

from typing import Any

from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.role_memory.dependencies import worker
from functions.role_memory.settings import settings
from shared.observability import metrics

settings()  # A wrong setting stops the function at its start, not at its first message.


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Answer a batch of doorbells."""
    return worker().answer_all(event, context)
