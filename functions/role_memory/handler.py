"""The worker behind the doorbell: an SQS FIFO queue, one group a subject, failures reported record by record."""

from typing import Any

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.role_memory.dependencies import learner
from functions.role_memory.settings import settings
from shared.observability import count, metrics
from shared.queue import Doorbell

settings()  # A wrong setting stops the function at its start, not at its first message.
# A failure stops its own group, so that the questions of a subject stay in order, and no other.
processor = SqsFifoPartialProcessor(skip_group_on_error=True)
processor.raise_on_entire_batch_failure = False  # failures are reported; an exception would be one more log of them


def answer_doorbell(record: SQSRecord, lambda_context: LambdaContext) -> None:
    """Read the unread questions of the session that the message names."""
    count("DoorbellsAnswered")
    receives = int(record.attributes.approximate_receive_count or "1")
    learner().learn(
        Doorbell.model_validate_json(record.body),
        last_delivery=receives >= settings().role_max_receives,
        seconds_left=lambda_context.get_remaining_time_in_millis() / 1000,
    )


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Process a batch of doorbells."""
    return process_partial_response(event=event, record_handler=answer_doorbell, processor=processor, context=context)
