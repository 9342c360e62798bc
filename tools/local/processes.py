"""Start and stop the programs that the local system is made of."""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tools.local import guard


class LocalFault(Exception):
    """The local system cannot run; the message tells a person what to do."""


def say(line: str) -> None:
    """Print a line at once and in one piece, whatever other threads print."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def last_words(log: Path) -> str:
    """Return what a log ends with: from the first error on if there is one, at most 20 lines."""
    lines = log.read_text(errors="replace").splitlines()
    errors = (number for number, line in enumerate(lines) if re.search(r"\bERROR\b|^(?:\*{3} )?Error", line))
    return "\n".join(lines[next(errors, 0) :][-20:])


@contextmanager
def running(
    command: Sequence[str | Path], environment: Mapping[str, str], log: Path, held: Sequence[int] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """Keep ``command`` running, its output in ``log``; on leaving, or when we die, it ends with all it started.

    The program has a process group of its own, so that Ctrl-C in a terminal reaches only us and things end in order.
    The file descriptors ``held`` stay open until then.
    """
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-I", guard.__file__, *map(str, command)],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            pass_fds=held,
            process_group=0,
        )
    assert process.stdin is not None
    try:
        yield process
    finally:
        process.stdin.close()
        process.wait()


def complete(command: Sequence[str | Path], environment: Mapping[str, str], log: Path) -> None:
    """Run ``command`` to its end.

    Raises
    ------
    LocalFault
        It failed; the message holds the end of its output.
    """
    with running(command, environment, log) as process:
        code = process.wait()
    if code:
        raise LocalFault(f"{Path(command[0]).name} failed:\n{last_words(log)}\nAll of it is in {log}.")
