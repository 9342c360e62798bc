"""The scorer: each key of the dialogues, what makes it hold, and what does not."""

import pytest
from pydantic import ValidationError

from evals.dialogues import Dialogue, Expectations, load
from evals.scoring import Stored, normalised, score
from shared.records import ConfidenceLevel, Operation

NURSE = Stored(
    operation=Operation.UPDATE,
    identities=("Intensive-Care Nurse", "ward manager"),
    texts=("asks for handover steps", "Said: “three infusions”"),
    overview="a nurse on the night shift",
    preferences={"detailLevel": "CONCISE", "contentDepth": "PRACTICAL", "responseFormat": "DETAILED"},
    confidence=ConfidenceLevel.MEDIUM,
)


def holds(expected: dict[str, object], stored: Stored | None = NURSE) -> list[bool]:
    return [outcome.holds for outcome in score(Expectations.model_validate(expected), stored)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Bus\u00a0 Driver ", "bus driver"),
        ("story-time", "story time"),
        ("story _-\t time", "story time"),
        ("ＴＭＲ　搅拌车", "tmr 搅拌车"),
        ("STRASSE", "strasse"),
        ("straße", "strasse"),
        ("e\u2011bike", "e bike"),
    ],
)
def test_terms_are_compared_without_case_width_and_gaps(text: str, expected: str) -> None:
    assert normalised(text) == expected


@pytest.mark.parametrize(
    ("expected", "verdict"),
    [
        ({"operation": ["CREATE"]}, False),
        ({"operation": ["UPDATE", "NONE_CHANGE"]}, True),
        ({"identity_any": ["doctor", "pharmacist"]}, False),
        ({"identity_any": ["doctor", "intensive care"]}, True),
        ({"identity_any": ["night shift"]}, False),
        ({"identity_none": ["manager"]}, False),
        ({"identity_none": ["night shift"]}, True),
        ({"identity_empty": True}, False),
        ({"forbidden_anywhere": ["infusion"]}, False),
        ({"forbidden_anywhere": ["night_shift"]}, False),
        ({"forbidden_anywhere": ["ward"]}, False),
        ({"forbidden_anywhere": ["doctor"]}, True),
        ({"preferences": {"detailLevel": ["BALANCE"]}}, False),
        ({"preferences": {"detailLevel": ["BALANCE", "CONCISE"]}}, True),
        ({"overview_language": "zh"}, False),
        ({"overview_language": "en"}, True),
        ({"confidence_at_most": "LOW"}, False),
        ({"confidence_at_most": "MEDIUM"}, True),
        ({"confidence_at_least": "MEDIUM_HIGH"}, False),
        ({"confidence_at_least": "MEDIUM"}, True),
    ],
)
def test_a_key_holds(expected: dict[str, object], verdict: bool) -> None:
    assert holds(expected) == [verdict]


def test_somebody_elses_role_inside_the_users_is_a_violation() -> None:
    # GIVEN an identity that names a role the user does not have
    stored = NURSE.model_copy(update={"identities": ("relative of a crane operator",)})
    # WHEN it is scored, THEN it violates
    assert holds({"identity_none": ["crane"]}, stored) == [False]


@pytest.mark.parametrize(
    ("overview", "language", "verdict"),
    [
        ("重症监护室的护士", "zh", True),
        ("负责 ICU 的护士", "zh", True),
        ("a nurse in 重症监护室", "zh", True),
        ("a nurse in 重症监护室", "en", False),
        ("a nurse who reads 护士", "en", True),
        ("a nurse", "zh", False),
        ("护士", "en", False),
        ("花屋の店主", "zh", False),
        ("a florist called ハナ today", "en", False),
        ("", "zh", False),
        ("", "en", False),
        ("护士 nurse's aid", "zh", False),
    ],
)
def test_the_language_of_an_overview_is_that_of_most_of_it_without_kana(
    overview: str, language: str, verdict: bool
) -> None:
    assert holds({"overview_language": language}, NURSE.model_copy(update={"overview": overview})) == [verdict]


def test_each_field_of_preferences_is_an_expectation_of_its_own() -> None:
    wanted = {"detailLevel": ["CONCISE"], "contentDepth": ["OVERVIEW"], "responseFormat": ["DETAILED"]}
    assert holds({"preferences": wanted}) == [True, False, True]


@pytest.mark.parametrize("stored", [None, NURSE.model_copy(update={"operation": Operation.SKIPPED})])
def test_every_expectation_of_a_turn_without_a_learned_snapshot_fails(stored: Stored | None) -> None:
    # GIVEN expectations that an empty role would meet too
    expected = {
        "identity_none": ["pirate"],
        "forbidden_anywhere": ["pirate"],
        "identity_empty": True,
        "confidence_at_most": "HIGH",
        "preferences": {"detailLevel": ["CONCISE"], "contentDepth": ["PRACTICAL"]},
    }
    # WHEN the turn is missing or SKIPPED, THEN all of them fail
    assert holds(expected, stored) == [False] * 6


def test_what_a_system_has_no_notion_of_is_left_out() -> None:
    # GIVEN a system that holds sentences only
    stored = Stored(identities=("The user works as a nurse",))
    # WHEN everything is expected of it, THEN only what it can hold is scored
    outcomes = score(
        Expectations.model_validate(
            {
                "operation": ["CREATE"],
                "identity_any": ["nurse"],
                "forbidden_anywhere": ["pirate"],
                "overview_language": "en",
                "confidence_at_least": "LOW",
                "preferences": {"detailLevel": ["CONCISE"]},
            }
        ),
        stored,
    )
    assert [(outcome.key, outcome.holds) for outcome in outcomes] == [
        ("identity_any", True),
        ("forbidden_anywhere", True),
    ]


def test_no_expectations_score_nothing() -> None:
    assert score(Expectations(), None) == []


def test_a_misspelled_key_is_an_error() -> None:
    with pytest.raises(ValidationError):
        Expectations.model_validate({"identity_some": ["nurse"]})


def test_dialogues_are_found_by_category_and_by_the_beginning_of_their_id() -> None:
    everything = load()
    assert {one.id for one in load(only=["seed"])} == {one.id for one in everything if one.category == "seed"} != set()
    assert [one.id for one in load(only=["vis-grow"])] == [
        one.id for one in everything if one.id.startswith("vis-grow")
    ]


def test_the_dialogues_are_complete() -> None:
    """32 dialogues of 14 categories, as they were given."""
    everything: list[Dialogue] = load()
    assert (len(everything), len({one.category for one in everything})) == (32, 14)
