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
READ_BY_ROLES = ("functions/role_memory", "shared", "evals")
"""What the results depend on: another state of it is another folder of results."""
_KINDS = {".py", ".md", ".toml"}


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
    """A folder of runs of one state of the code on one model."""

    folder: Path
    about: dict[str, str]
    fresh: bool

    @classmethod
    def of(
        cls, out: Path, settings: RoleSettings, dialogues: Path, replay: Path | None, *, fresh: bool = False
    ) -> Self:
        """Return the folder for this model, these dialogues and this code, made where it is not there."""
        model = settings.role_model or "no model"
        measure = f"embeddings of {settings.embedding_model}" if settings.embedding_model else "comparison by the model"
        about = {"model": model, "similarity": measure}
        if replay is not None:
            about["replayed from"] = replay.name
        state = sha256(repr((sorted(about.items()), settings.openai_base_url)).encode())
        code = [path for part in READ_BY_ROLES for path in (CODE / part).rglob("*") if path.suffix in _KINDS]
        for path in (*sorted(code), dialogues, *([replay] if replay else [])):
            state.update(path.read_bytes())
        name = "".join(char if char.isalnum() or char in ".-" else "-" for char in model)
        folder = out / f"{name}-{state.hexdigest()[:8]}"
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder, about, fresh)

    def run(self, system: str, number: int) -> RunFile:
        """Return the file of a run; with ``fresh``, an empty one."""
        file = RunFile(self.folder / f"{system}-{number}.jsonl")
        if self.fresh:
            file.path.unlink(missing_ok=True)
            file.recording.unlink(missing_ok=True)
        return file
