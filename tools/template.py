"""The SAM template as plain values, so that tests and tools use what the deployment uses."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

TEMPLATE = Path(__file__).parents[1] / "infra" / "template.yaml"


class _Loader(yaml.SafeLoader):
    """Reads CloudFormation's short intrinsic functions as their long form."""


def _intrinsic(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    match node:
        case yaml.ScalarNode():
            value: Any = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case _:
            value = loader.construct_mapping(node, deep=True)  # type: ignore[arg-type]
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _intrinsic)


@cache
def template() -> dict[str, Any]:
    """Return the template."""
    loaded: dict[str, Any] = yaml.load(TEMPLATE.read_text(encoding="utf-8"), _Loader)
    return loaded


def properties(logical_id: str) -> dict[str, Any]:
    """Return the properties of a resource."""
    found: dict[str, Any] = template()["Resources"][logical_id]["Properties"]
    return found
