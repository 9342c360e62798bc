"""The whole next snapshot."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.role_memory.extract import Extract, PreferenceHints
from shared.domain.guidance import guidance_block
from shared.domain.roles import MAX_SNAPSHOT_BYTES
from shared.records import (
    ConfidenceLevel,
    ContentDepth,
    DetailLevel,
    Evidence,
    Operation,
    Preferences,
    ResponseFormat,
    Snapshot,
)
from tests.unit.rules.builders import Meaning, Subject, extract

SHORT = PreferenceHints(detail_level=DetailLevel.CONCISE)
FAMILY = Meaning((frozenset({"烹饪爱好者", "家庭烹饪者"}),))


def size(snapshot: Snapshot) -> int:
    return len(json.dumps(snapshot.to_json(), ensure_ascii=False, separators=(",", ":")).encode())


def test_three_questions_of_one_case() -> None:
    """R12, R18: the contract's record, grown over three questions."""
    # GIVEN a user who asks three times about one dish
    subject = Subject(meaning=FAMILY)
    first = subject.ask(
        extract("烹饪爱好者", language="zh", overview="一位喜欢做家常菜的人", model="m", prompt_version="p"),
        question="研究下回锅肉的做法",
    )
    subject.ask(extract("家庭烹饪者", language="zh", overview="一位为家人做饭的人"))
    third = subject.ask(
        extract(
            "家庭烹饪者",
            language="zh",
            overview="一位为家人研究菜谱的人",
            preferences=PreferenceHints(
                detail_level=DetailLevel.COMPREHENSIVE, response_format=ResponseFormat.STRUCTURED_WITH_EXAMPLES
            ),
        )
    )
    # THEN the first one creates
    assert first.to_json()["text"] == {
        "userId": "u1",
        "conversationId": "s1",
        "userQuery": "研究下回锅肉的做法",
        "conversationAnalysis": {"confidenceScore": 0.5, "interactionCount": 1},
        "identifiedRole": {
            "possibleIdentities": ["烹饪爱好者"],
            "primaryCharacteristics": [],
            "evidenceSummary": ["asked as a 烹饪爱好者"],
            "confidenceLevel": "MEDIUM",
        },
        "communicationPreferences": {
            "detailLevel": "BALANCE",
            "contentDepth": "PRACTICAL",
            "responseFormat": "DETAILED",
        },
        "userOverview": "一位喜欢做家常菜的人",
        "creatTime": "2026-01-31 20:00:00",
        "updateTime": "",
    }
    assert (first.metadata.version, first.metadata.turn, first.metadata.covered_turns) == (1, 1, (1,))
    assert (first.metadata.model, first.metadata.prompt_version, first.metadata.language) == ("m", "p", "zh")
    # AND the others update it
    assert [s.metadata.decision.operation.value for s in subject.track] == ["CREATE", "UPDATE", "UPDATE"]
    assert [s.text.conversation_analysis.interaction_count for s in subject.track] == [1, 2, 3]
    assert (third.text.creat_time, third.text.update_time) == ("2026-01-31 20:00:00", "2026-01-31 20:02:00")
    assert third.text.user_overview == "一位为家人研究菜谱的人"
    assert third.text.communication_preferences.detail_level is DetailLevel.COMPREHENSIVE
    assert third.text.identified_role.confidence_level is ConfidenceLevel.MEDIUM


def test_a_greeting_creates_a_role_without_a_guess() -> None:
    """R17: identities empty, level LOW; R18: the overview is in the user's language."""
    subject = Subject()
    hello = subject.ask(Extract(language="zh", overview="一位医生"))
    assert hello.metadata.decision.operation is Operation.CREATE
    assert hello.text.identified_role.possible_identities == ()
    assert hello.text.identified_role.confidence_level is ConfidenceLevel.LOW
    assert hello.text.user_overview == "一位身份尚不明确的用户"
    assert subject.ask(Extract(language="en-GB")).text.user_overview == "a user whose role is not known yet"


def test_what_changes_nothing_keeps_role_and_times() -> None:
    """R6, R14: NONE_CHANGE counts the question and nothing else; its picture is kept as a candidate."""
    subject = Subject()
    before = subject.ask(extract("nurse"))
    after = subject.ask(extract("cook", "baker", characteristics=("likes salt",), overview="a cook"))
    assert after.metadata.decision.operation is Operation.NONE_CHANGE
    assert after.text.identified_role.possible_identities == ("nurse",)
    assert after.text.user_overview == "a nurse"
    assert after.text.update_time == before.text.update_time == ""
    assert after.text.conversation_analysis.interaction_count == 2
    assert after.metadata.candidate is not None
    assert after.metadata.candidate.identities == ("cook", "baker")
    assert after.metadata.candidate.evidence == (
        Evidence(turn=1, quote="words of a cook"),
        Evidence(turn=1, quote="words of a baker"),
    )
    assert before.metadata.candidate is None
    assert subject.ask(Extract()).metadata.candidate is None


def test_confidence_falls_while_questions_draw_another_picture_and_comes_back() -> None:
    """R16."""
    subject = Subject()
    sure = subject.ask(extract("nurse", self_described=True)).text
    doubted = subject.ask(extract("cook")).text
    again = subject.ask(extract("nurse")).text
    scores = [text.conversation_analysis.confidence_score for text in (sure, doubted, again)]
    assert scores == [0.75, pytest.approx(0.592, abs=0.001), 0.8]
    assert sure.identified_role.confidence_level is ConfidenceLevel.MEDIUM_HIGH
    assert doubted.identified_role.confidence_level is ConfidenceLevel.MEDIUM


