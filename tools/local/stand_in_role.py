"""How the stand-in reads a role from a question: by a table of words in English and Chinese, and nothing clever."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_WORDS = tomllib.loads(Path(__file__).with_name("stand_in_words.toml").read_text("utf-8"))
_QUESTION = re.compile(r'^(?:turn \d+: |第 \d+ 轮：)(".*")$', re.MULTILINE)
_LIST = re.compile(r"^([AB]): (\[.*\])$", re.MULTILINE)
_CLAUSE = re.compile(r"[^，。！？；,.!?;\n]+")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_SELF = {
    "en": re.compile(
        r"\bI(?: am|'m| work as) (?:an? )(\w[\w-]*(?: \w[\w-]*){0,2}?)(?= and\b| who\b| at\b| in\b|[,.;!?]|$)"
    ),
    "zh": re.compile(r"我是(?:一)?(?:名|个|位)?([\u4e00-\u9fff]{2,8}?)(?=[，。！？；,.!?;]|$)"),
}


def language_of(text: str) -> str:
    """Return ``zh`` for a text with Chinese characters, else ``en``."""
    return "zh" if _HAN.search(text) else "en"


def fill(schema: Mapping[str, Any], prompt: str) -> dict[str, Any]:
    """Return an object of ``schema`` for a role request; what the table knows nothing of stays neutral."""
    known: dict[str, Any] = {}
    if compared := dict(_LIST.findall(prompt)):
        known = comparison(json.loads(compared.get("A", "[]")), json.loads(compared.get("B", "[]")))
    elif questions := _QUESTION.findall(prompt):
        known = picture(json.loads(questions[-1]))
    return {name: known.get(name, _neutral(part)) for name, part in schema["properties"].items()}


def comparison(ours: Sequence[str], theirs: Sequence[str]) -> dict[str, Any]:
    """Return how two lists of identities compare: by the subjects the table knows them for, else letter by letter."""
    subjects = [[_subject(term) for term in terms] for terms in (ours, theirs)]
    fields = {"fieldA": ", ".join(subjects[0])[:40], "fieldB": ", ".join(subjects[1])[:40]}
    if {*ours} & {*theirs}:
        return fields | {"verdict": "SAME"}
    return fields | {"verdict": "SIMILAR" if {*subjects[0]} & {*subjects[1]} else "DIFFERENT"}


def _subject(term: str) -> str:
    identities = [rule for rule in _WORDS["rules"] if rule.get("identity")]
    own = (rule["subject"] for rule in identities if term.lower() in (rule["zh"], rule["en"]))
    return next(own, next((rule["subject"] for rule, _ in _hits("rules", term) if rule.get("identity")), term))


def picture(question: str) -> dict[str, Any]:
    """Return what the table reads from one question, under the field names of the extraction."""
    language = language_of(question)
    liked = {rule["field"]: (rule["value"], hit[0]) for rule, hit in _hits("preferences", question)}
    preferences = {field: value for field, (value, _) in liked.items()}
    preferences["preferenceQuote"] = next((quote for _, quote in liked.values()), "")
    hits, said = _hits("rules", question), _SELF[language].search(question)
    identities = [said[1]] if said else []
    identities += [rule[language] for rule, _ in hits if rule.get("identity")]
    cares = [rule[language] for rule, _ in hits if not rule.get("identity")]
    if not identities:
        return preferences
    who = (f"一位{identities[0]}", "，") if language == "zh" else (identities[0], " who ")
    return preferences | {
        "evidence": _quotes(question, [hit.start() for hit in [said, *(hit for _, hit in hits)] if hit]),
        "about": "SELF",
        "selfDescription": said is not None,
        "possibleIdentities": identities[:3],
        "primaryCharacteristics": cares[:3],
        "userOverview": who[0] + "".join(f"{who[1]}{care}" for care in cares[:1]),
    }


def _hits(kind: str, question: str) -> list[tuple[dict[str, Any], re.Match[str]]]:
    return [(rule, hit) for rule in _WORDS[kind] if (hit := re.search(rule["words"], question, re.IGNORECASE))]


def _quotes(question: str, places: list[int]) -> list[str]:
    """Return the clauses around ``places``, word for word."""
    clauses = [
        clause[0].strip()[:60]
        for clause in _CLAUSE.finditer(question)
        if any(clause.start() <= at < clause.end() for at in places)
    ]
    return list(dict.fromkeys(clauses))[:3]


def _neutral(schema: Mapping[str, Any]) -> Any:
    """Return the value of a schema that says nothing."""
    if "enum" in schema:
        return next((choice for choice in schema["enum"] if choice in ("UNKNOWN", "NOTHING")), schema["enum"][-1])
    return {"array": [], "boolean": False, "number": 0, "integer": 0, "object": {}}.get(str(schema.get("type")), "")
