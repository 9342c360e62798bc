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
    """Run ``command`` until it ends, standard input closes or a signal comes; return its exit code."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)

    def end(*_: object) -> None:
        process.terminate()
        impatience = threading.Timer(PATIENCE_SECONDS, process.kill)
        impatience.daemon = True
        impatience.start()

    def end_with_input() -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        end()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    threading.Thread(target=end_with_input, daemon=True).start()
    code = process.wait()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    return code


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
