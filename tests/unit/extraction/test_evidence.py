"""A quote is evidence when it occurs in what the user wrote (R13)."""

import pytest

from functions.role_memory.extraction.evidence import verified
from functions.role_memory.extraction.spans import question_of
from shared.records import Evidence

QUESTIONS = [
    question_of(3, "My Year 9s mix up mass and weight. Which demo helps?"),
    question_of(2, "奶牛拉稀，口服补液盐按什么比例兑水？"),
    question_of(1, 'He wrote: "I have been the harbour master of this town since 1999". What do I reply?'),
]


@pytest.mark.parametrize(
    "quote",
    [
        "I teach physics at a school",
        "a",
        "my",
        "the",
        "which",
        "help me",
        "",
        "…",
        "harbour master of this town",
        "的",
        "什么",
        "I have been the harbour master",
        "mass",
        "补",
    ],
)
def test_what_does_not_occur_or_says_nothing_is_no_evidence(quote: str) -> None:
    found = verified([(None, quote)], QUESTIONS)
    assert found == () if quote != "mass" else found == (Evidence(turn=3, quote="mass"),)


@pytest.mark.parametrize(
    ("quote", "turn"),
    [
        ("My Year 9s mix up mass and weight", 3),
        ("my year 9s   MIX UP mass, and weight!", 3),
        ("Ｙｅａｒ ９ｓ", 3),
        ("奶牛拉稀", 2),
        ("奶牛 拉稀，口服补液盐", 2),
    ],
)
def test_case_width_spaces_and_punctuation_do_not_count(quote: str, turn: int) -> None:
    (piece,) = verified([(None, quote)], QUESTIONS)
    assert piece.turn == turn


def test_a_wrong_turn_is_put_right() -> None:
    # GIVEN a quote that names the wrong turn, WHEN it is checked, THEN the right one is kept
    assert verified([(1, "奶牛拉稀")], QUESTIONS) == (Evidence(turn=2, quote="奶牛拉稀"),)


def test_a_paraphrase_counts_by_what_it_really_quotes() -> None:
    # GIVEN a quote that goes on where the user did not, WHEN it is checked
    (piece,) = verified([(None, "My Year 9s mix up mass and energy")], QUESTIONS)
    # THEN only the user's words are kept
    assert piece == Evidence(turn=3, quote="my year 9s mix up mass and")


def test_one_quote_counts_once() -> None:
    assert len(verified([(None, "奶牛拉稀"), (2, "奶牛拉稀！")], QUESTIONS)) == 1
