"""The emulator that plays API Gateway, Lambda, DynamoDB and SQS."""

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import urllib3
from botocore.config import Config

from tools.local.processes import LocalFault, last_words, running

REGION = "us-east-1"
CREDENTIALS = ("test", "test")
"""What the emulator takes for the owner of the account. Functions get the credentials of their own role."""

START_SECONDS = 30.0
CALL_SECONDS = 30

_PASSED_ON = ("PATH", "HOME", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "http_proxy", "https_proxy", "no_proxy")
"""All that functions see of the caller's environment: settings reach them through the template alone, as in AWS."""


@dataclass(frozen=True)
class Emulator:
    """A running emulator.

    ``log`` is its log, which holds those of the functions too. ``target`` are the variables that make a build fit it.
    """

    url: str
    log: Path
    process: subprocess.Popen[bytes]
    target: dict[str, str]

    def client(self, service: str) -> Any:
        """Return a boto3 client of ``service`` that talks to the emulator as the owner of the account."""
        key, secret = CREDENTIALS
        return boto3.client(
            service,  # type: ignore[call-overload]
            endpoint_url=self.url,
            region_name=REGION,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            config=Config(read_timeout=CALL_SECONDS, retries={"total_max_attempts": 2}),
        )

    def environment(self) -> dict[str, str]:
        """Return what makes AWS tools talk to the emulator, and never to a real account."""
        key, secret = CREDENTIALS
        left_out = ("AWS_", "PYTHONDONTWRITEBYTECODE")  # The latter would have sam compile itself at each start.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        return kept | {
            "AWS_ACCESS_KEY_ID": key,
            "AWS_SECRET_ACCESS_KEY": secret,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": self.url,
            "SAM_CLI_TELEMETRY": "0",
        }


@contextmanager
def emulator(program: Path, port: int, state: Path, lock: int, address: str = "127.0.0.1") -> Iterator[Emulator]:
    """Run the emulator on ``port`` of loopback; what it holds is kept in ``state``, and ``lock`` held, until it ended.

    Another ``address`` than that of loopback is for callers in containers of this machine.

    ``AUTH`` makes it check signatures and the policies of each function's role, as AWS does.

    Raises
    ------
    LocalFault
        It does not start.
    """
    log = state / "emulator.log"
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment = passed_on | {
        "AUTH": "true",
        "BIND_HOST": address,
        "GATEWAY_PORT": str(port),
        "PERSIST_STATE": "1",
        "STATE_DIR": str(state / "aws"),
        "TMPDIR": _scratch(state),
    }
    with running([program], environment, log, (lock,)) as process:
        url, deadline = f"http://{address}:{port}", time.monotonic() + START_SECONDS
        while not _ready(url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise LocalFault(f"The emulator did not start:\n{last_words(log)}")
            time.sleep(0.05)
        yield Emulator(url, log, process, _target(program))


def _scratch(state: Path) -> str:
    """Return a new folder for what functions are unpacked to; those of earlier runs, many files, go meanwhile."""
    folder = state / "scratch"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        threading.Thread(target=shutil.rmtree, args=(old, True), daemon=True).start()
    return tempfile.mkdtemp(dir=folder.resolve())


def _target(program: Path) -> dict[str, str]:
    """Return for which Python and machine to build: the emulator's own, whatever runtime the template names."""
    ask = "import platform, sys; print(platform.system(), platform.machine(), '%d.%d' % sys.version_info[:2])"
    python = program.resolve().parent / "python"
    answer = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True).stdout
    system, machine, version = answer.split()
    target = {"ARCH": machine.replace("aarch64", "arm64"), "PYTHON_VERSION": version}
    return target | ({"PLATFORM": f"{machine.replace('arm64', 'aarch64')}-apple-darwin"} if system == "Darwin" else {})


def _ready(url: str) -> bool:
    try:
        return urllib3.request("GET", f"{url}/_ministack/ready", retries=False, timeout=2).status == 200
    except urllib3.exceptions.HTTPError:
        return False
