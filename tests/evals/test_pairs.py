"""The scale of similarity holds on pairs of roles in English, in Chinese and across, as real models answered (R14)."""

import os
from pathlib import Path

import pytest

from evals.pairs import PAIRS, Judged, Pair, area_under_curve, judged, load_pairs, measure_pairs
from evals.recording import Tape
from evals.systems import measure_of, model_on, role_settings
from functions.role_memory.embedding import ANCHORS

THRESHOLD = 0.8
EMBEDDINGS = PAIRS.with_name("multilingual-e5-small-q4.calls.jsonl")


def found(recording: Path, together: int) -> list[Judged]:
    tape = Tape("pairs", turn=1)
    environment = {name: value for name, value in os.environ.items() if name != "ROLE_MODEL"}
    model = model_on(tape, role_settings(environment), recording)
    return judged(load_pairs(), measure_of(model), together)


def test_the_pairs_are_not_those_that_calibrate() -> None:
    anchors = {term for role in ANCHORS for term in role}
    assert not anchors & {term for pair in load_pairs() for term in (pair.known, pair.new)}


@pytest.mark.parametrize("together", [1, 3])
@pytest.mark.parametrize(("languages", "least"), [("en", 20), ("zh", 20), ("across", 18)])
def test_embeddings_part_one_role_from_strangers(languages: str, least: int, together: int) -> None:
    here = [one for one in found(EMBEDDINGS, together) if one.pair.languages == languages]
    assert sum(one.right(THRESHOLD) for one in here) >= least
    assert all(one.value < THRESHOLD for one in here if not one.pair.same)
    assert {one.measure for one in here} == {"embedding:multilingual-e5-small-q4"}


def test_one_role_ranks_above_strangers_whatever_the_scale() -> None:
    assert area_under_curve(found(EMBEDDINGS, 1)) > 0.99


def test_the_figures_are_of_all_pairs() -> None:
    tape = Tape("pairs")
    text = measure_pairs(model_on(tape, role_settings({}), EMBEDDINGS), tape, THRESHOLD)
    assert "| three in one call | embedding:multilingual-e5-small-q4 | across | 18 of 20 | 2 | 0 |" in text


def test_the_area_under_the_curve_is_the_chance_to_be_ranked_right() -> None:
    values = [(True, 0.9), (True, 0.5), (False, 0.5), (False, 0.1)]
    scored = [
        Judged(pair=Pair(languages="en", same=same, known="a", new="b"), value=value, measure="m")
        for same, value in values
    ]
    assert area_under_curve(scored) == (1 + 1 + 0.5 + 1) / 4
