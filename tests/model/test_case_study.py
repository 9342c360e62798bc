"""The case study with a real model behind the real client: what must hold whatever the model's wording.

Not the wording is asserted but what code vouches for: structure, evidence, language, decisions.
"""

from collections.abc import Mapping

import pytest

from evals.dialogues import Dialogue, load
from evals.scoring import language_holds
from evals.systems import OURS, Done, Task, perform
from functions.role_memory.extraction.prompting import prompt_version
from shared.domain.terms import key
from shared.records import Operation, Snapshot

LEARNED = {Operation.CREATE, Operation.UPDATE, Operation.NONE_CHANGE}


@pytest.fixture(scope="module")
def dialogue() -> Dialogue:
    [found] = load(only=["seed"])
    return found


@pytest.fixture(scope="module")
def done(environment: Mapping[str, str], dialogue: Dialogue) -> Done:
    """Play the case study once."""
    return perform(Task(OURS, dialogue, environment))


@pytest.fixture(scope="module")
def track(done: Done) -> list[Snapshot]:
    assert [turn.fault for turn in done.played.turns] == [None] * len(done.played.turns)
    return [Snapshot.model_validate(turn.snapshot) for turn in done.played.turns]


def test_every_question_ends_in_a_typed_decision(track: list[Snapshot], dialogue: Dialogue) -> None:
    """R4, R12: one snapshot a question, densely numbered, the first a CREATE."""
    assert [one.version for one in track] == [1, 2, 3]
    assert [one.text.user_query for one in track] == [turn.question for turn in dialogue.turns]
    assert [one.text.conversation_analysis.interaction_count for one in track] == [1, 2, 3]
    assert track[0].metadata.decision.operation is Operation.CREATE
    assert {one.metadata.decision.operation for one in track} <= LEARNED


def test_every_piece_of_evidence_is_a_quote(track: list[Snapshot], dialogue: Dialogue) -> None:
    """R13: it occurs in the question of its turn, and a trait has evidence."""
    for snapshot in track:
        for piece in snapshot.metadata.evidence:
            assert piece.turn <= (snapshot.metadata.turn or 0)
            assert key(piece.quote) in key(dialogue.turns[piece.turn - 1].question)
        if snapshot.text.identified_role.possible_identities:
            assert snapshot.metadata.evidence


def test_texts_are_in_the_language_of_the_question(track: list[Snapshot]) -> None:
    """R18."""
    for snapshot in track:
        assert snapshot.metadata.language == "zh"
        assert language_holds(snapshot.text.user_overview, "zh"), snapshot.text.user_overview
        for term in snapshot.text.identified_role.possible_identities:
            assert language_holds(term, "zh"), term


def test_what_nobody_said_of_themself_is_not_learned(done: Done, dialogue: Dialogue) -> None:
    """R17: cooking for a family is no ground to guess a gender or a place in it."""
    for turn, played in zip(dialogue.turns, done.played.turns, strict=True):
        assert played.stored is not None
        texts = (*(played.stored.identities or ()), *played.stored.texts, played.stored.overview)
        assert not any(no in str(text) for no in turn.expect.forbidden_anywhere for text in texts)


def test_a_wish_for_detail_is_kept(track: list[Snapshot]) -> None:
    """The third question asks for detail in so many words."""
    assert track[-1].text.communication_preferences.detail_level == "COMPREHENSIVE"


def test_a_snapshot_names_what_made_it(track: list[Snapshot], done: Done) -> None:
    """The model, the prompt by its content, and the tokens of every question that asked the model."""
    asked = {call.turn for call in done.calls if call.name == "role_extract"}
    assert asked, "no question asked the model"
    for snapshot in track:
        if snapshot.metadata.turn in asked:
            assert snapshot.metadata.model
            assert snapshot.metadata.prompt_version == prompt_version("extract", "zh")
            assert snapshot.metadata.tokens.input > snapshot.metadata.tokens.output > 0
