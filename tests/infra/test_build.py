"""What goes into the artifact of a function."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.template import properties, template

ROOT = Path(__file__).parents[2]
FUNCTIONS = [name for name, each in template()["Resources"].items() if each["Type"] == "AWS::Serverless::Function"]


def commands(function: str) -> str:
    """Return what ``make`` would run to build a function from nothing."""
    make = shutil.which("make")
    assert make, "The build needs make."
    command = [make, "--dry-run", "--always-make", f"build-{function}", "ARTIFACTS_DIR=artifact", "ARCH=arm64"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout  # noqa: S603


@pytest.mark.parametrize("function", FUNCTIONS)
def test_artifact_holds_the_function_what_is_shared_and_its_own_libraries(function: str) -> None:
    # GIVEN a function that make builds from the root
    assert template()["Resources"][function]["Metadata"] == {"BuildMethod": "makefile"}
    assert template()["Globals"]["Function"]["CodeUri"] == ".."
    folder = properties(function)["Handler"].split(".")[1]
    # WHEN it is built
    run = commands(function)
    # THEN its own folder is copied and no other function's, with what is shared
    assert re.findall(r"cp -R functions/(\w+)", run) == [folder]
    assert "cp -R shared " in run
    # AND its libraries are those of its own group, at the locked versions and hashes, for the machine that runs it
    assert re.findall(r"--only-group (\w+)", run) == [folder]
    assert {"--frozen", "--require-hashes", "aarch64-manylinux2014"} <= set(run.split())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_handler_is_in_the_artifact(function: str) -> None:
    # GIVEN the handler a function names; THEN it is there
    module, _, name = properties(function)["Handler"].rpartition(".")
    assert f"def {name}(" in (ROOT / module.replace(".", "/")).with_suffix(".py").read_text("utf-8")


def test_stage_is_built_for_what_it_was_told() -> None:
    """A build for another processor than the stack's would not start there."""
    # GIVEN a stage that was deployed for another processor and Python than the defaults
    stage = "told-by-a-test"
    config = ROOT / f"samconfig.{stage}.toml"
    config.write_text(
        'parameter_overrides = "ChatModel=\\"m\\" Architecture=\\"x86_64\\" LambdaRuntime=\\"python3.12\\""\n'
    )
    try:
        # WHEN it is deployed again
        run = subprocess.run(  # noqa: S603
            [str(shutil.which("make")), "--dry-run", "deploy", f"STAGE={stage}"],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"]},  # not what make was told that runs the tests
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    finally:
        config.unlink()
    # THEN it is built for those
    assert "sam build --parameter-overrides Architecture=x86_64 LambdaRuntime=python3.12" in run
