"""What can be evaluated: role memory itself, its rules behind a perfect extractor, and the baselines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evals.baselines.ancestor import play_ancestor
from evals.baselines.mem0 import play_mem0
from evals.dialogues import Dialogue
from evals.perfect import PerfectReader
from evals.playing import PlayedDialogue, play
from evals.recording import Call, MeteredEndpoint, Recorder, Recording, Replayer, Tape, read_calls
from functions.role_memory.embedding import EmbeddingMeasure
from functions.role_memory.reading import ModelReader
from functions.role_memory.settings import RoleSettings
from functions.role_memory.similarity import FirstThatWorks, Measure, ModelMeasure
from shared.errors import ModelUnavailable
from shared.model.endpoint import endpoint_of
from shared.model.openai import OpenAIEmbedder, complete
from shared.model.structured import OpenAIStructured
from tests.support.aws import CONVERSATION_TABLE, ROLE_MEMORY_TABLE

OURS, PERFECT, ANCESTOR, MEM0 = "role-memory", "perfect", "ancestor", "mem0"
REACH_SECONDS = 120.0
SECONDS_A_QUESTION = "180"
"""What a question may take where ROLE_TIMEOUT_SECONDS does not say: quality is measured, on whatever machine."""


@dataclass(frozen=True)
class Task:
    """One dialogue for one system; with ``replay``, answered from the recording in that file."""

    system: str
    dialogue: Dialogue
    environment: Mapping[str, str]
    replay: Path | None = None


@dataclass(frozen=True)
class Done:
    """A task that is done, and what the model answered in it."""

    played: PlayedDialogue
    calls: Sequence[Call]


def role_settings(environment: Mapping[str, str]) -> RoleSettings:
    """Return the settings of the worker, for tables and a queue that exist in this process only."""
    here = {
        "CONVERSATION_TABLE": CONVERSATION_TABLE,
        "ROLE_MEMORY_TABLE": ROLE_MEMORY_TABLE,
        "DOORBELL_QUEUE_URL": "none",
    }
    return RoleSettings.from_environment({"ROLE_TIMEOUT_SECONDS": SECONDS_A_QUESTION} | dict(environment) | here)


def unreachable(environment: Mapping[str, str]) -> str:
    """Return why the model cannot be asked; empty when it answers, or when none is named."""
    settings = role_settings(environment)
    if not settings.role_model:
        return ""
    try:
        complete(
            endpoint_of(settings),
            settings.role_model,
            [{"role": "user", "content": "Hello"}],
            seconds=REACH_SECONDS,
            max_tokens=1,
        )
    except ModelUnavailable as problem:
        return str(problem)
    return ""


def perform(task: Task) -> Done:
    """Play one dialogue, in this process and thread."""
    settings, tape = role_settings(task.environment), Tape(task.dialogue.id)
    if task.system == MEM0:
        return Done(play_mem0(task.dialogue, settings), ())
    if task.system == PERFECT:
        return Done(play(task.dialogue, PerfectReader(task.dialogue), settings, tape), ())
    model = model_on(tape, settings, task.replay)
    if task.system == ANCESTOR:
        return Done(play_ancestor(task.dialogue, model, tape), tape.calls)
    reader = ModelReader(model, measure_of(model), settings.role_history_questions)
    return Done(play(task.dialogue, reader, settings, tape), tape.calls)


def measure_of(model: Recorder | Replayer) -> Measure:
    """Return the measure of similarity: embeddings where there are any, else the comparison of the model."""
    measure: Measure = ModelMeasure(model)
    return FirstThatWorks(EmbeddingMeasure(model), measure) if model.name else measure


def model_on(tape: Tape, settings: RoleSettings, replay: Path | None = None) -> Recorder | Replayer:
    """Return the model that the settings name, recorded on ``tape``; with ``replay``, played from that recording."""
    live = None
    if settings.role_model:
        given = endpoint_of(settings)
        endpoint = MeteredEndpoint(given.base_url, given.api_key, given.secret_arn)
        embedder = None
        if settings.embedding_model:
            given = endpoint_of(settings, settings.embedding_base_url)
            where = MeteredEndpoint(given.base_url, given.api_key, given.secret_arn, endpoint.sent)
            embedder = OpenAIEmbedder(where, settings.embedding_model)
        model = OpenAIStructured(endpoint, settings.role_model)
        live = Recorder(tape, endpoint.sent, model, embedder, settings.role_model)
    if replay is not None:
        return Replayer(_recording(replay), tape, live)
    if live is None:
        raise ValueError("No model is named. Set OPENAI_BASE_URL and ROLE_MODEL, or replay a recording.")
    return live


@cache
def _recording(path: Path) -> Recording:
    return Recording(read_calls(path))
