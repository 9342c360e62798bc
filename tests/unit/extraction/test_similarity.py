"""How alike two pictures are, on a scale on which 0.8 is the same role (R14, step 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from functions.role_memory.embedding import ANCHORS, EmbeddingMeasure
from functions.role_memory.rules.picture import Picture
from functions.role_memory.similarity import MAX_ASKED, FirstThatWorks, Measured, ModelMeasure
from shared.errors import ModelOutputUnusable, ModelUnavailable
from shared.records import Tokens
from tests.unit.extraction.fakes import Scripted

_MEANINGS = ((*ANCHORS[0], "ward sister"), *ANCHORS[1:], ("nursery owner",))


def shown(*identities: str) -> Picture:
    """Return a picture of these identities."""
    return Picture(identities)


@dataclass
class Meaning:
    """An embedder whose vectors are close to each other, as real ones are: strangers at 0.8, one meaning at 0.95."""

    name: str = "meaning"
    blind: bool = False
    calls: list[int] = field(default_factory=list)

    def embed(self, texts: Sequence[str], *, seconds: float) -> list[list[float]]:
        self.calls.append(len(texts))
        return [self._vector(text.partition(": ")[2]) for text in texts]

    def _vector(self, text: str) -> list[float]:
        group = next(at for at, terms in enumerate(_MEANINGS) if text in terms)
        meaning = [0.0] * len(_MEANINGS)
        wording = [0.0] * sum(map(len, _MEANINGS))
        meaning[group if not self.blind else 0] = 0.15**0.5
        wording[sum(map(len, _MEANINGS[:group])) + _MEANINGS[group].index(text)] = 0.05**0.5
        return [0.8**0.5, *meaning, *wording]


class Unreachable:
    name = "unreachable"

    def embed(self, texts: Sequence[str], *, seconds: float) -> list[list[float]]:
        raise ModelUnavailable("The model endpoint cannot be reached. Retry.")


@pytest.mark.parametrize(
    ("new", "known", "value"),
    [
        (["Nurse"], ["nurse"], 1.0),
        (["ＮＵＲＳＥ", "carer"], ["Carer", "nurse"], 1.0),
        (["nurse"], ["nurse", "carer"], 1.0),
        ([], ["nurse"], 0.0),
        (["nurse"], [], 0.0),
    ],
)
def test_equal_pictures_cost_no_call(new: list[str], known: list[str], value: float) -> None:
    """R14."""
    # GIVEN two pictures that need no judgement, WHEN each measure compares them
    model, embedder = Scripted([{"verdict": "SAME"}]), Meaning()
    found = [
        measure.compare(shown(*new), [shown(*known)], seconds=5)
        for measure in (ModelMeasure(model), EmbeddingMeasure(embedder))
    ]
    # THEN nobody was asked
    assert found == [Measured((value,), "equal")] * 2
    assert (model.asked, embedder.calls) == ([], [])


@pytest.mark.parametrize(
    "fields", [{"industryA": "care"}, {"verdict": "maybe"}, {"similarity": "high"}, {"similarity": 250}]
)
def test_no_verdict_is_a_failure(fields: dict[str, Any]) -> None:
    # GIVEN a model that does not decide, WHEN it compares, THEN that is a typed failure
    with pytest.raises(ModelOutputUnusable):
        ModelMeasure(Scripted([fields])).compare(shown("nurse"), [shown("lawyer")], seconds=5)


@pytest.mark.parametrize(
    ("fields", "same"),
    [
        ({"verdictA": "SAME"}, True),
        ({"verdictA": "similar"}, True),
        ({"verdictA": "DIFFERENT"}, False),
        ({"verdict": "SAME"}, True),
        ({"similarity": 0.9}, True),
        ({"similarity": "8.5"}, True),
        ({"similarity_score": "40%"}, False),
    ],
)
def test_the_models_word_becomes_the_codes_number(fields: dict[str, Any], same: bool) -> None:
    """R14: the threshold and the outcome are the code's."""
    # GIVEN a verdict, WHEN it is read
    model = Scripted([fields])
    found = ModelMeasure(model).compare(shown("carer"), [shown("nurse")], seconds=5)
    # THEN it falls on the right side of 0.8, and the request went out under its name
    assert (found.values[0] >= 0.8) is same
    assert found.measure == "model"
    assert model.names == ["role_update"]


def test_all_pictures_are_compared_in_one_call() -> None:
    """R14: a question costs at most one call of a measure."""
    # GIVEN three known pictures, one of them equal to the new one
    model = Scripted([{"verdictA": "DIFFERENT", "verdictC": "SAME"}])
    # WHEN they are compared with it
    found = ModelMeasure(model).compare(shown("carer"), [shown("lawyer"), shown("Carer"), shown("nurse")], seconds=5)
    # THEN the two unclear ones were asked about together, each under its name, and every verdict is at its place
    assert found == Measured((0.1, 1.0, 0.95), "model", Tokens(input=10, output=5))
    assert [message["content"] for message in model.asked[0]][1:] == ['A: ["lawyer"]\nB: ["carer"]\nC: ["nurse"]']


