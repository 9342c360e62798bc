"""Answering doorbells: one group a subject, failures reported record by record."""

from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.role_memory.learning import Learner
from shared.errors import Busy
from shared.observability import count, logger, place_of
from shared.queue import Doorbell, SqsDoorbell

_RETRY_SECONDS = (30, 300)
"""When a message comes back after its first failures: its group waits for it. Sooner than its visibility timeout ends,
which must outlast the function; not so soon that an endpoint's bad minute uses up the deliveries."""
_SUBJECT_CHARACTERS = 16
"""Of the message group, the digest of the subject: enough to tell subjects apart in a log."""


@dataclass(frozen=True)
class Worker:
    """Has the learner read what doorbells ring for, at most ``max_receives`` times each."""

    learner: Learner
    queue: SqsDoorbell
    max_receives: int

    def answer_all(self, event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
        """Answer a batch of doorbells, and return which failed.

        A failure stops its own group, so that the questions of a subject stay in order, and no other.
        """
        processor = SqsFifoPartialProcessor(skip_group_on_error=True)
        processor.raise_on_entire_batch_failure = False  # failures are reported; an exception would be one more log
        return process_partial_response(event=event, record_handler=self.answer, processor=processor, context=context)

    def answer(self, record: SQSRecord, lambda_context: LambdaContext) -> None:
        """Read the unread questions of the session that the message names; its log lines carry the message's id."""
        subject = (record.attributes.message_group_id or "")[:_SUBJECT_CHARACTERS]
        with logger.append_context_keys(message_id=record.message_id, subject=subject):
            self._answer(record, lambda_context.get_remaining_time_in_millis() / 1000)

    def _answer(self, record: SQSRecord, seconds_left: float) -> None:
        count("DoorbellsAnswered")
        receives = int(record.attributes.approximate_receive_count or "1")
        last_delivery = receives >= self.max_receives
        try:
            doorbell = Doorbell.model_validate_json(record.body)
            self.learner.learn(doorbell, last_delivery=last_delivery, seconds_left=seconds_left)
        except Exception as fault:
            failed = {"fault": type(fault).__name__, "place": place_of(fault), "receives": receives}
            logger.warning("question failed", extra=failed)
            # What is dead goes to the dead letters at once.
            self._bring_forward(record.receipt_handle, 0 if last_delivery else _RETRY_SECONDS[min(receives, 2) - 1])
            raise

    def _bring_forward(self, receipt_handle: str, seconds: int) -> None:
        try:
            self.queue.try_again(receipt_handle, seconds=seconds)
        except Busy:
            logger.warning("retry not brought forward", extra={"seconds": seconds})
