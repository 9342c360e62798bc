"""The only place that sees what DynamoDB raises: reads, queries, transactions and deletes over any table.

Every read is strongly consistent. A request that is throttled, contended or unanswered is retried with jitter, a
bounded number of times and only while there is time, and then is :class:`~shared.errors.Busy`, whose outcome may be
unknown: whoever retries finds what was stored. All tries of a transaction carry one token, so that it happens once.
"""

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NotConnected

from shared.aws import REQUEST_SECONDS
from shared.errors import Busy, MemoryFault
from shared.store.codec import decode, encode
from shared.store.keys import Key
from shared.store.step import Item, Step

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

T = TypeVar("T")

_PASSING = {
    "InternalServerError",
    "LimitExceededException",
    "ProvisionedThroughputExceeded",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "ThrottlingError",
    "ThrottlingException",
    "TransactionConflict",
    "TransactionConflictException",
    "TransactionInProgressException",
}
_ATTEMPTS = 6
_FIRST_PAUSE_SECONDS = 0.03


@dataclass(frozen=True)
class Page:
    """What one query request found; ``more`` when the partition holds more behind it."""

    items: list[Item]
    more: bool


class _Passing(Exception):
    """What a retry may get past: contention, throttling, a lost connection."""

    def __init__(self, fault: Busy) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Dynamo:
    """What the stores ask of DynamoDB, all of it before ``deadline``, a moment of the monotonic clock."""

    def __init__(
        self, client: "DynamoDBClient", *, sleep: Callable[[float], None] = time.sleep, deadline: float = math.inf
    ) -> None:
        self._client = client
        self._sleep = sleep
        self._deadline = deadline

    def until(self, deadline: float) -> "Dynamo":
        """Return the same with another deadline."""
        return Dynamo(self._client, sleep=self._sleep, deadline=deadline)

    def get_many(self, keys: Sequence[Key]) -> list[Item | None]:
        """Return the items at ``keys`` (at most 100 a request, across tables) in their order, ``None`` where absent."""
        found: dict[Key, Item] = {}
        for chunk in _chunks(list(dict.fromkeys(keys)), 100):
            wanted: dict[str, Any] = {}
            for key in chunk:
                of_table = wanted.setdefault(key.table, {"Keys": [], "ConsistentRead": True})
                of_table["Keys"].append(encode({"pk": key.pk, "sk": key.sk}))
            for table, items in self._drained(self._client.batch_get_item, wanted, "Responses", "UnprocessedKeys"):
                for item in map(decode, items):
                    found[Key(table, item["pk"], item["sk"])] = item
        return [found.get(key) for key in keys]

    def query(
        self,
        table: str,
        pk: str,
        *,
        low: str,
        high: str,
        after: str | None = None,
        newest_first: bool = False,
        page_size: int = 1000,
        only: Sequence[str] = (),
    ) -> Iterator[Page]:
        """Yield pages of the items of a partition whose sort key is between ``low`` and ``high``, both included.

        A page is one request: at most ``page_size`` items or 1 MB. ``after`` is a sort key to go on behind,
        ``only`` the attributes wanted. DynamoDB refuses a range that is empty and a start outside of it, which both
        are everyday once what came before was deleted: the first holds nothing, the second is no start at all.
        """
        if low > high:
            return
        if after is not None and not low <= after <= high:
            after = None
        request: dict[str, Any] = {
            "TableName": table,
            "KeyConditionExpression": "pk = :pk AND sk BETWEEN :low AND :high",
            "ExpressionAttributeValues": encode({":pk": pk, ":low": low, ":high": high}),
            "ConsistentRead": True,
            "ScanIndexForward": not newest_first,
            "Limit": page_size,
        }
        if after is not None:
            request["ExclusiveStartKey"] = encode({"pk": pk, "sk": after})
        if only:
            request["ProjectionExpression"] = ", ".join(f"#{name}" for name in only)
            request["ExpressionAttributeNames"] = {f"#{name}": name for name in only}
        while True:
            page = self._retried(self._client.query, **request)
            more = "LastEvaluatedKey" in page
            yield Page([decode(item) for item in page["Items"]], more)
            if not more:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def transact(self, *steps: Step) -> None:
        """Do all of ``steps`` or none.

        Raises
        ------
        MemoryFault
            What the first failed condition means.
        Busy
            The store stayed contended, throttled or out of reach, or time ran out.
        """
        requests = [step.request() for step in steps]
        self._retried(self._transact_once, requests=requests, steps=steps, token=str(uuid4()))

    def _transact_once(self, requests: list[dict[str, Any]], steps: Sequence[Step], token: str) -> None:
        try:
            self._client.transact_write_items(TransactItems=requests, ClientRequestToken=token)  # type: ignore[arg-type]
        except self._client.exceptions.TransactionCanceledException as cancelled:
            reasons = cancelled.response.get("CancellationReasons", [])
            for step, reason in zip(steps, reasons, strict=True):
                if reason.get("Code") == "ConditionalCheckFailed":
                    raise step.meaning(decode(reason["Item"]) if reason.get("Item") else None) from None
            codes = {str(reason.get("Code")) for reason in reasons} - {"None"}
            if codes & _PASSING:
                raise _Passing(Busy()) from None
            raise MemoryFault(f"The store refused a transaction ({', '.join(sorted(codes))}).") from None

    def delete_many(self, keys: Sequence[Key]) -> None:
        """Delete the items at ``keys``."""
        for chunk in _chunks(keys, 25):
            wanted: dict[str, Any] = {}
            for key in chunk:
                delete = {"DeleteRequest": {"Key": encode({"pk": key.pk, "sk": key.sk})}}
                wanted.setdefault(key.table, []).append(delete)
            for _ in self._drained(self._client.batch_write_item, wanted, "", "UnprocessedItems"):
                pass

    def _drained(
        self, call: Callable[..., Any], wanted: dict[str, Any], results: str, rest: str
    ) -> Iterator[tuple[str, list[Any]]]:
        """Repeat a batch call until it leaves nothing unprocessed, yielding results by table."""
        for attempt in range(_ATTEMPTS):
            reply = self._retried(call, RequestItems=wanted)
            yield from reply.get(results, {}).items()
            wanted = reply.get(rest, {})
            if not wanted:
                return
            self._pause(attempt)
        raise Busy

    def _retried(self, call: Callable[..., T], **request: Any) -> T:
        fault = Busy()
        for attempt in range(_ATTEMPTS):
            if time.monotonic() + REQUEST_SECONDS > self._deadline:
                break
            try:
                with _faults():
                    return call(**request)
            except _Passing as passing:
                fault = passing.fault
                self._pause(attempt)
        raise fault

    def _pause(self, attempt: int) -> None:
        # Full jitter: writers that collided once must not collide again in step.
        self._sleep(random.uniform(0, _FIRST_PAUSE_SECONDS * 2**attempt))  # noqa: S311 no secret depends on it


def _chunks(keys: Sequence[Key], size: int) -> Iterator[Sequence[Key]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except ClientError as refused:
        code = refused.response.get("Error", {}).get("Code", "")
        status = refused.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if code in _PASSING or status >= 500:
            raise _Passing(Busy()) from None
        raise MemoryFault(f"The store refused a request ({code}).") from None
    except BotoCoreError as broken:
        fault = Busy(f"The store could not be reached ({type(broken).__name__}). Retry the same request.")
        raise (_Passing(fault) if isinstance(broken, (HTTPClientError, NotConnected)) else fault) from None
