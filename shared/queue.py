"""The doorbell: the message "this session has unread questions". It carries no content (R3)."""

import hashlib
from typing import TYPE_CHECKING, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from shared.errors import Busy
from shared.records import Record
from shared.store.keys import Subject, track_partition

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class Doorbell(Record):
    """Whose session has unread questions."""

    user_id: str
    session_id: str


class DoorbellQueue(Protocol):
    """Where doorbells are rung."""

    def ring(self, doorbell: Doorbell, subject: Subject, *, epoch: str, turn: int) -> None:
        """Ring once for a turn.

        Raises
        ------
        Busy
            The queue could not be reached. Nothing is lost: the next doorbell of the session heals it.
        """


class SqsDoorbell:
    """Rings through an SQS FIFO queue: one group a subject, one message a turn."""

    def __init__(self, client: "SQSClient", queue_url: str) -> None:
        self._client = client
        self._queue_url = queue_url

    def ring(self, doorbell: Doorbell, subject: Subject, *, epoch: str, turn: int) -> None:
        """Send the doorbell. Group and deduplication ids are digests, since ids may hold what SQS refuses."""
        try:
            self._client.send_message(
                QueueUrl=self._queue_url,
                MessageBody=doorbell.model_dump_json(),
                MessageGroupId=_digest(track_partition(subject)),
                MessageDeduplicationId=_digest(f"{doorbell.user_id}#{doorbell.session_id}#{epoch}#{turn}"),
            )
        except (ClientError, BotoCoreError) as broken:
            raise Busy(f"The doorbell could not be rung ({type(broken).__name__}).") from None

    def try_again(self, receipt_handle: str, *, seconds: int) -> None:
        """Have a message that failed delivered again in ``seconds`` (up to 43,200), not only when its visibility ends.

        Raises
        ------
        Busy
            The queue could not be reached. The message comes back all the same, later.
        """
        try:
            self._client.change_message_visibility(
                QueueUrl=self._queue_url, ReceiptHandle=receipt_handle, VisibilityTimeout=seconds
            )
        except (ClientError, BotoCoreError) as broken:
            raise Busy(f"The retry could not be brought forward ({type(broken).__name__}).") from None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
