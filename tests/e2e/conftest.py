"""One local run for all end-to-end tests."""

from collections.abc import Iterator

import pytest

from tests.e2e.local_system import LocalSystem


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalSystem]:
    """Serve what ``make run`` serves; nothing of it is left in the end."""
    system = LocalSystem(tmp_path_factory.mktemp("local"))
    try:
        system.start()
        yield system
    finally:
        assert system.stop() == 0, system.output
        assert system.processes() == []