def test_preferences_move_with_hints_whatever_is_decided() -> None:
    """R14.2: also when nothing was learned; what no hint names stays."""
    subject = Subject()
    subject.ask(extract("nurse"))
    short = subject.ask(Extract(preferences=SHORT))
    assert short.metadata.decision.operation is Operation.NONE_CHANGE
    assert short.text.communication_preferences == Preferences(detail_level=DetailLevel.CONCISE)
    assert short.text.update_time == "2026-01-31 20:01:00"
    stays = subject.ask(extract("nurse", preferences=PreferenceHints(content_depth=ContentDepth.OVERVIEW)))
    assert stays.text.communication_preferences == Preferences(
        detail_level=DetailLevel.CONCISE, content_depth=ContentDepth.OVERVIEW
    )


def test_pinned_texts_stay() -> None:
    """R15."""
    subject = Subject()
    subject.ask(extract("nurse"))
    subject.edit(set={"userOverview": "a ward sister"}, pin=["userOverview", "detailLevel"])
    after = subject.ask(extract("nurse", preferences=SHORT))
    assert after.text.user_overview == "a ward sister"
    assert after.text.communication_preferences.detail_level is DetailLevel.BALANCE
    assert after.metadata.pinned == ("userOverview", "detailLevel")


@pytest.mark.parametrize(
    ("language", "overview"),
    [
        ("zh", "一位身份可能是nurse的用户"),
        ("ja", "nurseと思われる利用者"),
        ("fr", "a ward nurse"),
        ("en", "a ward nurse"),
    ],
)
def test_an_unchanged_role_is_reworded_in_the_language_of_the_question(language: str, overview: str) -> None:
    """R18: also when the question showed nothing; a language without a frame keeps the phrase there is."""
    subject = Subject()
    subject.ask(extract("nurse", overview="a ward nurse"))
    after = subject.ask(Extract(language=language))
    assert after.text.user_overview == overview
    assert after.text.identified_role.possible_identities == ("nurse",)


def test_a_missing_overview_is_made_of_the_identity() -> None:
    subject = Subject()
    assert subject.ask(extract("nurse", overview="\n")).text.user_overview == "a user described as nurse"
    assert subject.ask(extract("nurse", overview="")).text.user_overview == "a user described as nurse"
    told = subject.ask(extract("cocinera", self_described=True, overview="", language="es"))
    assert told.text.user_overview == "cocinera"


def test_several_questions_read_at_once_all_count() -> None:
    """R4: the snapshot says which turns it covers."""
    subject = Subject()
    caught_up = subject.ask(extract("nurse"), covered=5)
    assert caught_up.metadata.covered_turns == (1, 2, 3, 4, 5)
    assert caught_up.metadata.turn == 5
    assert caught_up.text.conversation_analysis.interaction_count == 5


def test_a_skipped_question_leaves_the_role_as_it_was() -> None:
    """R5, R6: the error is in the track."""
    # GIVEN a role with all that can be held
    subject = Subject()
    subject.ask(extract("nurse", denied=("cook",)))
    before = subject.edit(forbid=["tiler"], pin=["detailLevel"])
    # WHEN a question cannot be read
    after = subject.skip("what now?", error="The model answered\nwithout JSON. " * 20)
    # THEN
    assert after.metadata.decision.operation is Operation.SKIPPED
    assert after.metadata.decision.reason.startswith("The model answered without JSON.")
    assert len(after.metadata.decision.reason) <= 180
    assert after.text == before.text.model_copy(update={"user_query": "what now?"})
    for held in ("traits", "evidence", "forbidden", "pinned", "denied", "language"):
        assert getattr(after.metadata, held) == getattr(before.metadata, held)
    # AND the next question goes on from there
    assert subject.ask(extract("nurse")).metadata.decision.operation is Operation.UPDATE


def test_a_first_question_that_is_skipped_leaves_no_role() -> None:
    """R5."""
    snapshot = Subject().skip()
    assert snapshot.text.creat_time == ""
    assert snapshot.text.conversation_analysis.interaction_count == 0


def test_a_normal_question_stays_whole_and_a_long_one_is_cut() -> None:
    subject = Subject()
    assert subject.ask(extract("nurse"), question="问" * 2000).text.user_query == "问" * 2000
    assert len(subject.ask(extract("nurse"), question="问" * 32_000).text.user_query) == 2000


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text("烹饪爱好者一二三四五六七八九十😀ab ", min_size=30, max_size=120), min_size=12, max_size=12))
def test_a_snapshot_stays_small_whatever_was_said(texts: list[str]) -> None:
    """R15: bounded, every text capped."""
    # GIVEN a role full of the longest texts, and a candidate as long
    subject = Subject()
    numbered = [f"{at}{text}" for at, text in enumerate(texts)]
    full: dict[str, Any] = {
        "characteristics": tuple(numbered),
        "evidence": tuple(Evidence(turn=at, quote=text * 3) for at, text in enumerate(numbered)),
        "evidence_summary": tuple(text * 3 for text in numbered),
        "overview": texts[0] * 3,
    }
    subject.ask(extract(*numbered, **full))
    subject.edit(forbid=[f"no {at} {'x' * 80}" for at in range(20)], pin=["userOverview"])
    subject.ask(extract(self_described=True, denied=tuple(f"{'y' * 85}{at}" for at in range(10))))
    last = subject.ask(extract(*(f"z{term}" for term in numbered), **full), question="😀" * 32_000)
    # THEN every snapshot is stored whole and guides
    assert all(size(snapshot) <= MAX_SNAPSHOT_BYTES for snapshot in subject.track)
    assert guidance_block(last).split("\n")[0].endswith(last.text.user_overview)
