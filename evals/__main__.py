"""``make eval``: play the dialogues on the model that OPENAI_BASE_URL and ROLE_MODEL name, and report."""

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from evals import dialogues, report
from evals.baselines.mem0 import BaselineFailed
from evals.guidance import measure_guidance
from evals.pairs import measure_pairs
from evals.recording import Tape, line_of
from evals.results import Results
from evals.running import EndpointGone, run_all
from evals.sweep import sweep
from evals.systems import ANCESTOR, MEM0, OURS, PERFECT, model_on, role_settings, unreachable


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make eval", description="Play the dialogues and score what is learned.")
    parser.add_argument("--runs", type=int, default=1, help="how often to play them (1)")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="WORD", help="categories, or beginnings of dialogue ids"
    )
    parser.add_argument("--jobs", type=int, default=1, help="dialogues to play at once, each in its process (1)")
    parser.add_argument("--baseline", nargs="+", default=[], choices=[ANCESTOR, MEM0], help="play these as well")
    parser.add_argument("--baseline-only", action="store_true", help="play nothing but the baselines")
    parser.add_argument(
        "--perfect", action="store_true", help="play the rules behind a perfect extractor; needs no model"
    )
    parser.add_argument(
        "--replay", type=Path, metavar="FILE", help="answer from a recording; what it lacks asks the model"
    )
    parser.add_argument("--guidance", action="store_true", help="measure instead how guidance changes the answers")
    parser.add_argument("--pairs", action="store_true", help="measure instead whether similarity tells roles apart")
    parser.add_argument("--sweep", action="store_true", help="measure instead the numbers of drift; needs no model")
    parser.add_argument("--dialogues", type=Path, default=dialogues.DIALOGUES, metavar="FILE", help="other dialogues")
    parser.add_argument("--out", type=Path, default=Path(".local/evals"), metavar="FOLDER", help="where results go")
    parser.add_argument("--fresh", action="store_true", help="play again what is finished")
    return parser.parse_args()


def main() -> int:
    """Run what the command line asks for, and print where the report is."""
    asked, environment = _arguments(), dict(os.environ)
    if asked.sweep:
        print(sweep())
        return 0
    needs_model = asked.guidance or not (asked.perfect or asked.replay)
    if needs_model and not role_settings(environment).role_model:
        print("Set OPENAI_BASE_URL and ROLE_MODEL (and OPENAI_API_KEY where it needs one), or add --replay FILE.")
        return 2
    if not asked.perfect and (problem := unreachable(environment)):
        print(problem)
        return 2
    if asked.pairs:
        return _pairs(asked, environment)
    return _guidance(asked, environment) if asked.guidance else _evaluate(asked, environment)


def _pairs(asked: argparse.Namespace, environment: Mapping[str, str]) -> int:
    settings, tape = role_settings(environment), Tape("pairs")
    text = measure_pairs(model_on(tape, settings, asked.replay), tape, settings.role_update_similarity_threshold)
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "pairs.md").write_text(text, encoding="utf-8")
    (asked.out / "pairs.calls.jsonl").write_text("".join(map(line_of, tape.calls)), encoding="utf-8")
    print(text)
    return 0


def _guidance(asked: argparse.Namespace, environment: Mapping[str, str]) -> int:
    settings = role_settings(environment)
    text = measure_guidance(settings, environment.get("CHAT_MODEL") or settings.role_model, jobs=asked.jobs)
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "guidance.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


def _evaluate(asked: argparse.Namespace, environment: Mapping[str, str]) -> int:
    found = dialogues.load(asked.dialogues, asked.only)
    if not found:
        print("No dialogue is called so. Name a category or the beginning of an id.")
        return 2
    systems = [PERFECT] if asked.perfect else [*([] if asked.baseline_only else [OURS]), *asked.baseline]
    results = {
        system: Results.of(
            asked.out, system, role_settings(environment), asked.dialogues, asked.replay, fresh=asked.fresh
        )
        for system in systems
    }
    try:
        runs = {
            system: [
                report.summary(found, run_all(system, found, results[system].run(number), environment, asked))
                for number in range(1, asked.runs + 1)
            ]
            for system in systems
        }
    except (EndpointGone, BaselineFailed) as gone:
        print(gone)
        return 1
    ours = results[systems[0]]
    about = ours.about | {"runs": str(asked.runs), "dialogues": str(len(found))}
    markdown = report.as_markdown(about, runs)
    (ours.folder / "report.md").write_text(markdown, encoding="utf-8")
    (ours.folder / "report.json").write_text(report.as_json(about, runs), encoding="utf-8")
    print(markdown.partition("## Failures")[0])
    print(f"Failures with their snapshots, and recordings (*.calls.jsonl), are in {ours.folder}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
