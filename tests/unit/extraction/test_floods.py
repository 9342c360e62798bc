"""A question may be anything of 32,000 characters: reading it costs no more than its size (R3, R13)."""

from time import process_time

import pytest

from functions.role_memory.extraction.evidence import MAX_PIECES, verified
from functions.role_memory.extraction.extractor import extract
from functions.role_memory.extraction.spans import MARK, MAX_END, MAX_START, question_of
from tests.unit.extraction.fakes import Scripted

FLOODS = {
    "spaces": " ",
    "tabs": "a \t",
    "lines": "\n",
    "lines and letters": "\n a",
    "spaced dashes": " -",
    "dashes": "-",
    "quotes": " 'a",
    "closed quotes": " 'a'b",
    "open quotes": "“",
    "corners": "「",
    "brackets": "[{(",
    "marks": f"{MARK} ",
    "one letter": "a",
    "one Han": "我",
    "digits": "1",
    "sums": "1 + ",
    "starred": "*a",
    "claims": "i am a ",
    "denials": "i'm not a ",
    "jobs": "i've worked for ",
    "claims in Chinese": "我是一名",
    "wishes": "add x ",
    "rework": "translate this: ",
    "mixed": "a 我1 - \n'“",
}
SMALL, LARGE = 4_000, 32_000
NOISE_SECONDS = 0.1


def _seconds(flood: str, size: int) -> float:
    text = f"I am a baker {flood * (size // len(flood))}a"
    model = Scripted([{"evidence": [1], "about": "SELF", "possibleIdentities": ["baker"], "userOverview": "a baker"}])
    start = process_time()
    extract(text, 3, [(1, text), (2, text)], model, seconds=30)
    return process_time() - start


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS.keys())
def test_a_flood_costs_no_more_than_its_size(flood: str) -> None:
    # GIVEN a small flood, WHEN it becomes eight times as long, THEN reading it costs at most eight times as much
    assert _seconds(flood, LARGE) <= (_seconds(flood, SMALL) + NOISE_SECONDS) * LARGE / SMALL


def test_a_thousand_quotes_cost_no_more_than_ten() -> None:
    # GIVEN a long question in Chinese, and quotes that do not occur in it
    question = question_of(1, "我想知道怎么做一道好吃的菜给家里人" * 1_800)
    quotes: list[tuple[int | None, str]] = [(None, f"养殖奶牛{n:03}") for n in range(1_000)]

    def seconds(number: int) -> float:
        start = process_time()
        assert not verified(quotes[:number], [question] * 11)
        return process_time() - start

    # WHEN a hundred times as many are claimed, THEN not more of them are looked for
    assert seconds(1_000) <= 3 * seconds(10) + NOISE_SECONDS


def test_quotes_beyond_the_first_few_are_not_kept() -> None:
    # GIVEN more quotes that occur than are kept
    question = question_of(1, " ".join(f"ward{n} dressing{n}." for n in range(9)))
    # WHEN they are checked, THEN the first are kept
    kept = verified([(None, f"ward{n} dressing{n}") for n in range(9)], [question])
    assert [piece.quote for piece in kept] == [f"ward{n} dressing{n}" for n in range(MAX_PIECES)]


def test_spaces_hide_nothing_that_the_user_says() -> None:
    # GIVEN a statement behind a flood of spaces
    own = question_of(1, "How long do I proof this?" + " " * 31_000 + "I am a baker.").own
    # WHEN it is read, THEN it stands right behind what comes before
    assert own == "How long do I proof this? I am a baker."


def test_of_a_long_question_start_and_end_are_read() -> None:
    # GIVEN a question longer than what is read of one
    text = "I am a baker. " + "My dough is too wet for a free-standing loaf. " * 600 + "What flour do I buy?"
    # WHEN its words are taken, THEN the middle is marked as left out
    own = question_of(1, text).own
    assert len(own) <= MAX_START + MAX_END + len(MARK) + 2
    assert own.startswith("I am a baker.")
    assert own.endswith("What flour do I buy?")
    assert MARK in own
