"""The container engine: the one that runs here, else one of our own in a network namespace of its own."""

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.local.processes import LocalFault, last_words, running

PACKAGES = ("docker.io", "busybox-static")
INSTALL = f"apt-get install --yes --no-install-recommends {' '.join(PACKAGES)}"
START_SECONDS = 30.0
_APART = "ROLE_MEMORY_APART"


@dataclass(frozen=True)
class Engine:
    """A running engine. ``address`` is where servers listen for containers, ``name`` what containers call it."""

    environment: dict[str, str]
    address: str
    name: str

    def docker(self, *arguments: str, stdin: Path | None = None) -> str:
        """Run a docker command and return what it prints.

        Raises
        ------
        LocalFault
            It failed.
        """
        with (stdin or Path(os.devnull)).open("rb") as source:
            done = subprocess.run(
                ["docker", *arguments], env=self.environment, stdin=source, capture_output=True, check=False
            )
        if done.returncode:
            raise LocalFault(f"docker {arguments[0]} failed:\n{done.stderr.decode()}")
        return done.stdout.decode().strip()


def is_apart() -> bool:
    """Tell whether this is the program in its own network namespace, which leads nowhere."""
    return _APART in os.environ


def prepare() -> None:
    """See to it that there is an engine to use; install what is missing where CI allows it.

    Without a running engine the program starts once more in a network namespace of its own, so that ours touches
    nothing of this machine's network and nobody reaches what listens there.

    Raises
    ------
    LocalFault
        There is none, and none can be had; the message says what is missing.
    """
    if is_apart() or _answers():
        return
    if platform.system() != "Linux" or os.geteuid() != 0:
        raise LocalFault("No container engine answers. Start Docker (or Podman with DOCKER_HOST set) and try again.")
    if not (shutil.which("dockerd") and shutil.which("busybox")):
        if not (os.environ.get("CI") and shutil.which("apt-get")):
            raise LocalFault(f"There is no container engine. Install one, as in: {INSTALL}")
        print(f"Installing a container engine: {INSTALL} …", flush=True)
        quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for command in ("apt-get update", INSTALL):
            done = subprocess.run(command.split(), env=quiet, capture_output=True, text=True, check=False)
            if done.returncode:
                raise LocalFault(f"{command} failed:\n{done.stderr[-2000:]}")
    os.environ[_APART] = "1"
    sys.stdout.flush()
    os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.orig_argv[1:]])


@contextmanager
def engine(folder: Path) -> Iterator[Engine]:
    """Offer the engine that ``prepare`` found, or start our own, which keeps all it has in ``folder``.

    Raises
    ------
    LocalFault
        Our own does not start.
    """
    if not is_apart():
        yield _connected(dict(os.environ))
        return
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    socket, log = folder / "docker.sock", folder / "dockerd.log"
    command: list[str | Path] = [
        "dockerd",
        "--host",
        f"unix://{socket}",
        "--data-root",
        folder / "data",
        "--exec-root",
        folder / "exec",
    ]
    command += ["--pidfile", folder / "pid", "--iptables=false", "--ip6tables=false", "--bip", "172.30.0.1/24"]
    environment = os.environ | {"DOCKER_HOST": f"unix://{socket}"}
    with running(command, environment, log) as process:
        deadline = time.monotonic() + START_SECONDS
        while not _answers(environment):
            if process.poll() is not None or time.monotonic() > deadline:
                raise LocalFault(f"The container engine did not start:\n{last_words(log)}")
            time.sleep(0.1)
        yield _connected(environment)


def _answers(environment: dict[str, str] | None = None) -> bool:
    command = ["docker", "info", "--format", "{{.ServerVersion}}"]
    if not shutil.which("docker"):
        return False
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode == 0 and bool(done.stdout.strip())


def _connected(environment: dict[str, str]) -> Engine:
    """Tell how containers reach this machine: over their bridge, or by the name that Docker Desktop gives it."""
    if platform.system() != "Linux":
        return Engine(environment, "127.0.0.1", "host.docker.internal")
    bridge = json.loads(Engine(environment, "", "").docker("network", "inspect", "bridge"))
    gateway = bridge[0]["IPAM"]["Config"][0]["Gateway"]
    return Engine(environment, gateway, gateway)
