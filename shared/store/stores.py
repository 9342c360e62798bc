"""The stores of one deployment, put together once a process."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Self

from shared.clock import Clock, utc_now
from shared.settings import Settings
from shared.store.conversation import ConversationStore
from shared.store.dynamo import Dynamo
from shared.store.erasure import EraseStore
from shared.store.heads import HeadStore
from shared.store.role import RoleStore
from shared.store.tables import Tables
from shared.store.turns import TurnStore

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True)
class Stores:
    """Every store, over the same tables, client and clock."""

    dynamo: Dynamo
    tables: Tables
    clock: Clock

    @classmethod
    def over(
        cls,
        client: "DynamoDBClient",
        settings: Settings,
        clock: Clock = utc_now,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Self:
        """Return the stores that ``settings`` describe."""
        ttl = timedelta(days=settings.memory_ttl_days)
        tables = Tables(settings.conversation_table, settings.role_memory_table, ttl)
        return cls(Dynamo(client, sleep=sleep), tables, clock)

    def until(self, deadline: float) -> Self:
        """Return the same stores for one request, which is over at ``deadline`` of the monotonic clock."""
        return replace(self, dynamo=self.dynamo.until(deadline))

    @cached_property
    def heads(self) -> HeadStore:
        """Where sessions and tracks stand."""
        return HeadStore(self.dynamo, self.tables, self.clock)

    @cached_property
    def conversation(self) -> ConversationStore:
        """The conversation log, to read."""
        return ConversationStore(self.dynamo, self.tables, self.clock)

    @cached_property
    def turns(self) -> TurnStore:
        """The conversation log, to write."""
        return TurnStore(self.dynamo, self.tables, self.clock)

    @cached_property
    def role(self) -> RoleStore:
        """The role memory log."""
        return RoleStore(self.dynamo, self.tables, self.clock)

    @cached_property
    def erasure(self) -> EraseStore:
        """What deletes."""
        return EraseStore(self.dynamo, self.tables, self.heads, self.clock)
