"""What was started ends with us, whatever happens."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.polling import eventually
from tools.local import guard
from tools.local.processes import LocalFault, complete, running

FAMILY = """
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
pathlib.Path(sys.argv[1]).write_text(f"{os.getpid()} {child.pid}")
time.sleep(60)
"""
"""A program with a child that nobody waits for."""


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple["subprocess.Popen[bytes]", list[int]]]:
    """GIVEN a guard and the processes of the program that it runs."""
    pids = tmp_path / "pids"
    command = [sys.executable, "-I", guard.__file__, sys.executable, "-c", FAMILY, str(pids)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:  # noqa: S603
        written = eventually(lambda: pids.read_text() if pids.exists() else "")
        family = [int(pid) for pid in written.split()]
        yield process, family
        process.kill()
        for pid in filter(alive, family):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("how", ["pipe", signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_guard_leaves_nothing_behind(
    guarded: tuple["subprocess.Popen[bytes]", list[int]], how: str | signal.Signals
) -> None:
    process, family = guarded
    assert all(map(alive, family))

    # WHEN the other end of the pipe closes, as when its owner dies, or a signal comes
    if isinstance(how, signal.Signals):
        process.send_signal(how)
    else:
        process.stdin.close()  # type: ignore[union-attr]

    # THEN program and child end, and the guard too
    process.wait(10)
    eventually(lambda: not any(map(alive, family)))


def test_guard_passes_the_exit_code_on(tmp_path: Path) -> None:
    with running([sys.executable, "-c", "raise SystemExit(7)"], os.environ, tmp_path / "log") as process:
        assert process.wait(10) == 7


def test_a_failed_command_tells_its_last_words(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print('first the sky, then the bug'); raise SystemExit(1)"]
    with pytest.raises(LocalFault, match="then the bug"):
        complete(command, os.environ, tmp_path / "log")


def test_a_failed_build_tells_the_line_that_does_not_compile(tmp_path: Path) -> None:
    # GIVEN a command that compiles as a build does, says more than fits, and then ends as `sam build` ends
    module = tmp_path / "module.py"
    module.write_text("fine = 1\ndef broken(:\n")
    script = (
        "import compileall, sys; print('Building\\n' * 30)\n"
        f"assert not compileall.compile_file({str(module)!r}, quiet=1)\n"
        "sys.exit('\\nBuild Failed\\nError: CustomMakeBuilder:MakeBuild - Make Failed: make: *** Error 1')"
    )
    # WHEN it has failed
    with pytest.raises(LocalFault) as fault:
        complete([sys.executable, "-u", "-c", script], os.environ, tmp_path / "log")
    # THEN file, line and error are told, and nothing of what came before
    assert f"{module}', line 2" in str(fault.value).replace('"', "'")
    assert "SyntaxError" in str(fault.value)
    assert "Make Failed" in str(fault.value)
    assert "Building" not in str(fault.value)


def test_a_command_that_works_is_silent(tmp_path: Path) -> None:
    complete([sys.executable, "-c", "print('fine')"], os.environ, tmp_path / "log")
    assert (tmp_path / "log").read_text() == "fine\n"
