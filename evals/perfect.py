"""A perfect extractor: what a dialogue expects is what it reads, so that what fails is the rules' doing.

It is a reader like the model's. A question that must change nothing shows, where the dialogue names one, the identity
that must not be taken over; from there on a drift shows its new role.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from evals.dialogues import Dialogue, Turn
from evals.scoring import contains, language_holds
from functions.role_memory.extract import Extract, PreferenceHints
from functions.role_memory.extraction.language import language_in
from functions.role_memory.extraction.spans import question_of
from functions.role_memory.extraction.speaker import self_in
from functions.role_memory.rules.picture import Comparison, Similarities
from shared.domain.overview import described
from shared.records import ContentDepth, DetailLevel, Evidence, Operation, ResponseFormat, UserMessage

MAX_QUOTE = 40
_T = TypeVar("_T")


class PerfectReader:
    """Reads the questions of one dialogue as it expects."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        kept = (Operation.NONE_CHANGE,)
        quiet = [at for at, turn in enumerate(dialogue.turns) if turn.expect.operation == kept]
        self._drifts_at = quiet[0] if dialogue.category == "drift" and quiet else len(dialogue.turns)

    def extract(
        self, question: UserMessage, history: Sequence[UserMessage], covered: Collection[int], *, seconds: float
    ) -> Extract:
        """See `functions.role_memory.learning.Reader`."""
        at = question.metadata.turn - 1
        turn = self._dialogue.turns[at]
        language = turn.expect.overview_language or language_in([question.text])
        told = self_in(question_of(at + 1, question.text).own)
        denied = tuple(term for term in turn.expect.identity_none if told.denied and contains(question.text, [term]))
        identity = self._identity(at, turn, language)
        hints = {field: values[0] for field, values in turn.expect.preferences.items()}
        return Extract(
            identities=(identity,) if identity else (),
            evidence=(Evidence(turn=at + 1, quote=question.text[:MAX_QUOTE]),) if identity else (),
            preferences=PreferenceHints(
                detail_level=_one(DetailLevel, hints.get("detailLevel")),
                content_depth=_one(ContentDepth, hints.get("contentDepth")),
                response_format=_one(ResponseFormat, hints.get("responseFormat")),
            ),
            self_described=bool(told.quotes) and bool(identity),
            denied=denied,
            overview=described(identity, language) if identity else "",
            language=language,
            model="perfect",
        )

    def compare(self, comparison: Comparison, *, seconds: float) -> Similarities:
        """See `functions.role_memory.learning.Reader`: two roles are one where a question accepts either."""
        accepted = [turn.expect.identity_any for turn in self._dialogue.turns]
        ours = comparison.picture.identities

        def alike(theirs: Iterable[str]) -> bool:
            return any(
                any(_is_among(one, terms) for one in ours) and any(_is_among(other, terms) for other in theirs)
                for terms in accepted
            )

        return Similarities("perfect", {other: 1.0 if alike(other.identities) else 0.0 for other in comparison.others})

    def _identity(self, at: int, turn: Turn, language: str) -> str:
        expect, off_topic = turn.expect, self._dialogue.category in ("one_off", "drift")
        if at >= self._drifts_at:
            return _in_language(self._dialogue.turns[-1].expect.identity_any, language)
        if expect.operation == (Operation.NONE_CHANGE,):
            return _in_language(expect.identity_none, language) if off_topic else ""
        return _in_language(expect.identity_any, language)


def _in_language(terms: Sequence[str], language: str) -> str:
    """Return the first term, or the first in the question's own script where that is told apart."""
    fitting = [term for term in terms if language not in ("zh", "en") or language_holds(term, language)]
    return next(iter([*fitting, *terms]), "")


def _is_among(identity: str, terms: Sequence[str]) -> bool:
    return contains(identity, terms) or any(contains(term, [identity]) for term in terms)


def _one(kind: type[_T], value: str | None) -> _T | None:
    return kind(value) if value else None  # type: ignore[call-arg]
