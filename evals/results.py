"""What is finished, kept a dialogue a line, so that a run that was cut off goes on where it stopped."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

from evals.playing import PlayedDialogue
from evals.recording import Call, line_of
from functions.role_memory.settings import RoleSettings

CODE = Path(__file__).parents[1]
MADE_OF = {
    "ancestor": ("evals/baselines/ancestor*",),
    "mem0": ("evals/baselines/mem0*",),
}
OURS_MADE_OF = ("functions/role_memory/**/*", "shared/**/*", "evals/playing.py", "evals/perfect.py")
"""What the results of a system depend on: another state of it is another folder of results, and of no other system."""
_KINDS = {".py", ".md", ".toml", ".jsonl"}


@dataclass(frozen=True)
class RunFile:
    """The results of one run of one system, and beside them the calls as a recording."""

    path: Path

    @property
    def recording(self) -> Path:
        """The file of the calls."""
        return self.path.with_suffix(".calls.jsonl")

    def finished(self) -> dict[str, PlayedDialogue]:
        """Return the dialogues that are finished; a line that was cut off is not."""
        finished = {}
        for line in self.path.read_text(encoding="utf-8").splitlines(keepends=True) if self.path.exists() else []:
            if line.endswith("\n"):
                played = PlayedDialogue.model_validate_json(line)
                finished[played.dialogue] = played
        return finished

    def add(self, played: PlayedDialogue, calls: Iterable[Call]) -> None:
        """Keep a finished dialogue: its calls first, since without its line it is played again."""
        with self.recording.open("a", encoding="utf-8") as recording:
            recording.writelines(line_of(call) for call in calls)
        with self.path.open("a", encoding="utf-8") as results:
            results.write(line_of(played))


@dataclass(frozen=True)
class Results:
    """Where the runs of one state of a system on one model are kept."""

    folder: Path
    about: dict[str, str]
    fresh: bool

    @classmethod
    def of(
        cls,
        out: Path,
        system: str,
        settings: RoleSettings,
        dialogues: Path,
        replay: Path | None,
        *,
        fresh: bool = False,
    ) -> Self:
        """Return the folder for this state of a system, this model and these dialogues; it is made if need be."""
        model = settings.role_model or "no model"
        measure = f"embeddings of {settings.embedding_model}" if settings.embedding_model else "comparison by the model"
        about = {"model": model, "similarity": measure}
        if replay is not None:
            about["replayed from"] = replay.name
        state = sha256(repr((sorted(about.items()), settings.openai_base_url)).encode())
        if system not in MADE_OF:
            state.update(repr((settings.rules, settings.role_history_questions)).encode())
        code = {path for part in MADE_OF.get(system, OURS_MADE_OF) for path in CODE.glob(part)}
        for path in (*sorted(code), dialogues, *([replay] if replay else [])):
            if path.suffix in _KINDS:
                state.update(path.read_bytes())
        name = "".join(char if char.isalnum() or char in ".-" else "-" for char in model)
        folder = out / f"{name}-{system}-{state.hexdigest()[:8]}"
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder, about, fresh)

    def run(self, number: int) -> RunFile:
        """Return the file of a run; with ``fresh``, an empty one."""
        file = RunFile(self.folder / f"run-{number}.jsonl")
        if self.fresh:
            file.path.unlink(missing_ok=True)
            file.recording.unlink(missing_ok=True)
        return file
