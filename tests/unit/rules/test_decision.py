"""The table of R14, step by step."""

from typing import Any

import pytest

from functions.role_memory.extract import Extract
from functions.role_memory.rules.decision import STEPS, Step, comparison, decide
from functions.role_memory.rules.picture import Picture, Similarities
from functions.role_memory.rules.settings import RuleSettings
from shared.records import Decision, Operation
from tests.unit.rules.builders import Meaning, Subject, extract

SETTINGS = RuleSettings()
NOTHING = Extract()
CREATE, UPDATE, NONE_CHANGE = Operation.CREATE, Operation.UPDATE, Operation.NONE_CHANGE
CANDLES = Meaning((frozenset({"candle maker", "craft seller", "market trader"}), frozenset({"nurse", "护士"})))


def nurse(**edit: Any) -> Subject:
    """Return a subject whose role is a nurse, implied by two questions."""
    subject = Subject(meaning=CANDLES)
    subject.ask_all([extract("nurse", characteristics=("works nights",)), extract("nurse")])
    if edit:
        subject.edit(**edit)
    return subject


def verdict_on(subject: Subject, shown: Extract, score: float | None = None, settings: RuleSettings = SETTINGS) -> Any:
    role = Picture.of_role(subject.track[-1]) if subject.track else Picture()
    scores = {} if score is None else {role: score}
    return decide(shown, subject.latest, subject.track[-4:], Similarities("meaning", scores), settings)


def test_the_steps_stand_in_the_order_of_the_design() -> None:
    """R14: in this order, and the last step always holds."""
    assert [(step, operation) for step, _, operation in STEPS] == [
        (Step.FIRST, CREATE),
        (Step.NOTHING, NONE_CHANGE),
        (Step.OWN_WORDS, UPDATE),
        (Step.BLANK, UPDATE),
        (Step.ALIKE, UPDATE),
        (Step.DRIFT, UPDATE),
        (Step.STRANGER, NONE_CHANGE),
    ]


@pytest.mark.parametrize("shown", [NOTHING, extract("nurse"), extract("nurse", self_described=True)])
def test_step_1_no_snapshot_yet_creates(shown: Extract) -> None:
    """R14.1."""
    assert verdict_on(Subject(), shown).step is Step.FIRST


def test_step_1_a_skipped_snapshot_is_no_role_yet() -> None:
    """R14.1, R5: a first question that failed leaves nothing to update."""
    # GIVEN two skipped questions
    subject = Subject()
    subject.skip()
    subject.skip()
    # WHEN one is read THEN it creates
    assert subject.ask(extract("nurse")).metadata.decision.operation is CREATE


def test_step_2_nothing_learned_changes_nothing() -> None:
    """R14.2."""
    assert verdict_on(nurse(), NOTHING).step is Step.NOTHING
    assert verdict_on(nurse(), Extract(self_described=True)).step is Step.NOTHING


def test_step_2_a_denial_that_hits_nothing_changes_nothing() -> None:
    assert verdict_on(nurse(), Extract(self_described=True, denied=("tiler",))).step is Step.NOTHING


@pytest.mark.parametrize(
    "shown",
    [
        extract("architect", self_described=True),
        extract("nurse", self_described=True),
        extract(characteristics=("new to computers",), self_described=True),
        Extract(denied=("nurse",)),
        Extract(self_described=True, denied=("Nurse",)),
    ],
)
def test_step_3_their_own_words_update_without_comparing(shown: Extract) -> None:
    """R14.3."""
    verdict = verdict_on(nurse(), shown)
    assert (verdict.step, verdict.decision.similarity) == (Step.OWN_WORDS, None)
    assert comparison(shown, nurse().latest, nurse().track, SETTINGS) is None


def test_a_blank_role_is_filled_by_the_first_identity() -> None:
    """R14, R17: after "hi" there is nothing a first picture could contradict."""
    # GIVEN a greeting, and then a picture that has no identity
    subject = Subject()
    operations = subject.ask_all([NOTHING, NOTHING, extract(characteristics=("exact",))])
    # THEN neither makes a role
    assert operations == ["CREATE", "NONE_CHANGE", "NONE_CHANGE"]
    assert subject.identities == ()
    # WHEN an identity shows
    shown = extract("nurse")
    assert comparison(shown, subject.latest, subject.track, SETTINGS) is None
    # THEN it is taken
    assert verdict_on(subject, shown).step is Step.BLANK


def test_a_role_of_characteristics_only_takes_the_first_identity_in() -> None:
    subject = Subject()
    subject.ask(extract(characteristics=("works nights",)))
    role = subject.ask(extract("nurse")).text.identified_role
    assert role.possible_identities == ("nurse",)
    assert role.primary_characteristics == ("works nights",)


