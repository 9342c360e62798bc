"""From one question to a checked picture of its user."""

from collections.abc import Collection, Sequence

from functions.role_memory.extract import Extract
from functions.role_memory.extraction import prompting
from functions.role_memory.extraction.evidence import verified
from functions.role_memory.extraction.gate import says_nothing
from functions.role_memory.extraction.language import language_in, script_matches
from functions.role_memory.extraction.overview import overview_for
from functions.role_memory.extraction.preferences import only_wishes, preferences_in, united
from functions.role_memory.extraction.private import only_turns_to
from functions.role_memory.extraction.reading import Reading, complaint_about, reading_of
from functions.role_memory.extraction.safety import refused, safe_text
from functions.role_memory.extraction.spans import Question, question_of
from functions.role_memory.extraction.speaker import (
    Self,
    goes_on_playing,
    is_aside,
    names_somebody_else,
    on_behalf,
    plays_a_part,
    self_in,
    united_selves,
)
from functions.role_memory.extraction.text import compact, shares_word
from functions.role_memory.extraction.words import searched
from shared.domain.instructions import instructs
from shared.model.ports import StructuredModel
from shared.records import Evidence

MAX_IDENTITIES = 4
MAX_CHARACTERISTICS = 4
MAX_TERM = 60
ABOUT_USER = frozenset({"", "SELF"})
_SUMMARIES = {"zh": "提到“{}”", "ja": "「{}」と述べた", "es": "Dijo: «{}»", "fr": "A dit : « {} »", "de": "Sagte: „{}“"}


def extract(
    question: str,
    turn: int,
    history: Sequence[tuple[int, str]],
    model: StructuredModel,
    *,
    seconds: float,
    history_limit: int = 10,
    covered: Collection[int] = (),
) -> Extract:
    """Return what ``question`` says of its user.

    Parameters
    ----------
    question, turn
        The question and its turn number.
    history
        Earlier questions of the user as ``(turn, text)``; the newest ``history_limit`` are read.
    model
        Asked once at most, within ``seconds``; not at all when the question cannot say anything (R17).
    covered
        Earlier turns that are read together with this one (R4): what the user says of themself there counts too.

    Raises
    ------
    ModelUnavailable, ModelOutputUnusable
        As `shared.model.ports.StructuredModel`.
    """
    current = question_of(turn, question)
    newest_first = sorted(history, key=lambda one: one[0], reverse=True)[: max(0, history_limit)]
    earlier = [question_of(number, text) for number, text in newest_first]
    language = language_in([current.own, question, *(one.own for one in earlier)])
    preferences = preferences_in(current.own)
    silent = Extract(preferences=preferences, language=language)
    texts = [one.own for one in earlier]
    if instructs(current.said):
        return Extract(language=language)
    if goes_on_playing(current.own, texts):
        return silent
    said = self_in(current.own)
    if not said.quotes and not _tells(current.own, texts):
        return silent
    told_earlier = [one for at, one in enumerate(earlier) if _helps(one, texts[at + 1 :])]
    aside = is_aside(current.own)
    asked = [] if aside else told_earlier
    answer = model.ask(
        "role_extract",
        prompting.messages_for(language, current.own, [(one.turn, one.own) for one in asked]),
        prompting.SCHEMA,
        seconds=seconds,
        check=complaint_about,
    )
    told = united_selves([said, *(self_in(one.own) for one in earlier if one.turn in covered)])
    known = united_selves([told, *(self_in(one.own) for one in told_earlier)])
    picture = _checked(reading_of(answer.fields), current, asked, told, known, language)
    return picture.model_copy(
        update={
            "preferences": united(preferences, picture.preferences),
            "aside": aside and not said.quotes,
            "model": answer.model,
            "prompt_version": prompting.prompt_version("extract", language),
            "tokens": answer.tokens,
        }
    )


def _helps(one: Question, earlier: Sequence[str]) -> bool:
    """Return whether an earlier question can help to understand the current one without misleading."""
    if instructs(one.said) or goes_on_playing(one.own, earlier):
        return False
    return bool(self_in(one.own).quotes) or _tells(one.own, earlier)


