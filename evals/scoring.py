"""Whether what is stored after a question is what the dialogue insists on: the keys of README.md, one function each."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

from evals.dialogues import Expectations
from shared.records import ConfidenceLevel, Operation, Record, Snapshot

_GAPS = re.compile("[\\s_\\-\u00ad\u2010\u2011]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA = re.compile(r"[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ɏ]+(?:['’][A-Za-zÀ-ÖØ-öø-ɏ]+)*")
_LEVELS = list(ConfidenceLevel)


class Stored(Record):
    """What a system holds of its user after a question. ``None`` is what that system has no notion of."""

    operation: Operation | None = None
    identities: tuple[str, ...] | None = None
    texts: tuple[str, ...] = ()
    overview: str | None = None
    preferences: dict[str, str] | None = None
    confidence: ConfidenceLevel | None = None

    @classmethod
    def of(cls, snapshot: Snapshot) -> Self:
        """Return what ``snapshot`` holds."""
        role = snapshot.text.identified_role
        return cls(
            operation=snapshot.metadata.decision.operation,
            identities=role.possible_identities,
            texts=(*role.primary_characteristics, *role.evidence_summary),
            overview=snapshot.text.user_overview,
            preferences=snapshot.text.communication_preferences.to_json(),
            confidence=role.confidence_level,
        )


class Outcome(Record):
    """Whether one expectation holds; of ``preferences`` each field is one."""

    key: str
    expected: str
    holds: bool


def normalised(text: str) -> str:
    """Return the form in which terms are compared: NFKC, folded case, one space for gaps and hyphens."""
    return _GAPS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def contains(text: str, terms: Iterable[str]) -> bool:
    """Tell whether one of ``terms`` is a substring of ``text``."""
    return any(normalised(term) in normalised(text) for term in terms)


def language_holds(overview: str, language: str) -> bool:
    """Tell whether ``overview`` reads as ``zh`` or ``en``: which of Han and Latin words are more, and no kana."""
    han, words = len(_HAN.findall(overview)), len(_LATIN_WORD.findall(overview))
    more, less = (han, words) if language == "zh" else (words, han)
    return more > less and not _KANA.search(overview)


def _identity_any(terms: tuple[str, ...], stored: Stored) -> bool:
    return any(contains(identity, terms) for identity in stored.identities or ())


def _nowhere(terms: tuple[str, ...], stored: Stored) -> bool:
    return not any(contains(text, terms) for text in (*(stored.identities or ()), *stored.texts, stored.overview or ""))


def _compared(stored: Stored, bound: ConfidenceLevel) -> int:
    return _LEVELS.index(stored.confidence or ConfidenceLevel.LOW) - _LEVELS.index(bound)


_Holds = Callable[[Any, Stored], bool]
_KEYS: Mapping[str, tuple[str, _Holds]] = {
    "operation": ("operation", lambda expected, stored: stored.operation in expected),
    "identity_any": ("identities", _identity_any),
    "identity_none": ("identities", lambda expected, stored: not _identity_any(expected, stored)),
    "identity_empty": ("identities", lambda expected, stored: not stored.identities),
    "forbidden_anywhere": ("texts", _nowhere),
    "overview_language": ("overview", lambda expected, stored: language_holds(stored.overview or "", expected)),
    "confidence_at_most": ("confidence", lambda expected, stored: _compared(stored, expected) <= 0),
    "confidence_at_least": ("confidence", lambda expected, stored: _compared(stored, expected) >= 0),
}
"""For each key the field of `Stored` it looks at, and when it holds."""


def score(expect: Expectations, stored: Stored | None) -> list[Outcome]:
    """Return the outcome of every expectation of one turn.

    ``stored`` is ``None`` when the turn has no snapshot. All expectations of such a turn, and of a SKIPPED one, fail.
    Expectations on what a system has no notion of are left out.
    """
    return list(_outcomes(expect, stored))


def _outcomes(expect: Expectations, stored: Stored | None) -> Iterator[Outcome]:
    lost = stored is None or stored.operation is Operation.SKIPPED
    held = stored or Stored()
    for key, (looked_at, holds) in _KEYS.items():
        expected = getattr(expect, key)
        if not expected or not (lost or getattr(held, looked_at) is not None):
            continue
        said = ", ".join(expected) if isinstance(expected, tuple) else str(expected)
        yield Outcome(key=key, expected=said, holds=not lost and holds(expected, held))
    for field, values in expect.preferences.items():
        if lost or held.preferences is not None:
            found = (held.preferences or {}).get(field)
            yield Outcome(
                key="preferences", expected=f"{field}: {', '.join(values)}", holds=not lost and found in values
            )
