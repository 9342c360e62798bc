"""R24: nothing a user said, and no secret, reaches a log, a metric or the body of an error, at any log level."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shared.http.resolver import memory_resolver
from tests.security.talkative import SECRETS


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
def test_r24_no_word_of_a_user_and_no_key_comes_out(level: str, tmp_path: Path) -> None:
    # GIVEN all functions, with real logs and metrics, at this log level also for the libraries they use
    replies = tmp_path / "replies"
    levels = {"POWERTOOLS_LOG_LEVEL": level, "ROOT_LOG_LEVEL": level}
    # WHEN everything goes right and wrong once
    done = subprocess.run(  # noqa: S603 our own program
        [sys.executable, "-m", "tests.security.talkative", str(replies)],
        env={**os.environ, **levels},
        capture_output=True,
        text=True,
        check=False,
    )
    # THEN it did happen
    assert done.returncode == 0, done.stderr[-3000:]
    output, bodies = done.stdout + done.stderr, replies.read_text()
    for sign in ("unexpected error", "request failed", "question read", '"_aws"', "Status502", "UnexpectedError"):
        assert sign in output
    for status in (400, 401, 404, 409, 415, 500, 502):
        assert f'"code":{status}' in bodies.replace('\\"', '"')
    # AND none of the words is in what came out
    for text in (output, bodies):
        leaks = [line[:500] for line in text.splitlines() if any(secret in line.lower() for secret in SECRETS)]
        assert leaks == []


def test_r24_debugging_the_routing_prints_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Powertools prints whole events when its debug variable is set."""
    monkeypatch.setenv("POWERTOOLS_DEBUG", "true")
    monkeypatch.setenv("POWERTOOLS_DEV", "true")
    assert not memory_resolver()._debug
