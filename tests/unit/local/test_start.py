"""What a person reads when ``make run`` cannot run."""

import fcntl
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tools.local.ports import free_port

ROOT = Path(__file__).parents[3]


def refusal(state: Path, **variables: str) -> str:
    """Start a run that cannot start and return what it says."""
    environment = os.environ | {"OPENAI_BASE_URL": "", "PORT": str(free_port()), "LOCAL_STATE": str(state)} | variables
    ended = subprocess.run(
        [sys.executable, "-m", "tools.local"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=30
    )
    assert ended.returncode == 1, ended.stdout
    assert "Traceback" not in ended.stderr
    return ended.stderr


def test_a_taken_port_is_named_with_a_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refusal(tmp_path, PORT=str(port))
    assert f"Port {port}" in said
    assert "PORT=" in said


def test_two_runs_do_not_share_a_state(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "It runs already" in refusal(tmp_path)


@pytest.mark.parametrize(
    "missing",
    [
        {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "CHAT_MODEL": "", "ROLE_MODEL": ""},
        {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "CHAT_MODEL": "m", "ROLE_MODEL": ""},
        {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "CHAT_MODEL": "", "ROLE_MODEL": "m"},
        {"OPENAI_API_KEY": "k", "CHAT_MODEL": "m", "ROLE_MODEL": ""},
    ],
)
def test_an_endpoint_without_both_models_is_not_enough(tmp_path: Path, missing: dict[str, str]) -> None:
    said = refusal(tmp_path, **missing)
    assert "CHAT_MODEL and ROLE_MODEL" in said


def test_a_wrong_setting_is_named(tmp_path: Path) -> None:
    assert "Wrong settings. STAND_IN_PORT" in refusal(tmp_path, STAND_IN_PORT="none")
