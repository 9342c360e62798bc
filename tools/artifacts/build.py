"""Build the artifacts for this machine, as ``make build`` does for AWS."""

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.local.processes import complete

TOOLS = Path(".tools")
FUNCTIONS = ("ChatFunction", "RoleMemoryFunction", "MemoryApiFunction", "AuthorizerFunction")
DEPLOYED_PYTHON = "3.13"
"""The Python of the template's default runtime."""

ARCHITECTURE = platform.machine().replace("aarch64", "arm64")


def build(folder: Path, version: str) -> Path:
    """Build all functions for Python ``version`` below ``folder``; return the folder that holds one folder each.

    Raises
    ------
    LocalFault
        The build failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = {"ARCH": ARCHITECTURE, "PYTHON_VERSION": version, "SAM_CLI_TELEMETRY": "0"}
    complete([TOOLS / "bin/sam", "build", "--build-dir", folder / "build"], os.environ | target, folder / "build.log")
    return folder / "build"


@dataclass(frozen=True)
class Runtime:
    """A Python with the client of the runtime API, which Lambda has in its images."""

    version: str
    python: Path
    client: Path


def runtime() -> Runtime:
    """Return a runtime with the Python that is deployed where there is one, else with our own."""
    command = ["sh", "infra/find-python.sh", DEPLOYED_PYTHON, str(TOOLS / "bin/uv")]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    if found:
        return Runtime(DEPLOYED_PYTHON, Path(found), _client(DEPLOYED_PYTHON))
    version = "{}.{}".format(*sys.version_info)
    return Runtime(version, Path(sys.executable), _client(version))


def _client(version: str) -> Path:
    folder = TOOLS.resolve() / f"runtime-{version}"
    if not folder.exists():
        uv, requirements, new = str(TOOLS / "bin/uv"), str(TOOLS / "runtime.txt"), f"{folder}.new"
        export = ["export", "--quiet", "--frozen", "--only-group", "runtime", "--output-file", requirements]
        subprocess.run([uv, *export], check=True, stdout=subprocess.DEVNULL)
        install = ["pip", "install", "--quiet", "--target", new, "--requirement", requirements, "--require-hashes"]
        subprocess.run([uv, *install, "--python-version", version, "--only-binary", ":all:"], check=True)
        Path(new).rename(folder)
    return folder
