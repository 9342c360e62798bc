"""A local run, started as ``make run`` starts it, in a folder and on ports of its own."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.support.polling import eventually
from tools.local.ports import free_port
from tools.local.settings import read_env_file

ROOT = Path(__file__).parents[2]
READY_SECONDS = 200
STOP_SECONDS = 30


@dataclass
class LocalSystem:
    """One local run after another over the same state."""

    folder: Path
    port: int = field(default_factory=free_port)
    stand_in_port: int = field(default_factory=free_port)
    emulator_port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def output(self) -> str:
        """What the current run has printed."""
        return (self.folder / "output").read_text()

    def start(self) -> None:
        """Start a run and wait until it says that it serves."""
        unset = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "CHAT_MODEL", "ROLE_MODEL", *read_env_file(ROOT / ".env"))
        environment = os.environ | dict.fromkeys(unset, "")
        environment |= {"PORT": str(self.port), "STAND_IN_PORT": str(self.stand_in_port)}
        environment |= {"EMULATOR_PORT": str(self.emulator_port), "LOCAL_STATE": str(self.folder / "state")}
        with (self.folder / "output").open("wb") as output:
            self.process = process = subprocess.Popen(
                [sys.executable, "-m", "tools.local"], cwd=ROOT, env=environment, stdout=output, stderr=output
            )
        ready = f"Ready: http://127.0.0.1:{self.port}"
        eventually(lambda: self.output, lambda said: ready in said or process.poll() is not None, READY_SECONDS)
        assert process.poll() is None, self.output

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        """Stop the run and return its exit code."""
        assert self.process is not None
        self.process.send_signal(how)
        return self.process.wait(STOP_SECONDS)

    def processes(self) -> list[str]:
        """Return the processes that carry the state folder of this run in their environment."""
        mark, found = str(self.folder).encode(), []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue  # It ended meanwhile, or is somebody else's.
        return found

    def call(self, method: str, path: str, user: str = "u1", **options: Any) -> httpx.Response:
        """Call the API as ``user``."""
        headers = {"X-User-Id": user} if user else {}
        return httpx.request(method, f"http://127.0.0.1:{self.port}{path}", headers=headers, timeout=60, **options)

    def get(self, path: str, user: str = "u1", **query: str) -> dict[str, Any]:
        """Read something that there is."""
        reply = self.call("GET", path, user, params=query)
        assert reply.status_code == 200, reply.text
        return dict(reply.json())

    def ask(self, session: str, question: str, user: str = "u1") -> dict[str, Any]:
        """Ask a question, wait until the role memory has read it, and return the data of the reply."""
        reply = self.call("POST", "/api/chat", user, json={"session_id": session, "message": question})
        assert reply.status_code == 200, reply.text
        eventually(
            lambda: self.get("/api/user/memory/latest", user, session_id=session)["roleMemory"],
            lambda memory: memory["pending"] is False,
        )
        return dict(reply.json()["data"])

    def model_requests(self) -> list[dict[str, Any]]:
        """Return what the stand-in model was asked."""
        return list(httpx.get(f"http://127.0.0.1:{self.stand_in_port}/requests").json())
