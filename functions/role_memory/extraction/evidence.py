"""Evidence is checked: a quote counts when it occurs in the user's own words of a turn (R13)."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from functions.role_memory.extraction.spans import MARK, Question
from functions.role_memory.extraction.speaker import filler
from functions.role_memory.extraction.text import compact, han_count, kana_count, latin_words, plain
from shared.domain.text import clean
from shared.records import Evidence

MAX_QUOTE = 120
MAX_PIECES = 5
MIN_LETTERS = 4
MIN_CJK = 2
MIN_SHARE, MIN_PART_LETTERS, MIN_PART_CJK = 0.4, 10, 4
"""A quote that does not occur whole counts by its longest part that does, if that is this much of it, and this long."""


def verified(quotes: Iterable[tuple[int | None, str]], questions: Sequence[Question]) -> tuple[Evidence, ...]:
    """Return the quotes that occur, with the turn they occur in.

    ``quotes`` come with the turn the model names, or ``None``; ``questions`` are the newest first. The named turn is
    looked at first, then the others, newest first. Case, width, spaces and punctuation do not count.
    """
    kept: dict[str, Evidence] = {}
    for turn, quote in quotes:
        for question in sorted(questions, key=lambda one: one.turn != turn):
            held = _held(quote, question.own)
            if held:
                kept.setdefault(compact(held), Evidence(turn=question.turn, quote=held))
                break
    return tuple(kept.values())[:MAX_PIECES]


def _held(quote: str, own: str) -> str:
    """Return the quote, or its longest part, that ``own`` holds; empty when it is too little to say anything."""
    quote = clean(quote.replace(MARK, " "))[:MAX_QUOTE]
    if compact(quote) in compact(own):
        return quote if _says_something(quote) else ""
    wanted, given = _tokens(quote), _tokens(own)
    match = SequenceMatcher(None, wanted, given, autojunk=False).find_longest_match()
    joined = ("" if han_count(quote) + kana_count(quote) else " ").join(wanted[match.a : match.a + match.size])
    least = MIN_PART_CJK if han_count(joined) + kana_count(joined) else MIN_PART_LETTERS
    enough = len(compact(joined)) >= max(least, MIN_SHARE * len(compact(quote)))
    return joined if enough and _says_something(joined) else ""


def _tokens(text: str) -> list[str]:
    folded = plain(text)
    return list(folded.replace(" ", "")) if han_count(folded) + kana_count(folded) else folded.split()


def _says_something(quote: str) -> bool:
    if han_count(quote) + kana_count(quote) >= MIN_CJK:
        return not filler(quote)
    letters = sum(character.isalpha() for character in compact(quote))
    return letters >= MIN_LETTERS and not filler(quote) and bool(latin_words(quote) or letters)
