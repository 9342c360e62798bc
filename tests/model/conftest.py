"""A real model, where the environment names one; the rest of the tests reach none."""

import os
from collections.abc import Mapping

import pytest

from tests.support.given import GIVEN

NEEDED = ("OPENAI_BASE_URL", "ROLE_MODEL")


@pytest.fixture(scope="session")
def environment() -> Mapping[str, str]:
    """Return the environment of a worker that reaches the real model."""
    missing = [name for name in NEEDED if not GIVEN.get(name)]
    if missing:
        pytest.skip(f"needs a real model: set {' and '.join(missing)} to any OpenAI-compatible endpoint")
    hidden = {"OPENAI_API_KEY": GIVEN.get("OPENAI_API_KEY", "none")}
    return dict(os.environ) | dict(GIVEN) | hidden
