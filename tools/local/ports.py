"""Ports of loopback that nobody else uses."""

import socket
from pathlib import Path


def kept_port(state: Path, name: str, wanted: int | None) -> int:
    """Return the port ``wanted``, else the one ``name`` had in the last run, else any; remember it in ``state``.

    The functions are deployed with the addresses they call, so that a port that stays spares a deployment.
    """
    memory = state / f"{name}.port"
    port = wanted or (int(memory.read_text()) if memory.exists() else 0)
    if not wanted and not (port and is_free(port)):
        port = free_port()
    memory.write_text(str(port))
    return port


def is_free(port: int) -> bool:
    """Tell whether ``port`` can be listened on."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
