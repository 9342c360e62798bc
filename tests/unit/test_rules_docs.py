"""docs/rules.md is where the numbers lead that code and tests cite."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/rules.md").read_text()
RULES = dict(re.findall(r"^\* \*\*(R\d+)\*\* (.*?)(?=^\* |^## )", TEXT, re.M | re.S))
KINDS = {".py", ".md", ".toml", ".yaml", ".mk"}
FOLDERS = ("functions", "shared", "infra", "tests", "tools", "evals", "docs")


def test_rules_are_numbered_without_gaps() -> None:
    assert list(RULES) == [f"R{number}" for number in range(1, len(RULES) + 1)]


def test_every_rule_that_is_cited_exists() -> None:
    # GIVEN all that is written here
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in KINDS]
    # WHEN the rules cited are looked up
    cited = {number: path.name for path in files for number in re.findall(r"\bR[1-9]\d?\b", path.read_text())}
    # THEN there are some, and each exists
    assert len(cited) > 20
    assert {number: name for number, name in cited.items() if number not in RULES} == {}


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(\w+/[\w/.]+)`", TEXT))))
def test_every_file_that_is_named_exists(path: str) -> None:
    assert (ROOT / path).is_file()


@pytest.mark.parametrize("number", RULES)
def test_what_proves_a_rule_names_it(number: str) -> None:
    kept, proven = RULES[number].split("proven by")
    tests = re.findall(r"`(tests/[\w/]+\.py)`", proven)
    assert re.findall(r"`(?:functions|shared)/[\w/]+\.py`", kept)
    assert tests
    for test in tests:
        assert re.search(rf"\b{number}(?!\d)|_{number.lower()}_", (ROOT / test).read_text()), test
