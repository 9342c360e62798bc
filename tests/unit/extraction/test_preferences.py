"""What users say about how they want to be answered, read word for word."""

import pytest

from functions.role_memory.extract import PreferenceHints
from functions.role_memory.extraction.preferences import only_wishes, preferences_in


@pytest.mark.parametrize(
    "text",
    [
        "Is three weeks too long for a cold?",
        "The rope is too short, what now?",
        "Give me the steps for resetting a router.",
        "这条路太窄，能过卡车吗？",
        "Why is my bread dense?",
        "How many sentences does a sonnet have?",
    ],
)
def test_what_is_about_the_matter_is_no_preference(text: str) -> None:
    assert preferences_in(text).detail_level is None
    assert preferences_in(text).response_format is None


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Too long. Two sentences, please.", {"detailLevel": "CONCISE", "responseFormat": "CONCISE"}),
        ("That's too wordy for me.", {"detailLevel": "CONCISE"}),
        ("Keep it short, no bullet points.", {"detailLevel": "CONCISE", "responseFormat": "CONCISE"}),
        ("Explain in depth.", {"detailLevel": "COMPREHENSIVE"}),
        (
            "Walk me through it step by step with an example.",
            {"responseFormat": "STRUCTURED_WITH_EXAMPLES", "contentDepth": "PRACTICAL"},
        ),
        ("Just a rough idea for now.", {"contentDepth": "OVERVIEW"}),
        ("What is the principle behind it?", {"contentDepth": "CONCEPTUAL"}),
        ("详细一点", {"detailLevel": "COMPREHENSIVE"}),
        ("简单说说就行", {"detailLevel": "CONCISE"}),
        ("太啰嗦了，一句话讲完", {"detailLevel": "CONCISE", "responseFormat": "CONCISE"}),
        ("给个大概思路", {"detailLevel": "CONCISE", "contentDepth": "OVERVIEW"}),
        ("把原理讲透", {"detailLevel": "COMPREHENSIVE", "contentDepth": "CONCEPTUAL"}),
        ("一步一步教我，举个例子", {"contentDepth": "PRACTICAL", "responseFormat": "STRUCTURED_WITH_EXAMPLES"}),
        ("Más corto, por favor.", {"detailLevel": "CONCISE"}),
        ("もっと詳しくお願いします", {"detailLevel": "COMPREHENSIVE"}),
    ],
)
def test_what_is_said_is_understood(text: str, stated: dict[str, str]) -> None:
    found = preferences_in(text).to_json()
    assert {name: value for name, value in found.items() if name in stated} == stated


@pytest.mark.parametrize(
    "text", ["Too long. Shorter, please.", "From here on: two sentences, no lists.", "太长了，简单点", "详细一点"]
)
def test_a_question_of_nothing_but_wishes_is_recognised(text: str) -> None:
    assert only_wishes(text)


@pytest.mark.parametrize(
    "text",
    ["Briefly: which oil for a two-stroke chainsaw?", "Which oil for a chainsaw?", "简单说说犊牛拉稀怎么补液", ""],
)
def test_a_question_with_a_wish_in_it_is_still_a_question(text: str) -> None:
    assert not only_wishes(text)


def test_the_last_word_counts() -> None:
    # GIVEN a change of mind in one question, WHEN it is read, THEN the later wish holds
    assert preferences_in("Be brief. No, wait: explain in detail.").detail_level == "COMPREHENSIVE"


def test_nothing_said_is_nothing() -> None:
    assert preferences_in("Which oil for a two-stroke chainsaw?") == PreferenceHints()
