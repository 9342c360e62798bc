"""What the word lists make of phrases that were written by somebody who did not know them.

Patterns never cover all that people type: what is held is which share of it they find, and how often they are wrong.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from functions.role_memory.extract import PreferenceHints
from functions.role_memory.extraction.gate import says_nothing
from functions.role_memory.extraction.preferences import preferences_in
from functions.role_memory.extraction.private import only_turns_to
from functions.role_memory.extraction.spans import question_of
from functions.role_memory.extraction.speaker import goes_on_playing, is_aside, on_behalf, plays_a_part, self_in
from shared.domain.instructions import instructs

PHRASES = Path(__file__).parent / "phrases"
TURNED_TO = [
    "doctor",
    "nurse",
    "pharmacist",
    "lawyer",
    "accountant",
    "priest",
    "imam",
    "vet",
    "plumber",
    "teacher",
    "医生",
    "律师",
    "会计",
    "兽医",
    "维修工",
    "老师",
]
Phrase = dict[str, Any]


def phrases(name: str) -> list[Phrase]:
    lines = (PHRASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    read = [(phrase, question_of(1, phrase["text"])) for phrase in map(json.loads, lines)]
    return [{**phrase, "own": question.own, "said": question.said} for phrase, question in read]


def tells_the_role(phrase: Phrase) -> bool:
    told = self_in(phrase["own"])
    return bool(told.quotes) and (
        not phrase["role"] or not told.terms or any(_alike(phrase, one) for one in told.terms)
    )


def _alike(phrase: Phrase, term: str) -> bool:
    role, term = phrase["role"].casefold(), term.casefold()
    return role in term or term in role


def plays(phrase: Phrase) -> bool:
    return plays_a_part(phrase["own"], []) or goes_on_playing(phrase["own"], [])


def is_private(phrase: Phrase) -> bool:
    return any(only_turns_to(term, phrase["own"]) for term in TURNED_TO) and not self_in(phrase["own"]).quotes


CHECKS: tuple[tuple[str, Callable[[Phrase], bool], Callable[[Phrase], bool], float, float], ...] = (
    ("noground", lambda one: one["nothing"], lambda one: says_nothing(one["own"], []), 0.93, 0.0),
    ("self", lambda one: one["role"] is not None, tells_the_role, 0.91, 0.05),
    ("other", lambda one: one["kind"] == "behalf", lambda one: on_behalf(one["own"], []), 0.95, 0.1),
    ("third", lambda one: one["behalf"], lambda one: on_behalf(one["own"], []), 0.88, 0.07),
    ("other", lambda one: one["kind"] == "play", plays, 0.95, 0.05),
    ("other", lambda one: one["kind"] == "aside", lambda one: is_aside(one["own"]), 0.95, 0.05),
    ("private", lambda one: one["private"], is_private, 0.8, 0.0),
    ("inject", lambda one: one["inject"], lambda one: instructs(one["said"]), 0.97, 0.07),
)


@pytest.mark.parametrize(("name", "belongs", "is_found", "least", "most"), CHECKS)
def test_phrases_are_told_apart(
    name: str, belongs: Callable[[Phrase], bool], is_found: Callable[[Phrase], bool], least: float, most: float
) -> None:
    """R11, R17, R21."""
    # GIVEN phrases of a kind, and others that resemble them
    theirs = [one for one in phrases(name) if belongs(one)]
    others = [one for one in phrases(name) if not belongs(one)]
    # WHEN the word lists look at them
    missed, wrong = [one for one in theirs if not is_found(one)], [one for one in others if is_found(one)]
    # THEN they find most of the kind, and hardly anything else
    assert len(missed) <= (1 - least) * len(theirs), _texts(missed)
    assert len(wrong) <= most * len(others), _texts(wrong)


def test_what_goes_on_about_somebody_else_is_found() -> None:
    """R11: a follow-up teaches as little as the question it follows."""
    asked = [one for one in phrases("third") if one["behalf"] and on_behalf(one["own"], [])]
    missed = [one for one in asked if not on_behalf(question_of(2, one["next"]).own, [one["own"]])]
    assert len(missed) <= 0.15 * len(asked), "\n".join(one["next"] for one in missed)


def test_wishes_for_answers_are_read() -> None:
    """R12: in the user's own words, and none where they only sound like it."""
    fields = {"detail": "detail_level", "depth": "content_depth", "format": "response_format"}
    wishes = [(one, preferences_in(one["own"])) for one in phrases("wishes")]
    read = [(one, one[name], getattr(found, field)) for one, found in wishes for name, field in fields.items()]
    missed = [one for one, wish, found in read if wish and found != wish]
    asks_nothing = [one for one, found in wishes if found != PreferenceHints() and not any(map(one.get, fields))]
    assert len(missed) <= 0.07 * sum(bool(wish) for _, wish, _ in read), _texts(missed)
    assert len(asks_nothing) <= 2, _texts(asks_nothing)


ORDINARY: dict[str, Callable[[Phrase], bool]] = {
    "silent": lambda one: (
        says_nothing(one["own"], []) or on_behalf(one["own"], []) or plays(one) or instructs(one["said"])
    ),
    "self": lambda one: bool(self_in(one["own"]).quotes),
    "private": lambda one: any(only_turns_to(term, one["own"]) for term in ("dentist", "organist", "teacher", "导游")),
}


@pytest.mark.parametrize("phrase", phrases("ordinary"), ids=lambda phrase: phrase["text"][:30])
def test_ordinary_questions_are_taken_for_nothing_else(phrase: Phrase) -> None:
    """R11, R17: a pattern that finds more than it should loses what a question teaches."""
    assert not ORDINARY[phrase["not"]](phrase)


def _texts(found: Sequence[Phrase]) -> str:
    return "\n".join(str(one["text"]) for one in found)
