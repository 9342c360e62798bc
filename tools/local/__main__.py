"""``make run``: the whole system on this machine, served on ``http://127.0.0.1:8000``."""

import fcntl
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import TypeVar

import urllib3
from botocore.exceptions import BotoCoreError, ClientError

from tools.local import stand_in
from tools.local.deploy import deployed
from tools.local.emulator import emulator
from tools.local.front import TIMEOUT_SECONDS, Front
from tools.local.ports import kept_port
from tools.local.processes import LocalFault, last_words, say
from tools.local.settings import LocalSettings

TOOLS = Path(".tools/bin")
HEALTH_CHECKS = 3
_Server = TypeVar("_Server", bound=ThreadingHTTPServer)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> int:
    """Run until a signal says stop; return the exit code."""
    for number in SIGNALS:
        signal.signal(number, _interrupt)
    try:
        with ExitStack() as running:
            try:
                _serve(LocalSettings.read(), running)
            except KeyboardInterrupt:
                say("Stopping …")
    except (LocalFault, BotoCoreError, ClientError) as fault:
        print(f"make run: {fault}", file=sys.stderr)
        return 1
    say("Stopped. The memory is kept for the next run.")
    return 0


def _interrupt(*_: object) -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _serve(settings: LocalSettings, running: ExitStack) -> None:
    """Bring everything up, say so, and stay until a signal comes or the emulator ends."""
    state = settings.local_state
    lock = running.enter_context(_alone_in(state))
    front = running.enter_context(_served(_front(settings.port)))
    model = _model(settings, running)

    say("Starting the emulator …")
    port = kept_port(state, "emulator", settings.emulator_port)
    aws = running.enter_context(emulator(TOOLS / "ministack", port, state, lock))
    running.callback(setattr, front, "upstream", "")
    front.upstream = deployed(aws, TOOLS / "sam", settings.variables | model, state)
    _check_health(front.url, aws.log)
    say(f"Ready: {front.url}")

    aws.process.wait()
    raise LocalFault(f"The emulator ended by itself:\n{last_words(aws.log)}")


@contextmanager
def _alone_in(state: Path) -> Iterator[int]:
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (state / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LocalFault(f"It runs already: another run uses {state}. Stop that one first.") from None
        yield lock.fileno()


def _front(port: int) -> Front:
    try:
        return Front(port)
    except OSError as taken:
        raise LocalFault(f"Port {port}: {taken.strerror}. Choose another, as in: PORT={port + 1} make run") from None


def _model(settings: LocalSettings, running: ExitStack) -> dict[str, str]:
    """Return the variables that lead to the model; start the stand-in when none is configured.

    Raises
    ------
    LocalFault
        An endpoint is configured, but not both models.
    """
    models = {"CHAT_MODEL", "ROLE_MODEL"}
    named = models & settings.variables.keys()
    has_url, has_key = (name in settings.variables for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"))
    if named == models and (has_url or has_key):
        return {}
    if has_url or (has_key and named):  # a key alone may be meant for something else on this machine
        raise LocalFault("A model endpoint is set: name the models to use there too, CHAT_MODEL and ROLE_MODEL.")
    port = kept_port(settings.local_state, "stand-in", settings.stand_in_port)
    server = running.enter_context(_served(stand_in.StandIn(port)))
    say(stand_in.BANNER.format(url=server.url))
    return {
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "OPENAI_API_KEY": stand_in.MODEL,
        "CHAT_MODEL": stand_in.MODEL,
        "ROLE_MODEL": stand_in.MODEL,
    }


@contextmanager
def _served(server: _Server) -> Iterator[_Server]:
    """Serve in the background until left, then listen no more."""
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def _check_health(url: str, log: Path) -> None:
    """Ask for the health of the system until it is well; a function that cannot start does not get better.

    Raises
    ------
    LocalFault
        It is not well; the message holds what the functions say.
    """
    for _ in range(HEALTH_CHECKS):
        reply = urllib3.request("GET", f"{url}/api/health", retries=False, timeout=2 * TIMEOUT_SECONDS)
        if reply.status == HTTPStatus.OK:
            return
    raise LocalFault(f"The system is not well:\n{last_words(log)}\nAll of it is in {log}.")


if __name__ == "__main__":
    sys.exit(main())
