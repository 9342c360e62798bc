"""The one codec between plain JSON values and DynamoDB attribute values: ``Decimal`` in, ``int`` or ``float`` out."""

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

_EXACT = 10**38
"""DynamoDB keeps 38 digits."""
_serializer = TypeSerializer()
_deserializer = TypeDeserializer()


def encode(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``values`` as a DynamoDB item.

    Raises
    ------
    ValueError
        For a float that is not finite.
    TypeError
        For a value that JSON does not know.
    """
    return {name: _serializer.serialize(_to_decimal(value)) for name, value in values.items()}


def decode(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a DynamoDB item as plain values; whole numbers come back as ``int``."""
    return {name: _to_number(_deserializer.deserialize(value)) for name, value in item.items()}


def _to_decimal(value: Any) -> Any:
    match value:
        case float():
            if not math.isfinite(value):
                raise ValueError("a number that is not finite can't be stored")
            # The shortest digits of a large whole float are not its value: as a whole number it stays exact.
            return Decimal(int(value)) if value.is_integer() and abs(value) < _EXACT else Decimal(repr(value))
        case Mapping():
            return {key: _to_decimal(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_to_decimal(inner) for inner in value]
        case _:
            return value


def _to_number(value: Any) -> Any:
    match value:
        case Decimal():
            return int(value) if abs(value) < _EXACT and value == value.to_integral_value() else float(value)
        case dict():
            return {key: _to_number(inner) for key, inner in value.items()}
        case list():
            return [_to_number(inner) for inner in value]
        case _:
            return value
