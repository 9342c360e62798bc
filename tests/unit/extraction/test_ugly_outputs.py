"""What models really answer, from the text to the claims that are read from it (docs/rules.md, Models).

Each file of the corpus is one answer; ``outcomes.json`` says exactly what is read from it, or why it is a failure.
"""

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from functions.role_memory.extract import PreferenceHints
from functions.role_memory.extraction.reading import Reading, complaint_about, reading_of
from shared.model.parsing import fullest, objects_in
from shared.records import ContentDepth, DetailLevel, ResponseFormat

CORPUS = Path(__file__).parents[2] / "corpus" / "ugly_outputs"
OUTCOMES: dict[str, dict[str, Any]] = json.loads((CORPUS / "outcomes.json").read_text(encoding="utf-8"))


def text_of(name: str) -> str:
    return (CORPUS / name).read_bytes().decode("utf-8")


def expected(outcome: dict[str, Any]) -> Reading:
    detail, depth, form = outcome.get("preferences", [None, None, None])
    return Reading(
        quotes=tuple((turn, quote) for turn, quote in outcome.get("quotes", [])),
        lines=tuple(outcome.get("lines", ())),
        identities=tuple(outcome.get("identities", ())),
        characteristics=tuple(outcome.get("characteristics", ())),
        preferences=PreferenceHints(
            detail_level=detail and DetailLevel(detail),
            content_depth=depth and ContentDepth(depth),
            response_format=form and ResponseFormat(form),
        ),
        overview=outcome.get("overview", ""),
    )


def test_every_file_has_an_outcome() -> None:
    # GIVEN the corpus, WHEN its files are listed, THEN each is judged below
    assert {path.name for path in CORPUS.glob("*.txt")} == OUTCOMES.keys()


@pytest.mark.parametrize("name", [name for name, outcome in OUTCOMES.items() if "failure" in outcome])
def test_what_cannot_be_used_is_a_failure_with_a_reason(name: str) -> None:
    """R6: nothing is made up from an answer that holds nothing."""
    # GIVEN an answer without a usable object, WHEN it is read
    fields, complaint = fullest(text_of(name), complaint_about)
    # THEN there is no object, and the model can be told why
    assert fields is None
    assert OUTCOMES[name]["failure"] in complaint


@pytest.mark.parametrize("name", [name for name, outcome in OUTCOMES.items() if "failure" not in outcome])
def test_what_can_be_used_is_read_exactly(name: str) -> None:
    """R12: what the server owns is not read, however it is answered."""
    # GIVEN an ugly answer, WHEN it is read
    fields, _ = fullest(text_of(name), complaint_about)
    # THEN it says exactly what it should
    assert fields is not None
    assert reading_of(fields) == expected(OUTCOMES[name])


@pytest.mark.parametrize(
    "garbage", ["{" * 3_000_000, '{"a":[' * 500_000, '"' * 3_000_000, '{"a":"' + '"x" ' * 500_000, "[" * 3_000_000]
)
def test_megabytes_of_garbage_cost_little_time(garbage: str) -> None:
    # GIVEN megabytes of nothing, WHEN they are parsed
    started = time.process_time()
    found = objects_in(garbage)
    # THEN nothing is found, soon
    assert found == []
    assert time.process_time() - started < 2


def test_noise_never_raises() -> None:
    # GIVEN pieces of JSON in any order
    pieces = [
        "{",
        "}",
        "[",
        "]",
        '"',
        ":",
        ",",
        "a",
        "\\",
        "“",
        "”",
        "｛",
        "｝",
        "<think>",
        "</think>",
        "1",
        "null",
        "\n",
    ]
    noise = random.Random(7)  # noqa: S311
    for _ in range(2_000):
        text = "".join(noise.choice(pieces) for _ in range(40))
        # WHEN they are read, THEN every object found can be judged
        for fields in objects_in(text):
            complaint_about(fields)
            reading_of(fields)
