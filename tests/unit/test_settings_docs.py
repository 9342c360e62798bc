"""README.md and .env.example name the settings there are, with the defaults they have."""

import re
from pathlib import Path

import pytest

from functions.chat.settings import ChatSettings
from functions.memory_api.settings import MemoryApiSettings
from functions.role_memory.settings import RoleSettings
from shared.settings import Settings
from tools.local.settings import LocalSettings, read_env_file

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
EXAMPLE = re.sub(r"^# (?=[A-Z_]+=)", "", (ROOT / ".env.example").read_text(), flags=re.MULTILINE)
"""As it reads when every setting is taken."""
MODELS: tuple[type[Settings], ...] = (ChatSettings, RoleSettings, MemoryApiSettings)

NEEDED = {"CONVERSATION_TABLE": "c", "ROLE_MEMORY_TABLE": "r", "DOORBELL_QUEUE_URL": "q"}
DEPLOYMENT_ONLY = {*NEEDED, "AUTH_MODE", "ROLE_MAX_RECEIVES"}
"""What is about a deployment and not about its memory."""
SETTINGS = {field.upper() for model in MODELS for field in model.model_fields} - DEPLOYMENT_ONLY
LOCAL = {field.upper() for field in LocalSettings.model_fields} - {"VARIABLES"} | {"LOG_LEVEL"}


def table() -> dict[str, str]:
    """Return the names of README's settings, with their defaults."""
    section = README.split("\n## Settings\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    assert rows
    found = {}
    for names, defaults, text in rows:
        values = dict(zip(re.findall(r"`([A-Z_]+)`", names), defaults.strip().split(", "), strict=False))
        found |= dict.fromkeys(re.findall(r"`([A-Z][A-Z_]+)`", names + text), "–") | values
    return found


@pytest.fixture
def example(tmp_path: Path) -> dict[str, str]:
    """GIVEN .env.example with every setting taken."""
    file = tmp_path / ".env"
    file.write_text(EXAMPLE)
    LocalSettings.read({}, file)  # which a local run takes
    return read_env_file(file)


def test_readme_names_every_setting_and_no_other() -> None:
    assert set(table()) == SETTINGS


def test_example_names_every_setting_and_no_other(example: dict[str, str]) -> None:
    assert set(example) == SETTINGS - {"OPENAI_API_KEY_SECRET_ARN"} | LOCAL


@pytest.mark.parametrize("model", MODELS)
def test_defaults_told_are_those_that_count(model: type[Settings], example: dict[str, str]) -> None:
    # GIVEN what is told as a default, and what is only an example of a value
    told = {name: value for name, value in table().items() if value != "–"}
    offered = {name: value for name, value in example.items() if name in told}
    assert told.keys() == offered.keys()
    # WHEN both are set THEN nothing changes
    default = model.from_environment(NEEDED)
    assert model.from_environment(NEEDED | told) == default
    assert model.from_environment(NEEDED | offered) == default
