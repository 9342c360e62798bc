"""Runs that are cut off go on; reports say what happened."""

import os
from pathlib import Path

import pytest

from evals.dialogues import Dialogue, load
from evals.playing import Played, PlayedDialogue
from evals.recording import Call, read_calls
from evals.report import Summary, as_json, as_markdown, summary
from evals.results import Results, RunFile
from evals.scoring import Stored
from evals.systems import ANCESTOR, OURS, role_settings
from shared.records import Operation

DIALOGUES = [
    Dialogue.model_validate(
        {
            "id": f"{category}-1",
            "category": category,
            "language": "en",
            "turns": [
                {"question": "I keep bees.", "expect": {"operation": ["CREATE"], "identity_any": ["beekeeper"]}},
                {"question": "And now?", "expect": {"forbidden_anywhere": ["pirate"]}},
            ],
        }
    )
    for category in ("grow", "injection")
]


def played(dialogue: str, *identities: str) -> PlayedDialogue:
    stored = Stored(operation=Operation.CREATE, identities=identities)
    return PlayedDialogue(
        dialogue=dialogue, turns=tuple(Played(turn=turn, stored=stored, requests=turn, seconds=1.0) for turn in (1, 2))
    )


def run(*identities: str) -> Summary:
    return summary(DIALOGUES, {one.id: played(one.id, *identities) for one in DIALOGUES})


def test_a_dialogue_whose_line_was_cut_off_is_not_finished(tmp_path: Path) -> None:
    # GIVEN two finished dialogues, and the process dies while it writes the second
    file = RunFile(tmp_path / "role-memory-1.jsonl")
    file.add(played("grow-1", "beekeeper"), [Call(dialogue="grow-1", turn=1, name="role_extract", request="x")])
    file.add(played("injection-1", "beekeeper"), [])
    file.path.write_text(file.path.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    # WHEN the run goes on, THEN the first is there, whole, and the second is played again
    assert file.finished() == {"grow-1": played("grow-1", "beekeeper")}
    assert [call.dialogue for call in read_calls(file.recording)] == ["grow-1"]


def test_other_dialogues_another_model_or_another_system_are_another_folder(tmp_path: Path) -> None:
    # GIVEN two models and two files of dialogues
    one = role_settings(dict(os.environ) | {"ROLE_MODEL": "one"})
    two = role_settings(dict(os.environ) | {"ROLE_MODEL": "one/two"})
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text("a", encoding="utf-8")
    second.write_text("b", encoding="utf-8")
    # WHEN results are kept for them
    folders = [
        Results.of(tmp_path / "out", system, settings, file, None).folder
        for system, settings, file in (
            (OURS, one, first),
            (OURS, two, first),
            (OURS, one, second),
            (ANCESTOR, one, first),
            (OURS, one, first),
        )
    ]
    # THEN what depends on no change is found again
    assert len(set(folders)) == 4
    assert folders[0] == folders[4]


@pytest.mark.parametrize(
    ("changed", "kept"), [("functions/role_memory/a.py", ANCESTOR), ("evals/baselines/ancestor.py", OURS)]
)
def test_results_outlast_changes_of_what_another_system_is_made_of(
    changed: str, kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GIVEN results of every system, and code that only one of them is made of
    monkeypatch.setattr("evals.results.CODE", tmp_path)
    (tmp_path / changed).parent.mkdir(parents=True)
    dialogues = tmp_path / "d.jsonl"
    dialogues.write_text("", encoding="utf-8")

    def folders() -> dict[str, Path]:
        settings = role_settings(os.environ)
        return {system: Results.of(tmp_path, system, settings, dialogues, None).folder for system in (OURS, ANCESTOR)}

    before = folders()
    # WHEN that code changes
    (tmp_path / changed).write_text("changed", encoding="utf-8")
    # THEN the results of the other system are still found
    assert [system for system, folder in folders().items() if folder == before[system]] == [kept]


def test_fresh_results_forget_what_is_finished(tmp_path: Path) -> None:
    settings, dialogues = role_settings(os.environ), tmp_path / "d.jsonl"
    dialogues.write_text("", encoding="utf-8")
    Results.of(tmp_path, OURS, settings, dialogues, None).run(1).add(played("grow-1"), [])
    assert Results.of(tmp_path, OURS, settings, dialogues, None).run(1).finished()
    assert not Results.of(tmp_path, OURS, settings, dialogues, None, fresh=True).run(1).finished()


def test_a_summary_counts_expectations_dialogues_and_costs() -> None:
    # GIVEN a run that learned the right identity, and a wrong one that must not be
    right, wrong = run("beekeeper"), run("pirate")
    # THEN each share is of its own expectations
    assert (right.accuracy.value, right.dialogues.value, right.guarded.value) == (1.0, 1.0, 1.0)
    assert (wrong.accuracy.holds, wrong.accuracy.of) == (2, 6)
    assert (wrong.guarded.holds, wrong.guarded.of, wrong.dialogues.holds) == (0, 1, 0)
    assert {name: share.value for name, share in wrong.keys.items()} == {
        "operation": 1.0,
        "identity_any": 0.0,
        "forbidden_anywhere": 0.0,
    }
    assert (right.requests_a_turn, right.seconds_a_turn, right.turns) == (1.5, 1.0, 4)
    assert [(one.dialogue, one.turn, one.key) for one in wrong.failures] == [
        ("grow-1", 1, "identity_any"),
        ("grow-1", 2, "forbidden_anywhere"),
        ("injection-1", 1, "identity_any"),
        ("injection-1", 2, "forbidden_anywhere"),
    ]


def test_a_turn_that_was_not_played_is_lost_and_fails() -> None:
    found = summary(DIALOGUES[:1], {"grow-1": PlayedDialogue(dialogue="grow-1", turns=())})
    assert (found.lost, found.accuracy.holds, found.accuracy.of) == (2, 0, 3)


def test_a_report_gives_mean_and_spread_of_the_runs() -> None:
    # GIVEN two runs that differ
    runs = {"ours": [run("beekeeper"), run("pirate")], "theirs": [run("pirate")]}
    # WHEN they are reported
    text = as_markdown({"model": "some model"}, runs)
    # THEN shares are percent with the least and the most, and failures are of the last run
    assert "| accuracy | 66.7 (33.3–100) | 33.3 |" in text
    assert "* model: some model" in text
    assert "`grow-1` turn 1 **identity_any** (beekeeper)" in text
    assert '"holds": 6' in as_json({}, runs)


@pytest.mark.parametrize("category", sorted({one.category for one in load()}))
def test_every_category_has_two_dialogues_to_measure(category: str) -> None:
    found = load(only=[category])
    assert len(found) >= (1 if category == "seed" else 2)
