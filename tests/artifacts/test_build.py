"""What is in the artifacts: only what runs, small, with valid byte code, and the same each time."""

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import openai
import pytest

from tools.artifacts.build import ARCHITECTURE, FUNCTIONS, TOOLS, Runtime
from tools.template import properties

MEGABYTE = 1_000_000
LARGEST = {"ChatFunction": 48, "RoleMemoryFunction": 49, "MemoryApiFunction": 26, "AuthorizerFunction": 26}
"""MB unzipped; Lambda takes 250."""
LARGEST_ZIP = {"ChatFunction": 18, "RoleMemoryFunction": 18, "MemoryApiFunction": 10, "AuthorizerFunction": 10}
"""MB; Lambda takes 50 directly."""

FOREIGN = {
    "ChatFunction": {"json_repair", "cryptography", "jwt"},
    "RoleMemoryFunction": {"cryptography", "jwt"},
    "MemoryApiFunction": {"openai", "json_repair", "httpx2", "cryptography", "jwt"},
    "AuthorizerFunction": {"openai", "json_repair", "pydantic", "boto3"},
}
"""Libraries that belong to other functions."""
DEVELOPMENT = {"pytest", "moto", "mypy", "hypothesis", "httpx", "awslambdaric", "mypy_boto3_dynamodb", "aws_xray_sdk"}
HAS_NO_PLACE = re.compile(r"(^|/)(tests?|docs?|examples?|\.[^/]*)(/|$)|\.(pyi|sh|lock)$|(^|/)(conftest|test_\w+)\.py$")
CODE_CALLED_DOCS = ("boto3/docs/", "botocore/docs/")
"""Imported by boto3 itself when it makes a client."""

OURS = Path(openai.__file__).parent
EMPTIED = {"types/__init__.py": b"", "types/responses/__init__.py": b""}
ADAPTER_TESTS = ("tests/unit/model/test_endpoint.py", "tests/unit/model/test_openai.py")


def sources(package: Path) -> dict[str, bytes]:
    return {str(file.relative_to(package)): file.read_bytes() for file in package.rglob("*.py")}


def files(artifact: Path) -> list[str]:
    return sorted(str(path.relative_to(artifact)) for path in artifact.rglob("*") if path.is_file())


