"""Run a command for as long as standard input stays open, then end it and everything it started.

The one who starts a guard holds the other end of that pipe. The pipe closes when they close it, and also when they
are killed, so nothing is ever left behind. The command gets time to save its state.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading

PATIENCE_SECONDS = 15.0
"""How long a command may take to end after it was asked to."""


def run(command: list[str]) -> int:
    """Run ``command`` until it ends or standard input closes; return its exit code."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
    threading.Thread(target=_end_with_input, args=(process,), daemon=True).start()
    code = process.wait()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    return code


def _end_with_input(process: subprocess.Popen[bytes]) -> None:
    while os.read(0, 1024):
        pass
    process.terminate()
    try:
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