def _tells(own: str, earlier: Sequence[str]) -> bool:
    """Return whether a question can say anything of the user, of what is not a statement; ``earlier`` newest first."""
    return not (says_nothing(own, earlier) or only_wishes(own) or plays_a_part(own, earlier) or on_behalf(own, earlier))


def _checked(
    reading: Reading, current: Question, asked: Sequence[Question], told: Self, known: Self, language: str
) -> Extract:
    """Return what of a reading holds: evidence first, then every trait by itself."""
    own = "\n".join([current.own, *(one.own for one in asked)])
    evidence = _evidence(reading, current, asked, told)
    about_user = bool(told.quotes) or reading.about in ABOUT_USER
    claimed = _identities(reading.identities, told)
    dropped: list[str] = list(known.denied)

    def holds(term: str) -> bool:
        good = not (refused(term, own) or _denied(term, known) or searched("generic", term))
        if not good:
            dropped.append(term)
        return good

    def is_the_user(term: str) -> bool:
        somebody = names_somebody_else(term, own, known) or (not known.quotes and only_turns_to(term, own))
        if somebody:
            dropped.append(term)
        return not somebody

    grounded = about_user and any(piece.turn == current.turn for piece in evidence)
    identities = [term for term in claimed if grounded and holds(term) and is_the_user(term)][:MAX_IDENTITIES]
    identities = _in_language(identities, language)
    characteristics = [term for term in _texts(reading.characteristics) if grounded and holds(term)]
    characteristics = _in_language(characteristics, language, strict=True)[:MAX_CHARACTERISTICS]
    characteristics = [term for term in characteristics if compact(term) not in map(compact, identities)]
    learned = bool(identities or characteristics)
    return Extract(
        identities=tuple(identities),
        characteristics=tuple(characteristics),
        evidence=evidence if learned else (),
        evidence_summary=tuple(_summary(piece.quote, language) for piece in evidence) if learned else (),
        preferences=reading.preferences,
        self_described=bool(told.quotes),
        denied=told.denied,
        overview=overview_for(reading.overview, identities, dropped, language),
        language=language,
    )


def _evidence(reading: Reading, current: Question, asked: Sequence[Question], told: Self) -> tuple[Evidence, ...]:
    stated: list[tuple[int | None, str]] = [(None, quote) for quote in told.quotes]
    lines = prompting.lines_of(current.own)
    named = [(current.turn, lines[number - 1]) for number in reading.lines if 0 < number <= len(lines)]
    return verified([*stated, *named, *reading.quotes], [current, *asked])


def _identities(claimed: Sequence[str], told: Self) -> list[str]:
    """Return the roles the user names themself, in the model's wording where it agrees; else what the model claims.

    Of a self-description that names no role the identities are taken that share a word with it, or the likeliest.
    """
    terms = _texts(claimed)
    if not told.terms:
        said = " ".join(told.quotes)
        return [term for term in terms if shares_word(term, said)] or terms[:2] if said else terms
    spoken = [compact(term) for term in told.terms]
    agreeing = [term for term in terms if any(_alike(compact(term), one) for one in spoken)]
    missing = [term for term in told.terms if not any(_alike(compact(one), compact(term)) for one in agreeing)]
    return [*agreeing, *missing]


def _alike(term: str, other: str) -> bool:
    return term in other or other in term


def _texts(terms: Sequence[str]) -> list[str]:
    return [text for term in terms if (text := safe_text(term, MAX_TERM))]


def _denied(term: str, known: Self) -> bool:
    denied = [compact(one) for one in known.denied]
    stated = [compact(one) for one in known.terms]
    return any(_alike(compact(term), one) for one in denied) and compact(term) not in stated


def _in_language(terms: list[str], language: str, *, strict: bool = False) -> list[str]:
    """Return the terms in the language of the question; identities of another script only when there is no other."""
    fitting = [term for term in terms if script_matches(term, language)]
    return fitting if fitting or strict else terms


def _summary(quote: str, language: str) -> str:
    return _SUMMARIES.get(language, "Said: “{}”").replace("{}", quote)
