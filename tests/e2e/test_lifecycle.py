"""Stop and start: the memory stays, processes do not."""

import signal

import pytest

from tests.e2e.local_system import LocalSystem


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_memory_survives_stop_and_start(local: LocalSystem, how: signal.Signals) -> None:
    # GIVEN a session with a question and a role
    session = f"kept-{how.name}"
    local.ask(session, "研究下回锅肉的做法")
    before = [local.get(f"/api/user/memory/{what}", session_id=session)["data"] for what in ("conversation", "latest")]

    # WHEN the system is stopped and started again
    code, left = local.stop(how), local.processes()
    local.start()

    # THEN it ended well, left no process behind, and remembers everything
    assert code == 0
    assert left == []
    after = [local.get(f"/api/user/memory/{what}", session_id=session)["data"] for what in ("conversation", "latest")]
    assert after == before
    assert "Building" not in local.output, "nothing has changed, so nothing is to be built"
