"""How many read units a request takes, by DynamoDB's rule: a consistent one for each started 4 KB."""

from collections.abc import Mapping
from typing import Any

STEP = 4096


def size(item: Mapping[str, Any]) -> int:
    """Return the bytes of an item as DynamoDB counts them: names and values."""
    return sum(len(name.encode()) + _size(value) for name, value in item.items())


def _size(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return len(content) // 2 + 2
        case "M":
            return 3 + len(content) + size(content)
        case "L":
            return 3 + len(content) + sum(map(_size, content))
        case "SS":
            return sum(len(each.encode()) for each in content)
        case _:
            return 1


def read_units(operation: str, request: Mapping[str, Any], reply: Mapping[str, Any]) -> int:
    """Return the units of a consistent read: a query rounds up its page, a get each item; what is absent is one."""
    match operation:
        case "Query":
            return max(1, _steps(sum(map(size, reply["Items"]))))
        case "GetItem":
            return max(1, _steps(size(reply.get("Item", {}))))
        case "BatchGetItem":
            asked = sum(len(table["Keys"]) for table in request["RequestItems"].values())
            found = [item for items in reply["Responses"].values() for item in items]
            return asked - len(found) + sum(_steps(size(item)) for item in found)
        case _:
            return 0


def _steps(count: int) -> int:
    return -(-count // STEP)
