"""The processes of sandboxes."""

import os
from pathlib import Path


def runtimes(log: Path) -> list[int]:
    """Return the runtimes of the sandbox that writes to ``log``."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
            if command[1:3] == [b"-m", b"awslambdaric"] and Path(os.readlink(process / "fd/1")) == log:
                found.append(int(process.name))
        except OSError:
            continue  # It ended meanwhile.
    return found
