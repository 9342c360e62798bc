"""Whether a measure of similarity tells roles apart: pairs of roles in English, in Chinese and across (R14).

The words of the pairs are others than those that calibrate the measures.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from evals.recording import Recorder, Replayer, Tape
from evals.systems import measure_of
from functions.role_memory.rules.picture import Picture
from functions.role_memory.similarity import Measure
from shared.records import Record, Tokens

PAIRS = Path(__file__).parent / "similarity" / "pairs.jsonl"
PAIR_SECONDS = 300.0
STRIDE = 7
"""Between the pairs whose known roles are compared in one call."""


class Pair(Record):
    """Two roles, and whether a careful person calls them the same."""

    languages: str
    same: bool
    known: str
    new: str


class Judged(Record):
    """What a measure says of a pair."""

    pair: Pair
    value: float
    measure: str
    tokens: Tokens = Tokens()

    def right(self, threshold: float) -> bool:
        """Tell whether the threshold puts the pair on its side."""
        return (self.value >= threshold) is self.pair.same


def load_pairs(path: Path = PAIRS) -> list[Pair]:
    """Return the pairs of a JSONL file."""
    return [Pair.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def judged(pairs: Sequence[Pair], measure: Measure, together: int = 1) -> list[Judged]:
    """Return what ``measure`` says of each pair, compared with the known roles of ``together`` pairs in one call."""
    found = []
    for at, pair in enumerate(pairs):
        known = [Picture((pairs[(at + STRIDE * step) % len(pairs)].known,)) for step in range(together)]
        answer = measure.compare(Picture((pair.new,)), known, seconds=PAIR_SECONDS)
        found.append(Judged(pair=pair, value=answer.values[0], measure=answer.measure, tokens=answer.tokens))
    return found


def area_under_curve(found: Iterable[Judged]) -> float:
    """Return the chance that a pair of one role scores above a pair of strangers; a tie counts half."""
    found = list(found)
    same, strangers = ([one.value for one in found if one.pair.same is kind] for kind in (True, False))
    return sum((a > b) + (a == b) / 2 for a in same for b in strangers) / (len(same) * len(strangers))


def measure_pairs(model: Recorder | Replayer, tape: Tape, threshold: float) -> str:
    """Compare all pairs, alone and three in one call, and return the figures as Markdown."""
    pairs, measure = load_pairs(), measure_of(model)
    lines = [
        "| compared | measure | languages | right | one role missed | strangers taken for one role |",
        "|---|---|---|---|---|---|",
    ]
    curves = []
    for tape.turn, (name, together) in enumerate((("alone", 1), ("three in one call", 3)), start=1):
        found = judged(pairs, measure, together)
        curves.append(f"{name}: area under the curve {area_under_curve(found):.3f}")
        for languages in dict.fromkeys(pair.languages for pair in pairs):
            here = [one for one in found if one.pair.languages == languages]
            wrong = [one.pair.same for one in here if not one.right(threshold)]
            share = f"{len(here) - len(wrong)} of {len(here)}"
            lines.append(
                f"| {name} | {here[0].measure} | {languages} | {share} | {wrong.count(True)} | {wrong.count(False)} |"
            )
    return "\n".join([*lines, "", *curves, ""])