def zipped(artifact: Path) -> int:
    """Return the bytes of the zip that is deployed."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as package:
        for file in files(artifact):
            package.write(artifact / file, file)
    return len(content.getvalue())


def hashes(artifact: Path) -> dict[str, str]:
    return {file: hashlib.sha256((artifact / file).read_bytes()).hexdigest() for file in files(artifact)}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_artifact_is_small(artifacts: Path, function: str, capsys: pytest.CaptureFixture[str]) -> None:
    # GIVEN an artifact
    artifact = artifacts / function
    size = sum((artifact / file).stat().st_size for file in files(artifact))
    package = zipped(artifact)
    with capsys.disabled():
        print(
            f"\n{function}: {size / MEGABYTE:.1f} MB, zipped {package / MEGABYTE:.1f} MB, {len(files(artifact))} files"
        )
    # THEN it is as large as its libraries have to be
    assert size < LARGEST[function] * MEGABYTE
    assert package < LARGEST_ZIP[function] * MEGABYTE


@pytest.mark.parametrize("function", FUNCTIONS)
def test_artifact_holds_its_own_function_and_libraries_only(artifacts: Path, function: str) -> None:
    # GIVEN an artifact
    artifact = artifacts / function
    folder = properties(function)["Handler"].split(".")[1]
    top = {path.name.removesuffix(".py") for path in artifact.iterdir()}
    # THEN of our code it holds one function and what is shared
    functions = {path.name for path in (artifact / "functions").iterdir()} - {"__init__.py", "__pycache__"}
    assert functions == {folder}
    assert top >= {"functions", "shared", "aws_lambda_powertools"}
    assert not top & {"tools", "evals", "infra"}
    # AND no library that only another function or only a developer needs
    assert not top & FOREIGN[function]
    assert not top & DEVELOPMENT
    # AND no library twice
    names = [path.name.split("-")[0] for path in artifact.rglob("*.dist-info")]
    assert len(names) == len(set(names))
    # AND nothing that does not run
    useless = [file for file in files(artifact) if HAS_NO_PLACE.search(file)]
    assert [file for file in useless if not file.startswith(CODE_CALLED_DOCS)] == []


def test_client_of_the_model_works_without_the_names_of_its_types(artifacts: Path, tmp_path: Path) -> None:
    # GIVEN the client as it is deployed: what it is here, but for two modules that only name others
    client = artifacts / "ChatFunction/openai"
    deployed, ours = sources(client), sources(OURS)
    assert {module: source for module, source in deployed.items() if source != ours[module]} == EMPTIED
    # WHEN the tests of our adapter use it
    (tmp_path / "openai").symlink_to(client)
    variables = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    where = [sys.executable, "-c", "import openai; print(openai.__file__)"]
    used = subprocess.run(where, check=True, env=variables, capture_output=True, text=True)  # noqa: S603
    assert used.stdout.startswith(str(tmp_path))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *ADAPTER_TESTS]
    done = subprocess.run(command, check=False, env=variables, capture_output=True, text=True)  # noqa: S603
    # THEN they pass
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("function", FUNCTIONS)
def test_byte_code_is_valid_whatever_times_the_zip_gives(
    artifacts: Path, function: str, lambda_runtime: Runtime
) -> None:
    # GIVEN all modules of an artifact
    modules = list((artifacts / function).rglob("*.py"))
    tag = f"cpython-{lambda_runtime.version.replace('.', '')}"
    # THEN each has byte code of that Python, which is trusted without a look at the times of its source
    for module in modules:
        compiled = module.parent / "__pycache__" / f"{module.stem}.{tag}.pyc"
        assert compiled.read_bytes()[4:8] == b"\x01\0\0\0", module
    # AND there is no other byte code
    assert len(list((artifacts / function).rglob("*.pyc"))) == len(modules)


def test_byte_code_names_the_place_where_lambda_puts_it(artifacts: Path, lambda_runtime: Runtime) -> None:
    """A stack trace says nothing about the machine that built it."""
    # GIVEN the byte code of a handler WHEN it is read by the Python it is for
    tag = f"cpython-{lambda_runtime.version.replace('.', '')}"
    compiled = artifacts / f"ChatFunction/functions/chat/__pycache__/handler.{tag}.pyc"
    ask = "import marshal, sys; print(marshal.loads(open(sys.argv[1], 'rb').read()[16:]).co_filename)"
    command = [lambda_runtime.python, "-c", ask, compiled]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    # THEN its path is the one in Lambda
    assert said.strip() == "/var/task/functions/chat/handler.py"


def test_second_build_is_equal_byte_for_byte(artifacts: Path, lambda_runtime: Runtime, tmp_path: Path) -> None:
    # GIVEN the artifact with the most libraries WHEN it is built once more, from the lock on
    make = shutil.which("make")
    assert make
    target = {"ARCH": ARCHITECTURE, "PYTHON_VERSION": lambda_runtime.version, "MAKEFLAGS": ""}
    folders = [f"ARTIFACTS_DIR={tmp_path / 'artifact'}", f"LIBRARIES={tmp_path / 'libraries'}"]
    command = [make, "--silent", "build-RoleMemoryFunction", *folders]
    subprocess.run(command, check=True, env=os.environ | target, capture_output=True)  # noqa: S603
    # THEN every file is the same
    assert hashes(tmp_path / "artifact") == hashes(artifacts / "RoleMemoryFunction")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_artifact_holds_the_locked_versions(artifacts: Path, function: str) -> None:
    # GIVEN what the lock says of a function's libraries
    group = properties(function)["Handler"].split(".")[1]
    command = [TOOLS / "bin/uv", "export", "--quiet", "--frozen", "--only-group", group, "--no-hashes", "--no-header"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()  # noqa: S603
    locked = [line.split(";")[0].strip() for line in lines if "== 'emscripten'" not in line and line[0] not in " #"]
    # THEN the artifact holds those, and nothing else
    found = [path.name.removesuffix(".dist-info") for path in (artifacts / function).glob("*.dist-info")]
    assert sorted(found) == sorted(requirement.replace("-", "_").replace("==", "-") for requirement in locked)
