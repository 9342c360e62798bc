"""Recordings: what was asked is answered again, and what is missing is seen."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from evals.recording import Recorder, Recording, Replayer, Tape, line_of, packed, read_calls, unpacked
from shared.errors import ModelOutputUnusable, ModelUnavailable
from shared.model.ports import ChatMessage, Check, Structured
from shared.records import Tokens

ASKED: list[ChatMessage] = [{"role": "user", "content": 'turn 1: "hi"'}]
ASKED_OTHERWISE: list[ChatMessage] = [{"role": "user", "content": "Turn one: hi"}]


class Model:
    """Answers with the number of times it was asked, or fails as told."""

    def __init__(self, failing: Exception | None = None) -> None:
        self.failing = failing
        self.asked = 0

    def ask(
        self,
        name: str,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        *,
        seconds: float,
        check: Check | None = None,
    ) -> Structured:
        self.asked += 1
        if self.failing:
            raise self.failing
        return Structured({"number": self.asked}, "model", Tokens(input=10, output=2))


class Embedder:
    name = "vectors"

    def embed(self, texts: Sequence[str], *, seconds: float) -> list[list[float]]:
        return [[float(len(text)), 0.5] for text in texts]


def recorded(*questions: list[ChatMessage], failing: Exception | None = None) -> Recording:
    tape = Tape("one", turn=1)
    recorder = Recorder(tape, [], Model(failing))
    for question in questions:
        try:
            recorder.ask("role_extract", question, {}, seconds=1)
        except (ModelUnavailable, ModelOutputUnusable):
            continue
    return Recording(tape.calls)


def test_what_was_asked_is_answered_exactly_in_any_turn() -> None:
    # GIVEN a recording of turn 1
    recording = recorded(ASKED)
    # WHEN another turn of another dialogue asks the same
    tape = Tape("other", turn=7)
    reply = Replayer(recording, tape).ask("role_extract", ASKED, {}, seconds=1)
    # THEN the answer is the recorded one, and the tape says so
    assert reply == Structured({"number": 1}, "model", Tokens(input=10, output=2))
    assert [(call.replayed, call.dialogue, call.turn) for call in tape.calls] == [("exact", "other", 7)]


def test_what_is_asked_otherwise_is_answered_by_the_call_at_its_place() -> None:
    # GIVEN two calls in turn 1
    recording = recorded(ASKED, ASKED[:0])
    # WHEN the same turn asks twice in new words
    tape = Tape("one", turn=1)
    replayer = Replayer(recording, tape)
    answers = [replayer.ask("role_extract", ASKED_OTHERWISE, {}, seconds=1).fields["number"] for _ in range(2)]
    # THEN the first and the second stand in
    assert answers == [1, 2]
    assert [call.replayed for call in tape.calls] == ["placed", "placed"]


def test_what_is_missing_is_unavailable_and_two_roles_never_compared_are_different() -> None:
    tape = Tape("one", turn=2)
    replayer = Replayer(recorded(ASKED), tape)
    with pytest.raises(ModelUnavailable, match="no such answer"):
        replayer.ask("role_extract", ASKED_OTHERWISE, {}, seconds=1)
    assert replayer.ask("role_update", ASKED_OTHERWISE, {}, seconds=1).fields == {"verdict": "DIFFERENT"}
    assert [call.replayed for call in tape.calls] == ["missing", "missing"]


def test_what_is_missing_is_asked_of_the_model_where_there_is_one() -> None:
    # GIVEN a recording without turn 2, and a model
    tape, model = Tape("one", turn=2), Model()
    replayer = Replayer(recorded(ASKED), tape, Recorder(tape, [], model))
    # WHEN turn 2 is asked, THEN the model answers, and its call is recorded
    assert replayer.ask("role_extract", ASKED_OTHERWISE, {}, seconds=1).fields == {"number": 1}
    assert [call.replayed for call in tape.calls] == [None]


@pytest.mark.parametrize("fault", [ModelUnavailable("Out of time."), ModelOutputUnusable("No object.")])
def test_a_fault_is_played_again_unless_a_later_delivery_was_answered(fault: Exception) -> None:
    replayer = Replayer(recorded(ASKED, failing=fault), Tape("one", turn=1))
    with pytest.raises(type(fault), match=str(fault)):
        replayer.ask("role_extract", ASKED, {}, seconds=1)


def test_a_recording_survives_its_file(tmp_path: Path) -> None:
    # GIVEN calls with an answer, with vectors and with a fault
    tape = Tape("one", turn=1)
    recorder = Recorder(tape, [], Model(), Embedder())
    recorder.ask("role_extract", ASKED, {}, seconds=1)
    recorder.embed(["护士", "nurse"], seconds=1)
    with pytest.raises(ModelUnavailable):
        Recorder(tape, [], Model(ModelUnavailable("Busy."))).ask("role_update", ASKED, {}, seconds=1)
    # WHEN they are written and read
    file = tmp_path / "calls.jsonl"
    file.write_text("".join(map(line_of, tape.calls)), encoding="utf-8")
    # THEN nothing is lost
    assert read_calls(file) == tape.calls
    assert Replayer(Recording(read_calls(file)), Tape("two")).embed(["nurse"], seconds=1) == [[5.0, 0.5]]


def test_a_vector_keeps_three_digits() -> None:
    vector = [0.12345, -0.98765, 0.00012]
    assert unpacked(packed(vector)) == pytest.approx(vector, abs=5e-4)
