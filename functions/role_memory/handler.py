"""The worker behind the doorbell: an SQS FIFO queue, one group a subject, failures reported record by record."""

from typing import Any

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.role_memory.dependencies import doorbell_queue, learner
from functions.role_memory.settings import settings
from shared.errors import Busy
from shared.observability import count, logger, metrics
from shared.queue import Doorbell

settings()  # A wrong setting stops the function at its start, not at its first message.
# A failure stops its own group, so that the questions of a subject stay in order, and no other.
processor = SqsFifoPartialProcessor(skip_group_on_error=True)
processor.raise_on_entire_batch_failure = False  # failures are reported; an exception would be one more log of them

_RETRY_SECONDS = (30, 300)
"""When a message comes back after its first failures: its group waits for it. Sooner than its visibility timeout ends,
which must outlast the function; not so soon that an endpoint's bad minute uses up the deliveries."""


def answer_doorbell(record: SQSRecord, lambda_context: LambdaContext) -> None:
    """Read the unread questions of the session that the message names."""
    count("DoorbellsAnswered")
    receives = int(record.attributes.approximate_receive_count or "1")
    last_delivery = receives >= settings().role_max_receives
    try:
        learner().learn(
            Doorbell.model_validate_json(record.body),
            last_delivery=last_delivery,
            seconds_left=lambda_context.get_remaining_time_in_millis() / 1000,
        )
    except Exception:
        # What is dead goes to the dead letters at once.
        _bring_forward(record.receipt_handle, 0 if last_delivery else _RETRY_SECONDS[min(receives, 2) - 1])
        raise


def _bring_forward(receipt_handle: str, seconds: int) -> None:
    try:
        doorbell_queue().try_again(receipt_handle, seconds=seconds)
    except Busy:
        logger.warning("retry not brought forward", extra={"seconds": seconds})


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Process a batch of doorbells."""
    return process_partial_response(event=event, record_handler=answer_doorbell, processor=processor, context=context)
