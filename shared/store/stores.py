"""The stores of one deployment, put together once a process."""

from dataclasses import dataclass
from datetime import timedelta
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

    tables: Tables
    heads: HeadStore
    conversation: ConversationStore
    turns: TurnStore
    role: RoleStore
    erasure: EraseStore

    @classmethod
    def over(cls, client: "DynamoDBClient", settings: Settings, clock: Clock = utc_now) -> Self:
        """Return the stores that ``settings`` describe."""
        ttl = timedelta(days=settings.memory_ttl_days)
        tables = Tables(settings.conversation_table, settings.role_memory_table, ttl)
        dynamo = Dynamo(client)
        return cls(
            tables=tables,
            heads=HeadStore(dynamo, tables, clock),
            conversation=ConversationStore(dynamo, tables, clock),
            turns=TurnStore(dynamo, tables, clock),
            role=RoleStore(dynamo, tables, clock),
            erasure=EraseStore(dynamo, tables, clock),
        )
