"""One built function under Lambda's real runtime loop: the emulator binary of the SAM CLI and AWS's runtime client."""

import json
import os
import platform
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import urllib3

from tools.artifacts.build import ARCHITECTURE, TOOLS, Runtime
from tools.local.emulator import CREDENTIALS, REGION
from tools.local.ports import free_port, is_free
from tools.local.processes import LocalFault, last_words, running
from tools.template import properties

START_SECONDS = 20.0
_THERE = 'cd "$1" && shift && exec "$@"'
_READ_ONLY_THERE = f'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && {_THERE}'
_REPORT = re.compile(r"^REPORT .*?\bDuration: (\d+(?:\.\d+)?) ms\tBilled", re.MULTILINE)
_INIT = re.compile(r"INIT REPORT\(durationMs: (\d+(?:\.\d+)?)\)")


@dataclass(frozen=True)
class Sandbox:
    """A running sandbox. It takes one event at a time, as each of Lambda's does."""

    url: str
    log: Path

    def invoke(self, event: object) -> Any:
        """Return what the function returned; a failure is an object with ``errorType`` and ``errorMessage``."""
        reply = urllib3.request("POST", self.url, body=json.dumps(event).encode(), retries=False, timeout=120)
        try:
            return json.loads(reply.data)
        except ValueError:  # Of a timeout the emulator says no more than a sentence.
            return {"errorType": "Sandbox.Timedout", "errorMessage": reply.data.decode()}

    @property
    def init_ms(self) -> float:
        """How long the init phase took."""
        (found,) = _INIT.findall(self.log.read_text(errors="replace"))
        return float(found)

    @property
    def durations_ms(self) -> list[float]:
        """How long each invocation took; the first one includes the init phase."""
        return [float(found) for found in _REPORT.findall(self.log.read_text(errors="replace"))]


def can_mount() -> bool:
    """Tell whether this user may make a folder read-only for one process."""
    return platform.system() == "Linux" and os.geteuid() == 0 and bool(shutil.which("unshare"))


@contextmanager
def sandbox(
    artifact: Path,
    handler: str,
    variables: Mapping[str, str],
    *,
    runtime: Runtime,
    log: Path,
    seconds: int,
    megabytes: int,
) -> Iterator[Sandbox]:
    """Keep a sandbox of ``artifact`` running; its output is in ``log``.

    Its memory is capped at ``megabytes``, and where this user may do that, its folder is read-only, as in Lambda.

    Raises
    ------
    LocalFault
        It does not start.
    """
    port, api = free_port(), free_port()
    command: list[str | Path] = [_emulator(), "--runtime-interface-emulator-address", f"127.0.0.1:{port}"]
    command += ["--runtime-api-address", f"127.0.0.1:{api}", "prlimit", f"--data={megabytes << 20}", "--"]
    command += [runtime.python, "-m", "awslambdaric", handler]
    place = ["unshare", "--mount", "sh", "-c", _READ_ONLY_THERE] if can_mount() else ["sh", "-c", _THERE]
    command = [*place, "sh", artifact, *command]
    environment = _environment(artifact, runtime, seconds, megabytes) | dict(variables)
    with running(command, environment, log) as process:
        deadline = time.monotonic() + START_SECONDS
        while is_free(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise LocalFault(f"The sandbox did not start:\n{last_words(log)}")
            time.sleep(0.02)
        yield Sandbox(f"http://127.0.0.1:{port}/2015-03-31/functions/function/invocations", log)


@contextmanager
def function_sandbox(
    build: Path, function: str, variables: Mapping[str, str], *, runtime: Runtime, log: Path, **limits: int
) -> Iterator[Sandbox]:
    """Keep a sandbox of the template's ``function`` running, with the handler and limits it has there."""
    wanted = properties(function)
    limits = {"seconds": wanted["Timeout"], "megabytes": wanted["MemorySize"]} | limits
    with sandbox(build / function, wanted["Handler"], variables, runtime=runtime, log=log, **limits) as started:
        yield started


def _emulator() -> Path:
    place = f"lib/python*/site-packages/samcli/local/rapid/aws-lambda-rie-{ARCHITECTURE}"
    (found,) = (TOOLS / "tool/aws-sam-cli").resolve().glob(place)
    return found


def _environment(artifact: Path, runtime: Runtime, seconds: int, megabytes: int) -> dict[str, str]:
    key, secret = CREDENTIALS
    return {
        "PATH": os.environ["PATH"],
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        "PYTHONPATH": f"{artifact}:{runtime.client}",
        "LAMBDA_TASK_ROOT": str(artifact),
        "AWS_EXECUTION_ENV": f"AWS_Lambda_python{runtime.version}",
        "AWS_LAMBDA_FUNCTION_NAME": artifact.name,
        "AWS_LAMBDA_FUNCTION_TIMEOUT": str(seconds),
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(megabytes),
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": key,
        "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
