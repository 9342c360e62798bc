"""Recorded runs, played again without their model: today's extraction and rules over what a small model answered."""

import os
from functools import cache

import pytest

from evals.dialogues import DIALOGUES, load
from evals.playing import PlayedDialogue
from evals.report import Summary, summary
from evals.systems import OURS, Task, perform

MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m"
SETS = ("dialogues", "dialogues-2", "dialogues-4", "dialogues-5")
CALLS_A_TURN = 1.3
LEAST_ACCURACY = {"dialogues": 0.93, "dialogues-2": 0.90, "dialogues-4": 0.90, "dialogues-5": 0.76}
LEAST_GUARDED = {"dialogues": 0.97, "dialogues-2": 0.97, "dialogues-4": 0.85, "dialogues-5": 0.95}
"""What must not be learned; in the fourth set the small model takes a taxi driver's bookkeeper for the driver."""


@cache
def played(name: str) -> dict[str, PlayedDialogue]:
    recording = DIALOGUES.parent / "recordings" / f"{name}.{MODEL}.jsonl"
    environment = {key: value for key, value in os.environ.items() if key not in ("ROLE_MODEL", "EMBEDDING_MODEL")}
    dialogues = load(DIALOGUES.with_stem(name))
    return {one.id: perform(Task(OURS, one, environment, recording)).played for one in dialogues}


def replayed(name: str) -> Summary:
    return summary(load(DIALOGUES.with_stem(name)), played(name))


@pytest.mark.parametrize("name", SETS)
def test_every_turn_ends_in_a_typed_decision(name: str) -> None:
    """R4, R6: whatever the model answered, nothing crashes and no turn is lost."""
    found = replayed(name)
    assert (found.crashes, found.lost) == (0, 0)
    assert found.turns == sum(len(one.turns) for one in load(DIALOGUES.with_stem(name)))


@pytest.mark.parametrize("name", SETS)
def test_code_holds_what_a_small_model_cannot(name: str) -> None:
    """R11, R17, R21."""
    found = replayed(name)
    assert found.guarded.value >= LEAST_GUARDED[name], [
        (one.dialogue, one.turn, one.key)
        for one in found.failures
        if one.key in ("identity_none", "forbidden_anywhere")
    ]
    assert found.keys["forbidden_anywhere"].value == 1.0


@pytest.mark.parametrize("name", SETS)
def test_roles_are_learned_as_well_as_when_it_was_recorded(name: str) -> None:
    """R14-R16."""
    found = replayed(name)
    assert found.accuracy.value >= LEAST_ACCURACY[name], [(one.dialogue, one.turn, one.key) for one in found.failures]


@pytest.mark.parametrize("name", SETS)
def test_calls_of_the_model_stay_few(name: str) -> None:
    """R14: equal pictures and questions that can teach nothing cost no call; one comparison a question at most."""
    found = replayed(name)
    assert found.extractions_a_turn + found.comparisons_a_turn <= CALLS_A_TURN
    assert all(turn.comparisons <= 1 for one in played(name).values() for turn in one.turns)


@pytest.mark.parametrize("name", SETS)
def test_a_snapshot_counts_the_tokens_of_all_its_calls(name: str) -> None:
    """R12."""
    turns = [turn for one in played(name).values() for turn in one.turns if turn.snapshot]
    counted = [(turn.snapshot["metadata"]["tokens"], turn.tokens.to_json()) for turn in turns if turn.snapshot]
    assert all(stored == used for stored, used in counted)
    assert any(turn.comparisons and turn.extractions for turn in turns)


def test_the_recording_answers_what_is_asked_today() -> None:
    """A recording that answers other prompts than today's would prove little."""
    asked = [turn for one in played("dialogues").values() for turn in one.turns]
    answered = sum(turn.extractions + turn.comparisons for turn in asked)
    assert sum(turn.missing + turn.stood_in for turn in asked) <= 0.05 * answered
