"""What a transaction is made of."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from shared.errors import Busy, MemoryFault
from shared.store.codec import encode
from shared.store.keys import Key

Item = dict[str, Any]
"""An item as plain values, its keys included."""

_NAME = re.compile(r"#(\w+)")


@dataclass(frozen=True)
class Step:
    """One part of a transaction. ``meaning`` names the error its condition stands for, given the item in the way."""

    kind: Literal["Put", "Update", "Delete", "ConditionCheck"]
    key: Key
    condition: str = ""
    meaning: Callable[[Item | None], MemoryFault] = lambda _: Busy()
    values: Mapping[str, Any] = field(default_factory=dict)
    """What the expressions call ``:name``; they call an attribute ``#name``, since many names are reserved words."""
    item: Mapping[str, Any] = field(default_factory=dict)
    """The attributes of a put, without the keys."""
    update: str = ""

    def request(self) -> dict[str, Any]:
        """Return this step as ``TransactWriteItems`` wants it."""
        place = {"pk": self.key.pk, "sk": self.key.sk}
        request: dict[str, Any] = {
            "TableName": self.key.table,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        if self.condition:
            request["ConditionExpression"] = self.condition
        if self.values:
            request["ExpressionAttributeValues"] = encode({f":{name}": value for name, value in self.values.items()})
        names = set(_NAME.findall(f"{self.condition} {self.update}"))
        if names:
            request["ExpressionAttributeNames"] = {f"#{name}": name for name in names}
        if self.kind == "Put":
            request["Item"] = encode({**self.item, **place})
        else:
            request["Key"] = encode(place)
        if self.update:
            request["UpdateExpression"] = self.update
        return {self.kind: request}
