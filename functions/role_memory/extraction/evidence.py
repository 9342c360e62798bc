"""Evidence is checked: a quote counts when it occurs in the user's own words of a turn (R13)."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice

from functions.role_memory.extraction.spans import MARK, Question
from functions.role_memory.extraction.speaker import filler
from functions.role_memory.extraction.text import compact, han_count, kana_count, latin_words, plain
from shared.domain.text import clean
from shared.records import Evidence

MAX_QUOTE = 120
MAX_PIECES, MAX_CHECKED = 5, 10
"""How many quotes are kept, and how many are looked for: a model may send thousands."""
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
    places = [_Place(question) for question in questions]
    for turn, quote in islice(dict.fromkeys(quotes), MAX_CHECKED):
        for place in sorted(places, key=lambda one: one.turn != turn):
            held = place.held(quote)
            if held:
                kept.setdefault(compact(held), Evidence(turn=place.turn, quote=held))
                break
    return tuple(kept.values())[:MAX_PIECES]


class _Place:
    """A question in the forms in which quotes are looked for, each made once."""

    def __init__(self, question: Question) -> None:
        self.turn, self._own = question.turn, question.own

    @cached_property
    def _compact(self) -> str:
        return compact(self._own)

    @cached_property
    def _words(self) -> str:
        return f" {' '.join(_tokens(self._own))} "

    def held(self, quote: str) -> str:
        """Return the quote, or its longest part, that occurs; empty when it is too little to say anything."""
        quote = clean(quote[: 4 * MAX_QUOTE].replace(MARK, " "))[:MAX_QUOTE]
        if compact(quote) in self._compact:
            return quote if _says_something(quote) else ""
        joined = ("" if _is_cjk(quote) else " ").join(self._longest(_tokens(quote)))
        enough = len(compact(joined)) >= max(
            MIN_PART_CJK if _is_cjk(joined) else MIN_PART_LETTERS, MIN_SHARE * len(compact(quote))
        )
        return joined if enough and _says_something(joined) else ""

    def _longest(self, wanted: list[str]) -> list[str]:
        """Return the first of the longest runs of ``wanted`` that occur; two searches a word at most."""
        best: list[str] = []
        for start in range(len(wanted)):
            while len(run := wanted[start : start + len(best) + 1]) > len(best) and f" {' '.join(run)} " in self._words:
                best = run
        return best


def _is_cjk(text: str) -> bool:
    return han_count(text) + kana_count(text) > 0


def _tokens(text: str) -> list[str]:
    folded = plain(text)
    return list(folded.replace(" ", "")) if _is_cjk(folded) else folded.split()


def _says_something(quote: str) -> bool:
    if han_count(quote) + kana_count(quote) >= MIN_CJK:
        return not filler(quote)
    letters = sum(character.isalpha() for character in compact(quote))
    return letters >= MIN_LETTERS and not filler(quote) and bool(latin_words(quote) or letters)
