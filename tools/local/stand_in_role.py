"""How the stand-in reads a role from a question: by a table of words in English and Chinese, and nothing clever."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_WORDS = tomllib.loads(Path(__file__).with_name("stand_in_words.toml").read_text("utf-8"))
_LINE = re.compile(r'^\d+\. (".*")$', re.MULTILINE)
"""A line of the current question in an extraction request."""
_COMPARED = re.compile(r'^([A-Z]): (\[.*\]|".*")$', re.MULTILINE)
"""A line of a comparison: what was asked, or the identities guessed from it."""
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
    if compared := dict(_COMPARED.findall(prompt)):
        shown = {name: json.loads(value) for name, value in compared.items()}
        known = comparison({name: [value] if isinstance(value, str) else value for name, value in shown.items()})
    elif lines := _LINE.findall(prompt):
        known = picture([json.loads(line) for line in lines])
    return {name: known.get(name, _neutral(part)) for name, part in schema["properties"].items()}


def comparison(texts: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return how questions or identities compare to B: by the subjects the table knows them for, else by the words."""
    about = {name: [_subject(text) for text in each] or [""] for name, each in texts.items()}
    found = {f"industry{name}": subjects[0][:30] for name, subjects in about.items()}
    for name in texts.keys() - {"B"}:
        alike = "SIMILAR" if {*about[name]} & {*about["B"]} else "DIFFERENT"
        found[f"verdict{name}"] = "SAME" if {*texts[name]} & {*texts["B"]} else alike
    return found


def _subject(term: str) -> str:
    identities = [rule for rule in _WORDS["rules"] if rule.get("identity")]
    own = (rule["subject"] for rule in identities if term.lower() in (rule["zh"], rule["en"]))
    return next(own, next((rule["subject"] for rule, _ in _hits("rules", term) if rule.get("identity")), term))


def picture(lines: Sequence[str]) -> dict[str, Any]:
    """Return what the table reads from the lines of one question, under the field names of the extraction."""
    question = " ".join(lines)
    language = language_of(question)
    wishes = [rule["wish"] for rule, _ in _hits("wishes", question)]
    wish = {"answerWish": wishes[0]} if wishes else {}
    hits, said = _hits("rules", question), _SELF[language].search(question)
    identities = [said[1]] if said else []
    identities += [rule[language] for rule, _ in hits if rule.get("identity")]
    cares = [rule[language] for rule, _ in hits if not rule.get("identity")]
    if not identities:
        return wish
    words = [hit[0] for hit in [said, *(hit for _, hit in hits)] if hit]
    who = (f"一位{identities[0]}", "，") if language == "zh" else (identities[0], " who ")
    return wish | {
        "evidence": [number for number, line in enumerate(lines, start=1) if any(word in line for word in words)][:2],
        "workplace": next((rule["subject"] for rule, _ in hits), ""),
        "possibleIdentities": identities[:3],
        "primaryCharacteristics": cares[:2],
        "userOverview": who[0] + "".join(f"{who[1]}{care}" for care in cares[:1]),
    }


def _hits(kind: str, text: str) -> list[tuple[dict[str, Any], re.Match[str]]]:
    return [(rule, hit) for rule in _WORDS[kind] if (hit := re.search(rule["words"], text, re.IGNORECASE))]


def _neutral(schema: Mapping[str, Any]) -> Any:
    """Return the value of a schema that says nothing."""
    if "enum" in schema:
        return next((choice for choice in schema["enum"] if choice == "NONE"), schema["enum"][-1])
    return {"array": [], "boolean": False, "number": 0, "integer": 0, "object": {}}.get(str(schema.get("type")), "")
