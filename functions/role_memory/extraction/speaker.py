"""Who a question speaks of: the user, somebody else, or a played part (R11)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from functions.role_memory.extraction.spans import MARK
from functions.role_memory.extraction.text import (
    clauses,
    compact,
    han_count,
    latin_words,
    plain,
    sentences,
    shares_word,
)
from functions.role_memory.extraction.words import entry, found, patterns, searched, word_set

MAX_TERM = 40
MAX_PLAY = 2
"""Questions after which a game counts as over even if nobody says so."""


@dataclass(frozen=True)
class Self:
    """What the user says of themself in one question.

    ``quotes`` are the sentences that describe the user; ``terms`` are the roles they name and ``denied`` the ones they
    say are not theirs.
    """

    quotes: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()


def self_in(own: str) -> Self:
    """Return what the user says of themself in their own words."""
    spoken = [part for part in sentences(own.replace(MARK, "\n")) if not _is_played(part)]
    quotes, terms, denied = [], [], []
    for part in spoken:
        denials = list(found("self_denied", part)) if searched("denial_opens", part) else []
        denied += [term for match in denials if (term := _term(match["who"]))]
        claims = [match for match in found("self_said", part) if not _overlaps(match, denials)]
        terms += [term for match in claims if (term := _named(match))]
        if claims or denials:
            quotes.append(part)
    denied_plain = {plain(term) for term in denied}
    kept = tuple(dict.fromkeys(term for term in terms if plain(term) not in denied_plain))
    return Self(tuple(quotes), kept, tuple(dict.fromkeys(denied)))


def _is_played(sentence: str) -> bool:
    return searched("persona", sentence) or searched("joint_play", sentence)


def united_selves(told: Sequence[Self]) -> Self:
    """Return what the user says of themself in several questions, newest first: what they deny later is not theirs."""
    denied: dict[str, str] = {}
    terms: dict[str, str] = {}
    for one in told:
        terms |= {plain(term): term for term in one.terms if plain(term) not in terms.keys() | denied.keys()}
        denied |= {plain(term): term for term in one.denied if plain(term) not in terms}
    quotes = dict.fromkeys(quote for one in told for quote in one.quotes)
    return Self(tuple(quotes), tuple(terms.values()), tuple(denied.values()))


def _overlaps(match: re.Match[str], others: Sequence[re.Match[str]]) -> bool:
    return any(match.start() < other.end() and other.start() < match.end() for other in others)


def _named(match: re.Match[str]) -> str:
    groups = match.groupdict()
    if groups.get("work"):
        return f"{_term(groups['work'])}从业者"
    if groups.get("verb"):
        return f"{_singular(groups['what'].strip())} {_agent(groups['verb'])}"
    return _term(groups["who"]) if groups.get("who") else ""


def _agent(verb: str) -> str:
    """Return what somebody is who does this for others; of a verb that is not listed, by the rule."""
    return entry("agents", verb) or f"{verb}{'r' if verb.endswith('e') else 'er'}"


def _singular(words: str) -> str:
    return re.sub(r"(?<=[sxz])es$|(?<=[cs]h)es$|(?<=[^su])s$", "", re.sub(r"ies$", "y", words), flags=re.IGNORECASE)


def _term(captured: str) -> str:
    """Return the noun phrase at the start of what was captured; empty when it is none."""
    for tail in patterns("self_tail", captured):
        captured = tail.sub("", captured)
    captured = captured.strip(" ,.'\"")
    work = re.fullmatch(r"(?:[做搞干]|(?=[学教卖修开剪拍写画译种养送跑带刻编焊酿烤装]))(.{2,10})的", captured)
    if work:
        return f"{work[1]}从业者"
    if captured.endswith(("的", "了", "吗", "呢")) or len(captured) > MAX_TERM or len(latin_words(captured)) > 5:
        return ""
    return captured


def on_behalf(question: str, earlier: Sequence[str]) -> bool:
    """Return whether the question is asked for somebody else, tells of nobody but a relation, or goes on about them.

    ``earlier`` are the user's earlier questions, newest first. A question goes on when it speaks of a third person or
    takes the last matter up, and not of the user, right after one that was asked for them.
    """
    told = searched("about_relation", question) and not searched("speaks_as_i", question)
    if told or searched("on_behalf", question):
        return not self_in(question).quotes
    goes_on = searched("third_person", question) or searched("goes_on", question)
    if goes_on and not searched("first_person", question) and earlier:
        return on_behalf(earlier[0], earlier[1:])
    return False


def is_aside(question: str) -> bool:
    """Return whether the question says that it has nothing to do with those before it."""
    return searched("aside", question)


def plays_a_part(question: str, earlier: Sequence[str]) -> bool:
    """Return whether the question plays a part or asks for fiction, or goes on in a part taken before."""
    if searched("role_play", question):
        return True
    names = {name for text in earlier for match in found("persona", text) for name in _persona_names(match["who"])}
    spoken = set(plain(question).split())
    return any(name in spoken if name.isascii() else name in question for name in names)


def goes_on_playing(question: str, earlier: Sequence[str]) -> bool:
    """Return whether a game in which user and assistant take parts still goes on; ``earlier`` newest first."""
    if searched("play_ends", question):
        return False
    for text in [question, *earlier[:MAX_PLAY]]:
        if searched("joint_play", text):
            return True
        if searched("play_ends", text):
            return False
    return False


def _persona_names(who: str) -> list[str]:
    """Return the words a part can be recognised by: proper names, and in Chinese the whole term."""
    if han_count(who):
        return [who.strip()]
    words = [word for word in latin_words(who) if word[0].isupper() and len(word) > 2]
    return [word.casefold() for word in words]


def names_somebody_else(term: str, own: str, told: Self) -> bool:
    """Return whether the question mentions ``term`` as another person, and not as what the user is."""
    if searched("relation", term):
        return True
    if compact(term) in map(compact, told.terms) or any(_head(term) in compact(part) for part in told.quotes):
        return False
    head = _head(term)
    if len(head) < 2:
        return False
    if searched(f"counterparts.{head[-2:] if han_count(head) else head}", own):
        return True
    return _mentioned_han(head, own) if han_count(head) else _mentioned_latin(head, own)


def _head(term: str) -> str:
    """Return the word that says what a person is: the last Latin word, or the last Han characters."""
    if han_count(term):
        return compact(term)[-3:] if len(compact(term)) > 3 else compact(term)
    words = [word.casefold() for word in latin_words(term)]
    return words[-1] if words else ""


def _mentioned_latin(head: str, own: str) -> bool:
    person = rf"{re.escape(head)}(?:s|es)?"
    determiner = "|".join(pattern.pattern for pattern in patterns("mention_before", own))
    mention = re.compile(rf"\b(?:{determiner}) (?:[\w'-]+ ){{0,3}}?{person}\b", re.IGNORECASE)
    return any(
        mention.search(clause) or (searched("other_clause", clause) and shares_word(head, clause))
        for clause in clauses(own)
    )


def _mentioned_han(head: str, own: str) -> bool:
    before = "|".join(pattern.pattern for pattern in patterns("mention_before", own) if han_count(pattern.pattern))
    after = "|".join(entry.pattern for entry in patterns("mention_after", own))
    heads = {head, head[-2:]} if len(head) == 3 else {head}
    mention = re.compile("|".join(rf"(?:{before})\w{{0,4}}{one}|{one}(?:{after})" for one in map(re.escape, heads)))
    return any(
        mention.search(clause) or (searched("other_clause", clause) and any(one in clause for one in heads))
        for clause in clauses(own)
    )


def filler(text: str) -> bool:
    """Return whether ``text`` holds nothing but words anybody uses in any question."""
    return all(word in word_set("filler") for word in plain(text).split())