@pytest.mark.parametrize(
    ("shown", "score", "step"),
    [
        (extract("caregiver"), 0.8, Step.ALIKE),
        (extract("caregiver"), 0.79, Step.STRANGER),
        (extract("caregiver"), None, Step.STRANGER),
        (extract("NURSE"), None, Step.ALIKE),
        (extract("ward nurse", "gardener"), None, Step.ALIKE),
        (extract("gardener", "nurse"), 0.5, Step.STRANGER),
        (extract(characteristics=("Works nights!",)), None, Step.ALIKE),
        (extract(characteristics=("likes tea",)), None, Step.STRANGER),
    ],
)
def test_step_4_the_threshold_is_the_codes(shown: Extract, score: float | None, step: Step) -> None:
    """R14.4: at or above the threshold is the same role; equal terms need no measure."""
    assert verdict_on(nurse(), shown, score).step is step


def test_step_4_the_snapshot_names_number_and_measure() -> None:
    """R14: the snapshot names the measure."""
    assert verdict_on(nurse(), extract("caregiver"), 0.91).decision == Decision(
        operation=UPDATE,
        similarity=0.91,
        measure="meaning",
        reason="The same role: similarity 0.91, at least 0.80.",
    )
    equal = verdict_on(nurse(), extract("nurse")).decision
    assert (equal.similarity, equal.measure) == (1.0, "terms")
    stranger = verdict_on(nurse(), extract("gardener"), 0.2).decision
    assert (stranger.similarity, stranger.measure) == (0.2, "meaning")


def test_step_4_the_threshold_is_a_setting() -> None:
    strict = RuleSettings(update_similarity_threshold=0.95)
    assert verdict_on(nurse(), extract("caregiver"), 0.9, strict).step is Step.STRANGER


@pytest.mark.parametrize(
    "shown", [NOTHING, extract("nurse"), extract("ward nurse"), extract(characteristics=("likes tea",))]
)
def test_what_no_measure_could_change_costs_no_call(shown: Extract) -> None:
    """R14: equal pictures cost no model call."""
    assert comparison(shown, nurse().latest, nurse().track, SETTINGS) is None
    assert comparison(shown, None, (), SETTINGS) is None


def test_a_question_asks_the_measure_once_about_role_and_candidates() -> None:
    # GIVEN two questions about candles, which makes a drift possible
    subject = nurse()
    first = comparison(extract("candle maker"), subject.latest, subject.track, SETTINGS)
    subject.ask_all([extract("candle maker"), extract("craft seller")])
    # WHEN a third one comes
    asked = comparison(extract("market trader"), subject.latest, subject.track, SETTINGS)
    # THEN the first was compared with the role alone, the third with all that may matter
    role = Picture(("nurse",), ("works nights",), ("words of a nurse",))
    seller, maker = (Picture((term,), (), (f"words of a {term}",)) for term in ("craft seller", "candle maker"))
    assert first is not None
    assert first.others == (role,)
    assert asked is not None
    assert asked.others == (role, seller, maker)
    # AND a candidate of the same terms is not asked about
    again = comparison(extract("candle maker"), subject.latest, subject.track, SETTINGS)
    assert again is not None
    assert again.others == (role, seller)


def test_step_5_the_third_question_with_the_same_picture_is_a_drift() -> None:
    """R14.5: the same new picture in enough recent turns, also worded otherwise."""
    subject = nurse()
    shown = [extract("candle maker"), extract("craft seller"), extract("market trader")]
    assert subject.ask_all(shown) == ["NONE_CHANGE", "NONE_CHANGE", "UPDATE"]
    assert subject.identities == ("market trader", "craft seller", "candle maker")


def test_step_5_a_single_hint_yields_to_two_questions() -> None:
    """R16: a new picture needs one vote more than the role has, three at most."""
    # GIVEN a role implied by one question
    subject = Subject()
    subject.ask(extract("nurse"))
    # WHEN two others agree on something else
    assert subject.ask_all([extract("candle maker")] * 2) == ["NONE_CHANGE", "UPDATE"]
    # THEN they win
    assert subject.identities == ("candle maker",)
    # BUT a statement does not yield to two
    stated = Subject()
    stated.ask(extract("nurse", self_described=True))
    assert stated.ask_all([extract("candle maker")] * 2) == ["NONE_CHANGE", "NONE_CHANGE"]


def test_step_5_questions_that_show_nothing_may_lie_between() -> None:
    """R14.5: three of the last five."""
    subject = nurse()
    candle = extract("candle maker")
    assert subject.ask_all([candle, NOTHING, candle, NOTHING, candle])[-1] == "UPDATE"


def test_step_5_what_lies_further_back_does_not_count() -> None:
    subject = nurse()
    candle = extract("candle maker")
    assert subject.ask_all([candle, candle, NOTHING, NOTHING, NOTHING, candle])[-1] == "NONE_CHANGE"


