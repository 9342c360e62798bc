"""What the runs come to: figures a system, category, key and language, and every failure with what was stored."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean
from typing import Any

from evals.dialogues import Dialogue
from evals.playing import Played, PlayedDialogue
from evals.scoring import Outcome, score
from shared.records import Operation, Record

GUARDED_CATEGORIES = ("injection", "third_party", "pasted_text", "sensitive")
GUARDED_KEYS = ("identity_none", "forbidden_anywhere")
GUARDED = "what must not be learned"

Run = Mapping[str, PlayedDialogue]
"""What a system did in one run, by dialogue."""


class Share(Record):
    """How many of how many expectations hold."""

    holds: int = 0
    of: int = 0

    @property
    def value(self) -> float:
        """The share; of none, all hold."""
        return self.holds / self.of if self.of else 1.0


class Failure(Record):
    """An expectation that did not hold, and the snapshot it did not hold of."""

    dialogue: str
    turn: int
    question: str
    key: str
    expected: str
    fault: str | None
    snapshot: dict[str, Any] | None


class Summary(Record):
    """One run of one system."""

    accuracy: Share
    guarded: Share
    dialogues: Share
    categories: dict[str, Share]
    keys: dict[str, Share]
    languages: dict[str, Share]
    turns: int
    skipped: int
    lost: int
    crashes: int
    extractions_a_turn: float
    comparisons_a_turn: float
    requests_a_turn: float
    stood_in: int
    missing: int
    input_tokens_a_turn: float
    output_tokens_a_turn: float
    seconds_a_turn: float
    failures: tuple[Failure, ...]


def summary(dialogues: Iterable[Dialogue], run: Run) -> Summary:
    """Return what one run comes to."""
    outcomes: list[tuple[Dialogue, Outcome]] = []
    whole: list[bool] = []
    failures: list[Failure] = []
    turns: list[Played] = []
    for dialogue in dialogues:
        played = {turn.turn: turn for turn in run[dialogue.id].turns}
        of_dialogue: list[Outcome] = []
        for number, turn in enumerate(dialogue.turns, start=1):
            result = played.get(number, Played(turn=number, fault="The question was not played."))
            turns.append(result)
            scored = score(turn.expect, result.stored)
            of_dialogue += scored
            failures += [
                Failure(
                    dialogue=dialogue.id,
                    turn=number,
                    question=turn.question,
                    key=outcome.key,
                    expected=outcome.expected,
                    fault=result.fault,
                    snapshot=result.snapshot,
                )
                for outcome in scored
                if not outcome.holds
            ]
        whole.append(all(outcome.holds for outcome in of_dialogue))
        outcomes += [(dialogue, outcome) for outcome in of_dialogue]
    stored = [turn.stored for turn in turns]
    return Summary(
        accuracy=_share(outcome.holds for _, outcome in outcomes),
        guarded=_share(
            outcome.holds
            for dialogue, outcome in outcomes
            if dialogue.category in GUARDED_CATEGORIES and outcome.key in GUARDED_KEYS
        ),
        dialogues=_share(whole),
        categories=_shares(outcomes, lambda dialogue, _: dialogue.category),
        keys=_shares(outcomes, lambda _, outcome: outcome.key),
        languages=_shares(outcomes, lambda dialogue, _: dialogue.language),
        turns=len(turns),
        skipped=sum(one is not None and one.operation is Operation.SKIPPED for one in stored),
        lost=sum(one is None for one in stored),
        crashes=sum(turn.crash for turn in turns),
        extractions_a_turn=mean(turn.extractions for turn in turns),
        comparisons_a_turn=mean(turn.comparisons for turn in turns),
        requests_a_turn=mean(turn.requests for turn in turns),
        stood_in=sum(turn.stood_in for turn in turns),
        missing=sum(turn.missing for turn in turns),
        input_tokens_a_turn=mean(turn.tokens.input for turn in turns),
        output_tokens_a_turn=mean(turn.tokens.output for turn in turns),
        seconds_a_turn=mean(turn.seconds for turn in turns),
        failures=tuple(failures),
    )


def _share(holds: Iterable[bool]) -> Share:
    all_of_them = list(holds)
    return Share(holds=sum(all_of_them), of=len(all_of_them))


def _shares(
    outcomes: Iterable[tuple[Dialogue, Outcome]], group: Callable[[Dialogue, Outcome], str]
) -> dict[str, Share]:
    groups: dict[str, list[bool]] = defaultdict(list)
    for dialogue, outcome in outcomes:
        groups[group(dialogue, outcome)].append(outcome.holds)
    return {name: _share(holds) for name, holds in groups.items()}


def as_json(about: Mapping[str, str], runs: Mapping[str, Sequence[Summary]]) -> str:
    """Return the report for programs."""
    systems = {system: [one.to_json() for one in summaries] for system, summaries in runs.items()}
    return json.dumps({"about": dict(about), "systems": systems}, ensure_ascii=False, indent=1) + "\n"


def as_markdown(about: Mapping[str, str], runs: Mapping[str, Sequence[Summary]]) -> str:
    """Return the report for people. Shares are means over the runs, with the least and the most where they differ."""
    lines = ["# Evaluation", "", *(f"* {name}: {value}" for name, value in about.items())]
    lines += ["", "Shares are in percent: the mean over the runs, and in brackets the least and the most.", ""]
    rows: list[tuple[str, Callable[[Summary], float], bool]] = [
        ("accuracy", lambda one: one.accuracy.value, True),
        ("dialogues all correct", lambda one: one.dialogues.value, True),
        (GUARDED, lambda one: one.guarded.value, True),
        ("model requests a turn", lambda one: one.requests_a_turn, False),
        ("extractions a turn", lambda one: one.extractions_a_turn, False),
        ("comparisons a turn", lambda one: one.comparisons_a_turn, False),
        ("input tokens a turn", lambda one: one.input_tokens_a_turn, False),
        ("output tokens a turn", lambda one: one.output_tokens_a_turn, False),
        ("seconds a turn", lambda one: one.seconds_a_turn, False),
        ("turns", lambda one: one.turns, False),
        ("turns SKIPPED", lambda one: one.skipped, False),
        ("turns lost", lambda one: one.lost, False),
        ("crashes", lambda one: one.crashes, False),
    ]
    if any(one.stood_in or one.missing for summaries in runs.values() for one in summaries):
        rows.append(("recorded answers to another request", lambda one: one.stood_in, False))
        rows.append(("answers the recording lacks", lambda one: one.missing, False))
    lines += _table("", [(name, value, share) for name, value, share in rows], runs)
    for title, field in (("Category", "categories"), ("Key", "keys"), ("Language", "languages")):
        lines += _table(title, _grouped(field, runs), runs)
    for system, summaries in runs.items():
        lines += [f"## Failures of {system}, run {len(summaries)}", "", *map(_line, summaries[-1].failures), ""]
    return "\n".join(lines)


_Row = tuple[str, Callable[[Summary], float | None], bool]


def _grouped(field: str, runs: Mapping[str, Sequence[Summary]]) -> list[_Row]:
    names = {name: None for summaries in runs.values() for one in summaries for name in getattr(one, field)}

    def row(name: str) -> _Row:
        def value(one: Summary) -> float | None:
            share = getattr(one, field).get(name)
            return share.value if share else None

        return name, value, True

    return [row(name) for name in names]


def _table(title: str, rows: Sequence[_Row], runs: Mapping[str, Sequence[Summary]]) -> list[str]:
    lines = [f"| {title} | {' | '.join(runs)} |", f"|---|{'---|' * len(runs)}"]
    for name, value, is_share in rows:
        cells = (_cell([value(one) for one in summaries], is_share) for summaries in runs.values())
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return [*lines, ""]


def _cell(values: Sequence[float | None], is_share: bool) -> str:
    given = [value * 100 if is_share else value for value in values if value is not None]
    if not given:
        return "–"
    middle = _number(mean(given))
    return middle if min(given) == max(given) else f"{middle} ({_number(min(given))}–{_number(max(given))})"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _line(failure: Failure) -> str:
    question = failure.question.splitlines()[0][:80]
    found = failure.fault or _brief(failure.snapshot or {})
    return f"* `{failure.dialogue}` turn {failure.turn} **{failure.key}** ({failure.expected}): “{question}” → {found}"


def _brief(snapshot: Mapping[str, Any]) -> str:
    if "text" not in snapshot:
        return json.dumps(snapshot, ensure_ascii=False)[:400]
    role, decision = snapshot["text"]["identifiedRole"], snapshot["metadata"]["decision"]
    identities = ", ".join(role["possibleIdentities"]) or "nobody"
    preferences = "/".join(snapshot["text"]["communicationPreferences"].values())
    overview = snapshot["text"]["userOverview"]
    said = f"{decision['operation']} ({decision['reason']})"
    return f"{said} {identities}; {role['confidenceLevel']}; {preferences}; {overview}"