@pytest.mark.parametrize(
    ("known", "industry", "verdict", "same"),
    [
        ("plumbing", "plumbing", "SIMILAR", True),
        ("plumbing", "pipe plumbing", "SIMILAR", True),
        ("plumbing", "baking", "SIMILAR", False),
        ("plumbing", "plumbing", "DIFFERENT", True),
        ("food retail", "shoe retail", "DIFFERENT", False),
        ("food retail", "shoe retail", "SIMILAR", False),
        ("private life", "private life", "DIFFERENT", False),
        ("plumbing", "baking", "SAME", True),
    ],
)
def test_industries_count_for_more_than_the_verdict(known: str, industry: str, verdict: str, same: bool) -> None:
    """R14: small models name an industry better than they judge what follows from it."""
    model = Scripted([{"industryA": known, "industryB": industry, "verdictA": verdict}])
    found = ModelMeasure(model).compare(shown("carer"), [shown("nurse")], seconds=5)
    assert (found.values[0] >= 0.8) is same


def test_what_was_asked_is_compared_where_it_is_known() -> None:
    """R14: not what was guessed from it."""
    # GIVEN a new picture, and one whose questions are known
    new, known = Picture(("carer",), asked=("Which hoist?",)), Picture(("nurse",), asked=("Bed 4 fell.", "Who signs?"))
    model = Scripted([{"verdictA": "SAME"}, {"verdictA": "SAME"}])
    # WHEN they are compared, THEN the model sees the questions
    ModelMeasure(model).compare(new, [known], seconds=5)
    assert model.asked[0][1]["content"] == 'A: "Bed 4 fell. Who signs?"\nB: "Which hoist?"'
    # AND the identities where one was not asked for
    ModelMeasure(model).compare(new, [shown("nurse")], seconds=5)
    assert model.asked[1][1]["content"] == 'A: ["nurse"]\nB: ["carer"]'
    assert model.asked[0][0] != model.asked[1][0]


def test_what_was_asked_is_compared_at_a_length_that_stays() -> None:
    new, known = Picture(("carer",), asked=("w" * 999,)), Picture(("nurse",), asked=("v" * 999,))
    model = Scripted([{"verdictA": "SAME"}])
    ModelMeasure(model).compare(new, [known], seconds=5)
    assert len(model.asked[0][1]["content"]) < 2 * MAX_ASKED + 20


def test_embeddings_compare_all_pictures_in_one_call() -> None:
    embedder = Meaning()
    found = EmbeddingMeasure(embedder).compare(
        shown("ward sister"), [shown("lawyer"), shown("ward sister"), shown("nurse")], seconds=5
    )
    assert [value >= 0.8 for value in found.values] == [False, True, True]
    assert len(embedder.calls) == 1


def test_embeddings_are_brought_onto_the_scale_of_the_threshold() -> None:
    """R14: strangers of a real model reach raw cosines of 0.8 and more."""
    # GIVEN vectors that are all close, WHEN a synonym and a stranger are compared
    measure = EmbeddingMeasure(Meaning())
    same = measure.compare(shown("ward sister"), [shown("nurse")], seconds=5)
    stranger = measure.compare(shown("nursery owner"), [shown("nurse")], seconds=5)
    # THEN the threshold parts them, and the snapshot can name the measure
    assert same.values[0] >= 0.8 > 0.5 > stranger.values[0]
    assert same.measure == "embedding:meaning"


def test_the_scale_is_found_once() -> None:
    embedder = Meaning()
    measure = EmbeddingMeasure(embedder)
    for _ in range(2):
        measure.compare(shown("ward sister"), [shown("lawyer")], seconds=5)
    assert embedder.calls[0] > embedder.calls[1] == 2


def test_an_embedding_model_that_tells_nothing_apart_is_said_to_be_unfit() -> None:
    with pytest.raises(ModelUnavailable, match="EMBEDDING_MODEL"):
        EmbeddingMeasure(Meaning(blind=True)).compare(shown("chef"), [shown("nurse")], seconds=5)


def test_the_model_takes_over_from_embeddings_that_cannot_be_reached() -> None:
    measure = FirstThatWorks(EmbeddingMeasure(Unreachable()), ModelMeasure(Scripted([{"verdict": "SAME"}])))
    assert measure.compare(shown("carer"), [shown("nurse")], seconds=5).measure == "model"
