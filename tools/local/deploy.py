"""Build the functions and deploy the real template to the emulator, unless what is there is what is on disk."""

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from botocore.exceptions import ClientError

from tools.local.emulator import Emulator
from tools.local.processes import complete, say
from tools.local.settings import parameter_key

STACK = "role-memory"
"""The name that samconfig.toml gives it; all else that is not said here stands there too."""
TEMPLATE = Path("infra/template.yaml")
CONFIG = Path("samconfig.toml")
SOURCES = ("functions", "shared", "infra", "Makefile", str(CONFIG), "pyproject.toml", "uv.lock")
"""All that a build is made of."""

_CODE = ("functions", "shared")
_LIBRARIES = (Path("uv.lock"), Path("infra/build.mk"))
"""What the libraries of a build depend on."""


def deployed(emulator: Emulator, sam: Path, variables: dict[str, str], state: Path) -> str:
    """Make the emulator serve what is on disk with ``variables`` and return the address of the API.

    The deployment that the API's stage serves carries a fingerprint of all it was made from. It is written last, and
    lives and dies with the emulator's state, so an equal fingerprint means that nothing needs to be done.

    Raises
    ------
    LocalFault
        The build or the deployment fails.
    """
    fixed = {
        "AWS_ENDPOINT_URL": emulator.url,
        "AUTH_MODE": "IAM",
        "ARCHITECTURE": emulator.target["ARCH"],
        "LAMBDA_RUNTIME": f"python{emulator.target['PYTHON_VERSION']}",
    }
    parameters = _parameters(emulator, variables | fixed)
    fingerprint = _fingerprint(parameters)
    if _served(emulator) != fingerprint:
        say("Building the functions …")
        build = state / "build"
        complete(
            [sam, "build", "--build-dir", build],
            emulator.environment() | emulator.target,
            state / "build.log",
        )
        say("Deploying the template …")
        _zip_functions(build, emulator.target)
        _deploy(emulator, sam, build / "template.yaml", parameters, state)
        _apply_gateway_responses(emulator, fingerprint)
    api, stage = _api(emulator)
    return f"{emulator.url}/_aws/execute-api/{api}/{stage}"


def _parameters(emulator: Emulator, variables: Mapping[str, str]) -> dict[str, str]:
    """Return a value for every parameter of the template: a variable ``ROLE_SCOPE`` is the parameter ``RoleScope``."""
    given = {parameter_key(name): value for name, value in variables.items()}
    summary = emulator.client("cloudformation").get_template_summary(TemplateBody=TEMPLATE.read_text("utf-8"))
    return {
        parameter["ParameterKey"]: given.get(
            parameter_key(parameter["ParameterKey"]), parameter.get("DefaultValue", "")
        )
        for parameter in summary["Parameters"]
    }


def _fingerprint(parameters: Mapping[str, str]) -> str:
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode())
    for source in map(Path, SOURCES):
        files = [source] if source.is_file() else sorted(path for path in source.rglob("*") if path.is_file())
        for file in files:
            if "__pycache__" not in file.parts:
                digest.update(f"\0{file}\0{file.stat().st_mode:o}\0".encode())
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _api(emulator: Emulator) -> tuple[str, str]:
    """Return the id of the API and the name of its stage."""
    resources = emulator.client("cloudformation").describe_stack_resources(StackName=STACK)["StackResources"]
    kinds = {resource["ResourceType"]: resource["PhysicalResourceId"] for resource in resources}
    return kinds["AWS::ApiGateway::RestApi"], kinds["AWS::ApiGateway::Stage"]


def _served(emulator: Emulator) -> str:
    """Return the fingerprint of what the stage serves; empty if there is none."""
    gateway = emulator.client("apigateway")
    try:
        api, stage = _api(emulator)
        deployment = gateway.get_stage(restApiId=api, stageName=stage)["deploymentId"]
        return str(gateway.get_deployment(restApiId=api, deploymentId=deployment).get("description", ""))
    except (ClientError, KeyError):
        return ""


def _deploy(emulator: Emulator, sam: Path, template: Path, parameters: Mapping[str, str], state: Path) -> None:
    overrides = state / "parameters.yaml"  # A file, because a process list shows arguments, and one value is a key.
    overrides.touch(mode=0o600)
    overrides.write_text(json.dumps(parameters), "utf-8")
    command: list[str | Path] = [sam, "deploy", "--config-file", CONFIG.resolve(), "--template-file", template]
    command += ["--no-confirm-changeset", "--parameter-overrides", f"file://{overrides.resolve()}"]
    try:
        complete(command, emulator.environment() | {"SAM_CLI_POLL_DELAY": "0.2"}, state / "deploy.log")
    finally:
        overrides.unlink()


def _zip_functions(build: Path, target: Mapping[str, str]) -> None:
    """Zip what was built as ``sam deploy`` would, in a fraction of the time: libraries are zipped once and kept."""
    made_of = [*map(Path.read_bytes, _LIBRARIES), json.dumps(target).encode()]
    kept = build.parent / "libraries" / hashlib.sha256(b"".join(made_of)).hexdigest()
    if not kept.exists():
        shutil.rmtree(kept.parent, ignore_errors=True)
        kept.mkdir(parents=True)
    template = build / "template.yaml"
    text = template.read_text("utf-8")
    for folder in [each for each in build.iterdir() if each.is_dir()]:
        libraries, archive = kept / f"{folder.name}.zip", folder.with_suffix(".zip")
        if not libraries.exists():
            _zip(libraries, folder, (each for each in folder.iterdir() if each.name not in _CODE))
        shutil.copyfile(libraries, archive)
        _zip(archive, folder, (folder / each for each in _CODE))
        text = text.replace(f"CodeUri: {folder.name}\n", f"CodeUri: {archive.name}\n")
    template.write_text(text, "utf-8")


def _zip(archive: Path, root: Path, content: Iterable[Path]) -> None:
    with ZipFile(archive, "a", ZIP_DEFLATED, compresslevel=1) as files:
        for each in content:
            for file in sorted(each.rglob("*")) if each.is_dir() else [each]:
                files.write(file, file.relative_to(root))


def _apply_gateway_responses(emulator: Emulator, fingerprint: str) -> None:
    """Give the API the template's gateway responses, which the emulator knows but does not read from a template."""
    stack = emulator.client("cloudformation").get_template(StackName=STACK, TemplateStage="Processed")
    resources = stack["TemplateBody"]["Resources"].values()
    (body,) = (each["Properties"]["Body"] for each in resources if each["Type"] == "AWS::ApiGateway::RestApi")
    gateway, (api, stage) = emulator.client("apigateway"), _api(emulator)
    for kind, response in body.get("x-amazon-apigateway-gateway-responses", {}).items():
        gateway.put_gateway_response(restApiId=api, responseType=kind, **response)
    gateway.create_deployment(restApiId=api, stageName=stage, description=fingerprint)
