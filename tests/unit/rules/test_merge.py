"""What a role holds after a question (R15)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.role_memory.extract import Extract
from shared.domain.terms import covers, key, mentions
from shared.records import Evidence, Snapshot, Trait, TraitKind
from tests.unit.rules.builders import Meaning, Subject, extract

TERMS = [
    "teacher",
    "chemistry teacher",
    "Teacher",
    "nurse",
    "ward nurse",
    "cook",
    "head cook",
    "老师",
    "英语老师",
    "tiler",
]
MANY = TERMS + [f"{name} keeper" for name in ("bee", "inn", "zoo", "shop", "goal", "time", "gate", "peace")]
TRANSLATOR = Meaning((frozenset({"nurse", "重症护士", "ICU nurse"}), frozenset({"teacher", "educator"})))

an_extract = st.builds(
    extract,
    st.sampled_from(MANY),
    st.sampled_from(MANY),
    st.sampled_from(MANY),
    characteristics=st.lists(st.sampled_from(MANY), max_size=4).map(tuple),
    self_described=st.booleans(),
    denied=st.lists(st.sampled_from(TERMS), max_size=1).map(tuple),
    language=st.sampled_from(["en", "zh"]),
)
any_extract = st.one_of(an_extract, st.just(Extract()))
some_extracts = st.lists(any_extract, min_size=1, max_size=10)


def traits(snapshot: Snapshot) -> dict[str, Trait]:
    return {trait.term: trait for trait in snapshot.metadata.traits}


def characteristics(snapshot: Snapshot) -> tuple[str, ...]:
    return snapshot.text.identified_role.primary_characteristics


def test_the_more_specific_term_stays_and_support_adds() -> None:
    """R15."""
    subject = Subject()
    subject.ask_all([extract("teacher"), extract("Chemistry teacher"), extract("TEACHER")])
    assert subject.identities == ("Chemistry teacher",)
    assert traits(subject.track[-1])["Chemistry teacher"].support == 3


def test_one_question_is_one_vote() -> None:
    """R15: repeats do not make support."""
    subject = Subject()
    subject.ask(extract("teacher", "Teacher", "chemistry teacher"))
    assert [(trait.term, trait.support) for trait in subject.track[-1].metadata.traits] == [("chemistry teacher", 1)]


def test_a_correction_removes_the_denied_and_the_implied() -> None:
    """R14.3: their own words win; what contradicts them is replaced, not united."""
    # GIVEN a role implied by two questions
    subject = Subject()
    subject.ask(extract("tiler", "tile installer", characteristics=("lays large porcelain",)))
    subject.ask(extract("tiler", "do-it-yourselfer"))
    # WHEN the user corrects it
    corrected = subject.ask(extract("architect", self_described=True, denied=("tiler",)))
    # THEN nothing of it is left, and the new identity is stated
    assert subject.identities == ("architect",)
    assert characteristics(corrected) == ()
    assert corrected.metadata.evidence == (Evidence(turn=1, quote="words of a architect"),)
    assert corrected.text.identified_role.evidence_summary == ("asked as a architect",)
    assert traits(corrected)["architect"].explicit
    assert corrected.metadata.denied == ("tiler",)
    # AND the denied one does not come back by later questions
    subject.ask_all([extract("architect", "professional tiler")] + [extract("tiler")] * 4)
    assert subject.identities == ("architect",)


def test_a_denial_alone_removes_what_is_denied() -> None:
    """R14.3."""
    subject = Subject()
    subject.ask_all([extract("tiler", "homeowner"), Extract(self_described=True, denied=("tiler",))])
    assert subject.identities == ("homeowner",)


def test_a_denied_candidate_does_not_come_back_by_drift() -> None:
    """R14.3: a denial counts also for pictures drawn before it."""
    subject = Subject()
    subject.ask_all([extract("nurse")] * 2 + [extract("cook", "tiler")] * 2 + [Extract(denied=("tiler",))])
    assert subject.identities == ("nurse",)
    subject.ask(extract("cook"))
    assert subject.identities == ("cook",)


def test_own_words_are_never_refused_by_a_denial_of_less() -> None:
    """R14.3: "not a teacher, a retired teacher"."""
    subject = Subject()
    subject.ask(extract("teacher"))
    subject.ask(extract("retired teacher", self_described=True, denied=("teacher",)))
    assert subject.identities == ("retired teacher",)
    subject.ask(extract("retired teacher"))
    assert traits(subject.track[-1])["retired teacher"].support == 2
    assert subject.track[-1].metadata.denied == ()


def test_a_user_may_take_a_denial_back() -> None:
    subject = Subject()
    subject.ask_all([extract("nurse"), extract("cook", self_described=True, denied=("nurse",))])
    subject.ask(extract("nurse", self_described=True))
    assert "nurse" in subject.identities
    assert subject.track[-1].metadata.denied == ()


def test_a_denied_word_offered_as_an_identity_is_refused() -> None:
    """A model that names what the user denies is not believed, nor is its overview."""
    subject = Subject()
    subject.ask(extract("nurse"))
    told = subject.ask(
        extract("tiler", "architect", self_described=True, denied=("tiler",), overview="a tiler on a site")
    )
    assert subject.identities == ("architect",)
    assert told.text.user_overview == "a user described as architect"


def test_a_statement_leaves_what_more_questions_than_it_counts_imply() -> None:
    """R14.3: three votes; without a denial a well supported identity stays behind the stated one."""
    subject = Subject()
    subject.ask_all([extract("nurse")] * 4 + [extract("landlord", self_described=True)])
    assert subject.identities == ("landlord", "nurse")
    # BUT one that is implied by no more than that goes
    subject = Subject()
    subject.ask_all([extract("nurse")] * 3 + [extract("landlord", self_described=True)])
    assert subject.identities == ("landlord",)


def test_two_statements_stand_side_by_side() -> None:
    subject = Subject()
    subject.ask_all([extract("nurse", self_described=True), extract("landlord", self_described=True)])
    assert set(subject.identities) == {"nurse", "landlord"}


def test_a_statement_about_no_identity_keeps_the_role() -> None:
    subject = Subject()
    subject.ask_all([extract("nurse"), extract(characteristics=("new to computers",), self_described=True)])
    assert subject.identities == ("nurse",)
    assert traits(subject.track[-1])["new to computers"].explicit


def test_drift_replaces_what_was_implied() -> None:
    """R14.5, R15: evidence and characteristics of the old role go with it."""
    # GIVEN an implied role
    subject = Subject()
    subject.ask_all([extract("nurse", characteristics=("works nights",))] * 5)
    # WHEN the user turns into somebody else
    subject.ask_all([extract("candle maker", characteristics=("sells at markets",))] * 3)
    # THEN
    snapshot = subject.track[-1]
    assert subject.identities == ("candle maker",)
    assert characteristics(snapshot) == ("sells at markets",)
    assert traits(snapshot)["candle maker"].support == 3
    assert {piece.quote for piece in snapshot.metadata.evidence} == {"words of a candle maker"}


def test_drift_leaves_a_stated_identity_as_a_mere_hint() -> None:
    """R16: a statement is not forgotten at once, and no longer leads."""
    subject = Subject()
    subject.ask_all([extract("nurse", self_described=True)] * 5 + [extract("candle maker")] * 3)
    assert subject.identities == ("candle maker", "nurse")
    nurse = traits(subject.track[-1])["nurse"]
    assert (nurse.explicit, nurse.support) == (False, 1)


def test_pinned_terms_stay_and_their_support_grows() -> None:
    """R15: pinned fields are never changed by learning."""
    subject = Subject()
    subject.ask_all([extract("nurse")])
    subject.edit(pin=["possibleIdentities", "primaryCharacteristics"])
    subject.ask(extract("ward nurse", "gardener", characteristics=("works nights",)))
    assert subject.identities == ("nurse",)
    assert characteristics(subject.track[-1]) == ()
    assert traits(subject.track[-1])["nurse"].support == 2


def test_pinned_characteristics_outlive_a_correction() -> None:
    subject = Subject()
    subject.ask(extract("nurse", characteristics=("works nights",)))
    subject.edit(pin=["primaryCharacteristics"])
    subject.ask(extract("architect", self_described=True, denied=("nurse",)))
    assert characteristics(subject.track[-1]) == ("works nights",)


def test_the_same_role_in_other_words_supports_the_leading_identity() -> None:
    """R15: a measure that finds two terms the same adds support, whatever the words."""
    subject = Subject(meaning=TRANSLATOR)
    subject.ask_all([extract("teacher"), extract("educator")])
    assert subject.identities == ("teacher", "educator")
    assert traits(subject.track[-1])["teacher"].support == 2


def test_a_language_switch_rewords_and_does_not_fork() -> None:
    """R18."""
    # GIVEN a role learned in English
    subject = Subject(meaning=TRANSLATOR)
    subject.ask_all([extract("nurse", language="en")] * 2)
    # WHEN the user goes on in Chinese
    switched = subject.ask(extract("重症护士", language="zh", overview="一位重症监护室护士"))
    # THEN it is the same role in other words
    assert subject.identities == ("重症护士",)
    assert traits(switched)["重症护士"].support == 3
    assert switched.text.user_overview == "一位重症监护室护士"
    # AND so it is on the way back
    subject.ask(extract("ICU nurse", language="en"))
    assert subject.identities == ("ICU nurse",)
    # BUT a pinned wording stays
    subject.edit(pin=["possibleIdentities"])
    subject.ask(extract("重症护士", language="zh"))
    assert subject.identities == ("ICU nurse",)


def test_a_cap_is_reported() -> None:
    """R15: the snapshot says what it dropped."""
    subject = Subject()
    snapshot = subject.ask(extract(*(f"{name} keeper" for name in ("bee", "inn", "zoo", "shop", "goal", "gate"))))
    assert len(subject.identities) == 5
    assert snapshot.metadata.dropped == ("gate keeper",)


def test_evidence_is_united_without_repeats_and_the_newest_stay() -> None:
    """R15: evidence <= 10."""
    subject = Subject()
    for turn in range(1, 14):
        pieces = (Evidence(turn=turn, quote="on my ward"), Evidence(turn=turn, quote="On my ward!"))
        subject.ask(extract("nurse", evidence=pieces, evidence_summary=(f"asked about ward {turn}",)))
    snapshot = subject.track[-1]
    assert [piece.turn for piece in snapshot.metadata.evidence] == list(range(4, 14))
    assert len(snapshot.text.identified_role.evidence_summary) == 10
    assert snapshot.text.identified_role.evidence_summary[-1] == "asked about ward 13"


@pytest.mark.parametrize("operation", ["nothing", "stranger"])
def test_what_changes_nothing_changes_nothing(operation: str) -> None:
    """R6."""
    subject = Subject()
    before = subject.ask(extract("nurse", characteristics=("works nights",)))
    after = subject.ask(Extract() if operation == "nothing" else extract("cook"))
    assert after.metadata.traits == before.metadata.traits
    assert after.metadata.evidence == before.metadata.evidence


@settings(max_examples=60, deadline=None)
@given(some_extracts)
def test_a_role_is_bounded_and_holds_only_what_was_shown(shown: list[Extract]) -> None:
    """R15: bounded; nothing that no question showed."""
    subject = Subject()
    seen: set[str] = set()
    for one in shown:
        snapshot = subject.ask(one)
        seen |= set(one.identities) | set(one.characteristics)
        identified = snapshot.text.identified_role
        assert {trait.term for trait in snapshot.metadata.traits} <= seen
        assert len(identified.possible_identities) <= 5
        assert len(identified.primary_characteristics) <= 10
        assert len(identified.evidence_summary) <= 10
        assert len(snapshot.metadata.evidence) <= 10
        keys = [key(term) for term in identified.possible_identities]
        assert len(keys) == len(set(keys))


@settings(max_examples=60, deadline=None)
@given(some_extracts)
def test_asking_the_same_again_adds_no_term(shown: list[Extract]) -> None:
    """R15: merging is idempotent in its terms."""
    subject = Subject()
    subject.ask_all(shown)
    last = shown[-1].model_copy(update={"self_described": False, "denied": ()})
    once = subject.ask(last)
    again = subject.ask(last)
    if once.metadata.decision.operation.value == again.metadata.decision.operation.value == "UPDATE":
        assert {key(term) for term in traits(again)} <= {key(term) for term in traits(once)}
        assert again.metadata.evidence == once.metadata.evidence


@settings(max_examples=60, deadline=None)
@given(some_extracts, st.sampled_from(TERMS))
def test_a_forbidden_term_never_comes_back(shown: list[Extract], forbidden: str) -> None:
    """R15."""
    subject = Subject()
    subject.ask(shown[0])
    subject.edit(forbid=[forbidden])
    for one in shown + [extract(forbidden)] * 3:
        snapshot = subject.ask(one)
        role = snapshot.text.identified_role
        texts = [*role.possible_identities, *role.primary_characteristics, *role.evidence_summary]
        texts += [snapshot.text.user_overview, *(piece.quote for piece in snapshot.metadata.evidence)]
        assert not any(mentions(text, [forbidden]) for text in texts)


@settings(max_examples=60, deadline=None)
@given(some_extracts, st.sampled_from(["possibleIdentities", "primaryCharacteristics", "userOverview", "detailLevel"]))
def test_a_pinned_field_never_changes_by_learning(shown: list[Extract], field: str) -> None:
    """R15."""
    subject = Subject()
    subject.ask(shown[0])
    subject.edit(pin=[field])

    def value(snapshot: Snapshot) -> object:
        role = snapshot.text.to_json()
        return {**role["identifiedRole"], **role["communicationPreferences"], **role}[field]

    before = value(subject.track[-1])
    for one in shown:
        hints = {"detail_level": "CONCISE", "content_depth": "OVERVIEW"}
        assert value(subject.ask(one.model_copy(update={"preferences": type(one.preferences)(**hints)}))) == before


@settings(max_examples=60, deadline=None)
@given(some_extracts, st.sampled_from(TERMS))
def test_a_denied_identity_comes_back_only_by_the_users_own_word(shown: list[Extract], denied: str) -> None:
    """R14.3."""
    subject = Subject()
    subject.ask_all([extract("zookeeper"), Extract(denied=(denied,))])
    for one in shown:
        subject.ask(one.model_copy(update={"self_described": False}))
        for trait in subject.track[-1].metadata.traits:
            assert trait.kind is not TraitKind.IDENTITY or not covers(trait.term, denied)
