"""Playing many dialogues, some at once, with a line that says how far it is."""

import sys
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context

from evals.dialogues import Dialogue
from evals.playing import PlayedDialogue
from evals.results import RunFile
from evals.systems import Task, perform, unreachable
from shared.observability import logger

WIDTH = 30


class EndpointGone(Exception):
    """The model went away during a run."""


@dataclass
class ProgressBar:
    """One line on the terminal; where there is none, a line a dialogue."""

    title: str
    total: int
    done: int = 0
    turns: int = 0
    started: float = field(default_factory=time.monotonic)

    def advance(self, turns: int) -> None:
        """Count one dialogue of so many turns."""
        self.done, self.turns = self.done + 1, self.turns + turns
        gone = time.monotonic() - self.started
        left = gone / self.done * (self.total - self.done)
        bar = ("█" * (WIDTH * self.done // self.total)).ljust(WIDTH, "░")
        line = f"{self.title} {bar} {self.done}/{self.total} dialogues, {self.turns} turns, {left / 60:.0f} min left"
        terminal = sys.stderr.isatty()
        print(
            f"\r{line}" if terminal else line, end="" if terminal and self.done < self.total else "\n", file=sys.stderr
        )


def run_all(
    system: str, dialogues: Sequence[Dialogue], file: RunFile, environment: Mapping[str, str], asked: Namespace
) -> dict[str, PlayedDialogue]:
    """Play what ``file`` does not hold yet, and return all of it by dialogue.

    Raises
    ------
    EndpointGone
        The model can no longer be reached; a dialogue that suffered from it is not kept.
    """
    finished = file.finished()
    tasks = [Task(system, one, environment, asked.replay) for one in dialogues if one.id not in finished]
    if not tasks:
        return finished
    bar = ProgressBar(f"{system} {file.path.stem.rpartition('-')[2]}", len(tasks))
    # New processes, not copies of this one: each has an emulator of its own.
    with ProcessPoolExecutor(asked.jobs, get_context("spawn"), initializer=_quieten) as pool:
        for future in as_completed([pool.submit(perform, task) for task in tasks]):
            done = future.result()
            if any(turn.fault for turn in done.played.turns) and (problem := unreachable(environment)):
                pool.shutdown(wait=False, cancel_futures=True)
                raise EndpointGone(f"{problem} What is finished is kept: the same command goes on from there.")
            file.add(done.played, done.calls)
            finished[done.played.dialogue] = done.played
            bar.advance(len(done.played.turns))
    return finished


def _quieten() -> None:
    logger.setLevel("CRITICAL")