def test_step_5_both_lives_of_one_user_are_seen() -> None:
    """R14.5: also where questions of the old role lie between; then both stay."""
    subject = nurse()
    candle, ward = extract("candle maker"), extract("nurse")
    assert subject.ask_all([candle, ward, candle, ward, candle])[-1] == "UPDATE"
    assert set(subject.identities) == {"nurse", "candle maker"}


def test_step_5_a_role_no_question_supports_any_more_yields_to_a_repeated_picture() -> None:
    """R14.5: two of three strangers alike, and none of the three shows the old role."""
    subject = nurse()
    assert subject.ask_all([extract("candle maker"), extract("label printer"), extract("candle maker")]) == [
        "NONE_CHANGE",
        "NONE_CHANGE",
        "UPDATE",
    ]
    # BUT not while the role is still being shown
    subject = nurse()
    asked = [extract("candle maker"), extract("label printer"), extract("nurse"), extract("candle maker")]
    assert subject.ask_all(asked)[-1] == "NONE_CHANGE"


def test_step_5_questions_off_the_subject_stay_without_effect() -> None:
    """R14.5: one-offs, however many, are no new role."""
    subject = nurse()
    one_offs = [extract(term) for term in ("cook", "tourist", "film fan", "gardener", "chess player", "jogger")]
    assert set(subject.ask_all(one_offs)) == {"NONE_CHANGE"}
    assert subject.identities == ("nurse",)


def test_step_5_a_trait_without_identity_joins_when_it_keeps_coming() -> None:
    subject = nurse()
    tea = extract(characteristics=("likes tea",))
    assert subject.ask_all([tea, tea, tea]) == ["NONE_CHANGE", "NONE_CHANGE", "UPDATE"]
    role = subject.track[-1].text.identified_role
    assert role.possible_identities == ("nurse",)
    assert set(role.primary_characteristics) == {"works nights", "likes tea"}


def test_step_5_an_edit_settles_what_was_before() -> None:
    """The user has just said who they are: earlier candidates are void."""
    subject = nurse()
    candle = extract("candle maker")
    subject.ask_all([candle, candle])
    subject.edit(set={"possibleIdentities": ["nurse"]})
    assert subject.ask(candle).metadata.decision.operation is NONE_CHANGE


def test_pinned_identities_yield_to_nothing_learned() -> None:
    """R15: pinned fields are never changed by learning, and the reason says why."""
    subject = nurse(pin=["possibleIdentities"])
    candle = extract("candle maker")
    asked = [candle, candle, candle, extract("architect", self_described=True), Extract(denied=("nurse",))]
    assert set(subject.ask_all(asked)) == {"NONE_CHANGE"}
    assert "pinned" in subject.track[-2].metadata.decision.reason
    # AND no measure is asked about a drift that may not happen
    asked_now = comparison(candle, subject.latest, subject.track, SETTINGS)
    assert asked_now is not None
    assert len(asked_now.others) == 1


def test_forbidden_terms_teach_nothing() -> None:
    """R15: what the user forbade is as if it had not been read."""
    subject = nurse(forbid=["tiler"])
    assert verdict_on(subject, extract("retired tiler")).step is Step.NOTHING


def test_reasons_are_short_sentences() -> None:
    subject = nurse()
    long = extract(*(f"{at} {'very ' * 16}long term" for at in range(9)))
    for shown in (NOTHING, long, extract("tiler", self_described=True, denied=("nurse",)), Extract(denied=("nurse",))):
        assert 0 < len(verdict_on(subject, shown).decision.reason) <= 300
    denial = verdict_on(subject, extract("tiler", self_described=True, denied=("nurse",))).decision.reason
    assert denial == "The user speaks of themself: not nurse; tiler."


@pytest.mark.parametrize("support", [2, 5, 40])
@pytest.mark.parametrize("stated", [False, True])
def test_no_role_is_frozen(support: int, stated: bool) -> None:
    """R16: enough contrary evidence always wins, however sure the role was."""
    # GIVEN a role with any support
    subject = Subject()
    subject.ask_all([extract("nurse", self_described=stated)] * support)
    # WHEN another picture keeps coming
    subject.ask_all([extract("candle maker")] * 3)
    # THEN it leads
    assert subject.identities[0] == "candle maker"
    assert subject.track[-1].text.user_overview == "a candle maker"


def test_contrary_questions_are_counted_in_a_row() -> None:
    """R16."""
    subject = nurse()
    assert verdict_on(subject, extract("cook"), 0.1).contrary == 1
    subject.ask(extract("cook"))
    assert verdict_on(subject, NOTHING).contrary == 1
    assert verdict_on(subject, extract("tourist"), 0.1).contrary == 2
    assert verdict_on(subject, extract("nurse")).contrary == 0
