"""The scripted dialogues: what a user asks turn by turn, and what must hold of the stored role after each question."""

from collections.abc import Collection
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from shared.records import ConfidenceLevel, Operation

DIALOGUES = Path(__file__).parent / "dialogues.jsonl"


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Expectations(_Model):
    """What must hold after a question; a key that is not set expects nothing. README.md says when each holds."""

    operation: tuple[Operation, ...] = ()
    identity_any: tuple[str, ...] = ()
    identity_none: tuple[str, ...] = ()
    identity_empty: bool = False
    forbidden_anywhere: tuple[str, ...] = ()
    preferences: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    overview_language: str = Field(default="", pattern="^(zh|en)?$")
    confidence_at_most: ConfidenceLevel | None = None
    confidence_at_least: ConfidenceLevel | None = None


class Turn(_Model):
    """One question."""

    question: str
    expect: Expectations


class Dialogue(_Model):
    """One user in one session."""

    id: str
    category: str
    language: str
    turns: tuple[Turn, ...]


def load(path: Path = DIALOGUES, only: Collection[str] = ()) -> list[Dialogue]:
    """Return the dialogues of a JSONL file; with ``only``, those of such a category, id, or beginning of an id.

    Raises
    ------
    ValueError
        A line is no dialogue; a misspelled key is an error too.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    dialogues = [Dialogue.model_validate_json(line) for line in lines if line.strip()]
    return [
        one for one in dialogues if not only or any(one.category == want or one.id.startswith(want) for want in only)
    ]
