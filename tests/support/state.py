"""All that is stored of a user, as two runs can be compared by it: without times and the names made from them."""

import re
from collections.abc import Mapping
from typing import Any

from shared.store.codec import decode
from shared.store.keys import Subject, session_partition, track_partition, user_partition
from tests.support.system import System

_TIMES = {"createdAt", "lastActivityAt", "leasedUntil", "expiresAt", "creatTime", "updateTime"}
_OF_THE_RUN = {"epoch", "roleEpoch", "id", "pk", "userId"} | _TIMES
_EPOCH = re.compile(r"^\d{13}-[0-9a-f]{8}#")


def items(system: System, user: str, session: str = "s1") -> list[dict[str, Any]]:
    """Return every item of a session, its role and its user, as it is stored."""
    tables = system.stores.tables
    partitions = [
        (tables.conversation, user_partition(user)),
        (tables.conversation, session_partition(user, session)),
        (tables.role_memory, user_partition(user)),
        (tables.role_memory, track_partition(Subject(user, session))),
        (tables.role_memory, track_partition(Subject(user, None))),
    ]
    return [decode(item) for table, pk in partitions for item in _partition(system, table, pk)]


def state(system: System, user: str, session: str = "s1") -> list[Any]:
    """Return what is stored, without what differs from run to run."""
    return [_lasting(item | {"sk": _EPOCH.sub("", item["sk"])}) for item in items(system, user, session)]


def _partition(system: System, table: str, pk: str) -> list[dict[str, Any]]:
    pages = system.dynamodb.get_paginator("query").paginate(
        TableName=table,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": pk}},
        ConsistentRead=True,
    )
    return [item for page in pages for item in page["Items"]]


def _lasting(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _lasting(part) for name, part in value.items() if name not in _OF_THE_RUN}
    if isinstance(value, list):
        return [_lasting(part) for part in value]
    return value
