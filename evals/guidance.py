"""Whether guidance changes answers as it should, told without a judge: by counting.

The same questions are answered without guidance, with the guidance of a profile, and with that of another profile as
the control. A preference is compared by one feature of the answer that it must raise or lower against its opposite; a
role by words of its trade, which must be more than in the answer to somebody of another trade.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import mean

from functions.chat.prompt import messages_for_model
from shared.clock import utc_now
from shared.domain.guidance import guidance_block
from shared.domain.roles import blank_snapshot
from shared.model.endpoint import endpoint_of
from shared.model.openai import Completion, complete
from shared.records import Preferences, Snapshot
from shared.settings import ModelSettings

QUESTIONS = (
    "How do I keep a bicycle from being stolen?",
    "Why does bread go stale, and what can I do about it?",
    "怎样才能记住新认识的人的名字？",
)
FOR_ROLES = "What should I watch out for in my work next week?"
ROLES: Mapping[str, str] = {
    "a beekeeper": r"hive|\bbees?\b|honey|colon|queen|pollen|nectar",
    "an airline pilot": r"flight|aircraft|aviation|\bfly|crew|weather|airport",
    "a tailor": r"fabric|garment|sew|stitch|cloth|measurement|fitting",
    "a carpenter": r"wood|timber|\bsaw|\btool|carpent|joint|build",
    "a wedding photographer": r"photo|camera|wedding|couple|\blens|shoot|light",
}
MAX_TOKENS = 500
SECONDS = 600.0

_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)、])\s*", re.MULTILINE)
_STEP = re.compile(r"^\s*\W*(?:\d+[.)、]|step \d|第.步)", re.MULTILINE | re.IGNORECASE)
_EXAMPLE = re.compile(r"\bexamples?\b|for instance|e\.g\.|such as|例如|比如|举例|示例", re.IGNORECASE)
_REASON = re.compile(
    r"because|caused?\b|due to|reason|principle|process|therefore|因为|由于|原理|原因|所以|机制", re.IGNORECASE
)
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\d_\u3400-\u9fff]+")


def _length(answer: str) -> float:
    return len(_WORD.findall(answer))


def _share(pattern: re.Pattern[str]) -> Callable[[str], float]:
    return lambda answer: 100 * len(pattern.findall(answer)) / max(1.0, _length(answer))


def _count(pattern: re.Pattern[str]) -> Callable[[str], float]:
    return lambda answer: float(len(pattern.findall(answer)))


@dataclass(frozen=True)
class Check:
    """What one preference must do to an answer, against the profile that asks for the opposite."""

    field: str
    value: str
    opposite: str
    feature: str
    count: Callable[[str], float]
    raises: bool


CHECKS = (
    Check("detail_level", "CONCISE", "COMPREHENSIVE", "words", _length, raises=False),
    Check("detail_level", "BALANCE", "CONCISE", "words", _length, raises=True),
    Check("detail_level", "COMPREHENSIVE", "CONCISE", "words", _length, raises=True),
    Check("content_depth", "OVERVIEW", "PRACTICAL", "steps", _count(_STEP), raises=False),
    Check("content_depth", "PRACTICAL", "CONCEPTUAL", "steps", _count(_STEP), raises=True),
    Check("content_depth", "CONCEPTUAL", "PRACTICAL", "reasons in 100 words", _share(_REASON), raises=True),
    Check("response_format", "CONCISE", "STRUCTURED_WITH_EXAMPLES", "list items", _count(_ITEM), raises=False),
    Check("response_format", "DETAILED", "CONCISE", "words", _length, raises=True),
    Check("response_format", "STRUCTURED_WITH_EXAMPLES", "CONCISE", "examples", _count(_EXAMPLE), raises=True),
)


@dataclass(frozen=True)
class Row:
    """One check: its feature without guidance, with it, and with that of the control."""

    name: str
    feature: str
    off: float
    on: float
    control: float
    raises: bool

    @property
    def holds(self) -> bool:
        """Whether the answer differs from the control's the way it should."""
        return self.on > self.control if self.raises else self.on < self.control


