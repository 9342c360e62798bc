"""How alike the picture a question draws and others are (R14, step 4).

Every measure is calibrated so that 0.8 means the same role. Spelling alone measures nothing: only equal pictures are
decided without a model, and cost no call.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any, Protocol

from functions.role_memory.extraction.prompting import prompt_of
from functions.role_memory.extraction.text import compact, plain
from functions.role_memory.rules.picture import Picture
from shared.errors import ModelUnavailable
from shared.model.ports import ChatMessage, StructuredModel
from shared.records import Tokens

VERDICTS = {"SAME": 0.95, "SIMILAR": 0.85, "DIFFERENT": 0.1}
"""What the model's words count for; the numbers are the code's."""
UNLIKE = 0.4
"""What SIMILAR counts for between two industries: small models say it of nearly anything."""
ANY_INDUSTRY = frozenset(
    [
        "and",
        "of",
        "in",
        "service",
        "services",
        "industry",
        "business",
        "management",
        "general",
        "work",
        "care",
        "design",
        "retail",
        "sales",
        "technology",
    ]
)
"""Words that make no two industries one."""
NO_INDUSTRY = frozenset(
    ["home", "private", "life", "personal", "daily", "family", "hobby", "general", "none", "unknown"]
)
"""Words for what belongs to no industry."""
MAX_ASKED = 240
"""Characters of what was asked that are compared."""

Ask = Callable[[Sequence[Picture]], tuple[Sequence[float], Tokens]]


@dataclass(frozen=True)
class Measured:
    """How alike a picture is to each of others, in [0, 1] with 0.8 for the same role, and what the call used."""

    values: tuple[float, ...]
    measure: str
    tokens: Tokens = field(default_factory=Tokens)


class Measure(Protocol):
    """Tells how alike pictures of a user are."""

    def compare(self, new: Picture, known: Sequence[Picture], *, seconds: float) -> Measured:
        """Compare the picture of a question with each of those known, in one call, within ``seconds``.

        Raises
        ------
        ModelUnavailable
            The endpoint could not be reached, refused or ran out of time.
        ModelOutputUnusable
            The model answered without a verdict.
        """


def without_a_model(new: Picture, known: Picture) -> float | None:
    """Return the similarity that needs no model: of equal identities, of some within the others, of none."""
    ours, theirs = ({compact(term) for term in picture.identities} for picture in (new, known))
    if not ours or not theirs:
        return 0.0
    return 1.0 if ours <= theirs or theirs <= ours else None


def measured(new: Picture, known: Sequence[Picture], name: str, ask: Ask) -> Measured:
    """Return what needs no model, and for the rest what ``ask`` answers to it."""
    decided = [without_a_model(new, each) for each in known]
    unclear = [each for each, value in zip(known, decided, strict=True) if value is None]
    if not unclear:
        return Measured(tuple(value or 0.0 for value in decided), "equal")
    asked, tokens = ask(unclear)
    answers = iter(asked)
    return Measured(tuple(next(answers) if value is None else value for value in decided), name, tokens)


class ModelMeasure:
    """The role model compares, in words; code turns its verdicts into numbers."""

    def __init__(self, model: StructuredModel) -> None:
        self._model = model

    def compare(self, new: Picture, known: Sequence[Picture], *, seconds: float) -> Measured:
        """See `Measure.compare`."""
        return measured(new, known, "model", lambda unclear: self._asked(new, unclear, seconds))

    def _asked(self, new: Picture, known: Sequence[Picture], seconds: float) -> tuple[Sequence[float], Tokens]:
        names = [letter for letter in ascii_uppercase if letter != NEW][: len(known)]
        pictures = dict(sorted({NEW: new, **dict(zip(names, known, strict=True))}.items()))
        answer = self._model.ask(
            "role_update",
            _messages(pictures),
            schema_for(names),
            seconds=seconds,
            check=lambda fields: None if None not in _values(fields, names) else "A verdict is missing.",
        )
        return [value or 0.0 for value in _values(answer.fields, names)], answer.tokens


NEW = "B"
"""The name of the picture that the newest question draws; the others are A, C, D …"""


def _messages(pictures: Mapping[str, Picture]) -> list[ChatMessage]:
    """Return the request: what was asked is compared, or, where nobody knows any more, the roles guessed from it.

    What somebody asks tells small models more than what they guessed from it.
    """
    asked = all(picture.asked for picture in pictures.values())
    prompt = "compare" if asked else "compare-roles"
    shown = (
        (name, " ".join(each.asked)[-MAX_ASKED:] if asked else list(each.identities)) for name, each in pictures.items()
    )
    data = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in shown)
    return [{"role": "system", "content": prompt_of(prompt, "en")}, {"role": "user", "content": data}]


def schema_for(names: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a comparison with the pictures of these names: the industry of each, then the verdicts."""
    fields = {f"industry{name}": {"type": "string", "maxLength": 30} for name in sorted([*names, NEW])}
    fields |= {f"verdict{name}": {"type": "string", "enum": list(VERDICTS)} for name in names}
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _values(fields: Mapping[str, Any], names: Sequence[str]) -> list[float | None]:
    """Return the number of each verdict, or of a similarity given on whatever scale; one without a name is of all."""
    given = {compact(str(name)): value for name, value in fields.items()}

    def value_of(name: str) -> float | None:
        keys = (f"verdict{name.lower()}", "verdict", "similarity", "similarityscore", "score")
        value = next((value for key in keys if (value := _number(given.get(key))) is not None), None)
        known, new = (_words(given.get(f"industry{letter.lower()}")) for letter in (name, NEW))
        if value == VERDICTS["SIMILAR"] and known and new:
            return value if (known & new) - ANY_INDUSTRY or known == new else UNLIKE
        # Small models name an industry better than they judge what follows from it.
        if value == VERDICTS["DIFFERENT"] and known == new and known - NO_INDUSTRY:
            return VERDICTS["SIMILAR"]
        return value

    return [value_of(name) for name in names]


def _words(industry: Any) -> frozenset[str]:
    return frozenset(plain(str(industry or "")).split())


def _number(said: Any) -> float | None:
    if isinstance(said, str) and compact(said).upper() in VERDICTS:
        return VERDICTS[compact(said).upper()]
    try:
        number = float(str(said).strip().rstrip("%"))
    except ValueError:
        return None
    if not 0 <= number <= 100:
        return None
    return number if number <= 1 else number / 10 if number <= 10 else number / 100


class FirstThatWorks:
    """A measure that is taken over by another when its endpoint cannot be asked."""

    def __init__(self, first: Measure, second: Measure) -> None:
        self._first = first
        self._second = second

    def compare(self, new: Picture, known: Sequence[Picture], *, seconds: float) -> Measured:
        """See `Measure.compare`; each measure has half of ``seconds``."""
        try:
            return self._first.compare(new, known, seconds=seconds / 2)
        except ModelUnavailable:
            return self._second.compare(new, known, seconds=seconds / 2)
