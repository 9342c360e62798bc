"""Ports stay what they were, as long as nobody else took them."""

import socket
from pathlib import Path

from tools.local.ports import free_port, is_free, kept_port


def test_a_port_is_kept_for_the_next_run(tmp_path: Path) -> None:
    port = kept_port(tmp_path, "emulator", None)
    assert kept_port(tmp_path, "emulator", None) == port


def test_a_taken_port_is_left_alone(tmp_path: Path) -> None:
    # GIVEN that somebody else listens on the port of the last run
    port = kept_port(tmp_path, "emulator", None)
    with socket.create_server(("127.0.0.1", port)):
        # THEN the next run chooses another
        assert not is_free(port)
        assert kept_port(tmp_path, "emulator", None) != port


def test_a_port_that_is_set_is_taken(tmp_path: Path) -> None:
    wanted = free_port()
    assert kept_port(tmp_path, "emulator", wanted) == wanted