@dataclass
class Asker:
    """Asks the chat model as the chat function does."""

    settings: ModelSettings
    model: str

    def answers(self, asked: Sequence[tuple[Snapshot | None, str]], jobs: int) -> list[Completion]:
        """Return the answers in order."""
        with ThreadPoolExecutor(max_workers=jobs) as pool:
            return list(pool.map(self._answer, asked))

    def _answer(self, asked: tuple[Snapshot | None, str]) -> Completion:
        snapshot, question = asked
        messages = messages_for_model("", guidance_block(snapshot) if snapshot else "", (), question)
        endpoint = endpoint_of(self.settings)
        return complete(endpoint, self.model, messages, seconds=SECONDS, temperature=0, max_tokens=MAX_TOKENS)


def profile(overview: str = "", **preferences: str) -> Snapshot:
    """Return a snapshot of such a user."""
    blank = blank_snapshot("u1", "s1", utc_now())
    wishes = Preferences.model_validate(preferences)
    role = blank.text.model_copy(update={"user_overview": overview, "communication_preferences": wishes})
    return blank.model_copy(update={"text": role})


def rows_of_preferences(asker: Asker, jobs: int) -> tuple[list[Row], int]:
    """Return a row a preference value, and the most tokens a block took."""
    wishes = {(check.field, value) for check in CHECKS for value in (check.value, check.opposite)}
    profiles: dict[tuple[str, str] | None, Snapshot | None] = {None: None}
    profiles |= {wish: profile(**dict([wish])) for wish in sorted(wishes)}
    distinct = {_block(snapshot): snapshot for snapshot in profiles.values()}
    asked = [(block, question) for block in distinct for question in QUESTIONS]
    replies = asker.answers([(distinct[block], question) for block, question in asked], jobs)
    by_place = dict(zip(asked, replies, strict=True))

    def value(check: Check, wish: tuple[str, str] | None) -> float:
        return mean(check.count(by_place[_block(profiles[wish]), question].text) for question in QUESTIONS)

    rows = [
        Row(
            name=f"{check.field} {check.value}",
            feature=check.feature,
            off=value(check, None),
            on=value(check, (check.field, check.value)),
            control=value(check, (check.field, check.opposite)),
            raises=check.raises,
        )
        for check in CHECKS
    ]
    used = {place: reply.tokens.input for place, reply in by_place.items()}
    return rows, max(used[block, question] - used["", question] for block, question in used)


def rows_of_roles(asker: Asker, jobs: int) -> list[Row]:
    """Return a row a role; the control is the next role's answer to the same question."""
    names = list(ROLES)
    replies = asker.answers([(None, FOR_ROLES), *((profile(name), FOR_ROLES) for name in names)], jobs)
    off, texts = replies[0].text, {name: reply.text for name, reply in zip(names, replies[1:], strict=True)}
    rows = []
    for at, name in enumerate(names):
        hits = _count(re.compile(ROLES[name], re.IGNORECASE))
        other = texts[names[(at + 1) % len(names)]]
        rows.append(Row(name, "words of the trade", hits(off), hits(texts[name]), hits(other), raises=True))
    return rows


def measure_guidance(settings: ModelSettings, model: str, *, jobs: int) -> str:
    """Return what guidance does to the answers of ``model``, as Markdown."""
    asker = Asker(settings, model)
    preferences, tokens = rows_of_preferences(asker, jobs)
    rows = [*preferences, *rows_of_roles(asker, jobs)]
    lines = [
        "# Guidance",
        "",
        f"* model: {model}",
        f"* {sum(row.holds for row in rows)} of {len(rows)} differ from the control as they should",
        f"* a block takes at most {tokens} tokens",
        "",
        "| profile | feature | no guidance | guidance | control | as it should |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        verdict = "yes" if row.holds else "no"
        lines.append(f"| {row.name} | {row.feature} | {row.off:.1f} | {row.on:.1f} | {row.control:.1f} | {verdict} |")
    return "\n".join(lines) + "\n"


def _block(snapshot: Snapshot | None) -> str:
    return guidance_block(snapshot) if snapshot else ""
