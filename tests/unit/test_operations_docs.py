"""docs/operations.md names what the code emits, no more and no less."""

import re
from pathlib import Path

from shared.records import Operation

ROOT = Path(__file__).parents[2]
CODE = "\n".join(path.read_text() for folder in ("functions", "shared") for path in (ROOT / folder).rglob("*.py"))
DOCS = (ROOT / "docs/operations.md").read_text()
LEARNED = ("Create", "Update", "NoneChange", "Skipped")
"""As `str.title` spells the decisions of the worker; edits and rollbacks are requests."""


def emitted() -> set[str]:
    """Return the names of all metrics, those with a variable part spelled out."""
    names = set(re.findall(r'\b(?:count|duration)\(f?"(\w+)', CODE))
    assert {"Status", "Decision"} <= names
    return names - {"Status", "Decision"} | {"Status200", "Status400"} | {f"Decision{name}" for name in LEARNED}


def columns(heading: str, column: str) -> set[str]:
    """Return the names in the first column of the table under a heading."""
    table = DOCS.split(f"\n## {heading}\n")[1].split(f"| {column} |")[1].split("\n\n")[0]
    return {name for row in table.splitlines()[1:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_every_metric_is_documented_and_every_documented_one_exists() -> None:
    assert columns("Metrics", "metric") == emitted()
    assert {operation.title().replace("_", "") for operation in Operation} >= set(LEARNED)


def test_metrics_named_elsewhere_in_the_docs_exist() -> None:
    named = set(re.findall(r"`((?:Decision|Extraction|Answer|Doorbells?)[A-Z]\w+)`", DOCS))
    alarms = {name for name in named if name.endswith("Alarm")}
    assert named - alarms <= emitted()


def test_every_field_to_search_for_is_logged() -> None:
    logged = set(re.findall(r'"(\w+)":', CODE)) | set(re.findall(r"append_context_keys\((.*)\)", CODE))
    keys = {key for text in logged for key in re.findall(r"\w+(?==)", text)} | logged
    assert columns("Metrics", "field") <= keys
