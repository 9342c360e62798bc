"""The rules behind a perfect extractor: what fails here is no model's fault (R14–R18)."""

import os

import pytest

from evals.dialogues import DIALOGUES, load
from evals.report import summary
from evals.systems import PERFECT, Task, perform

LEAST = 0.98


@pytest.mark.parametrize("name", ["dialogues", *(f"dialogues-{number}" for number in range(2, 6))])
def test_rules_do_what_a_perfect_extractor_deserves(name: str) -> None:
    """R14, R15, R16, R18."""
    # GIVEN the dialogues' own expectations as what is extracted
    dialogues = load(DIALOGUES.with_stem(name))
    # WHEN they are played through the pipeline
    run = {one.id: perform(Task(PERFECT, one, dict(os.environ))).played for one in dialogues}
    # THEN nearly every expectation holds, and every turn ends in a typed decision
    found = summary(dialogues, run)
    assert (found.lost, found.skipped, found.crashes) == (0, 0, 0)
    assert found.accuracy.value >= LEAST, [(one.dialogue, one.turn, one.key) for one in found.failures]
