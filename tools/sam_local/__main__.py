"""Play the event files in containers, or serve what they need until Ctrl-C (``--serve``), for invoking by hand."""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.artifacts.build import ARCHITECTURE, FUNCTIONS, TOOLS, Runtime, build, runtime
from tools.artifacts.environment import environment
from tools.artifacts.resources import create, parameters
from tools.artifacts.story import STORY, Scene
from tools.local.emulator import CREDENTIALS, REGION, emulator
from tools.local.ports import free_port
from tools.local.processes import LocalFault
from tools.local.stand_in import StandIn
from tools.sam_local.engine import Engine, engine, is_apart, prepare
from tools.sam_local.image import ensure

STATE = Path(".local/sam-local")
VARIABLES = STATE / "env.json"
INVOKE_SECONDS = 180
OWNER = {
    "AWS_ACCESS_KEY_ID": CREDENTIALS[0],
    "AWS_SECRET_ACCESS_KEY": CREDENTIALS[1],
    "AWS_DEFAULT_REGION": REGION,
}
"""Whom the emulator lets in; `sam local` hands it on to the functions."""
BY_HAND = [scene for scene in STORY if scene.name in ("chat", "doorbell", "latest")]
"""A question, what is learned from it, and how to read that."""


def main(arguments: list[str]) -> int:
    """Return 0 when every event was answered as it must be."""
    try:
        lambda_runtime = runtime()
        if not is_apart():  # where there is no network to install from
            build(STATE, lambda_runtime.version)
        prepare()
        if "--serve" in arguments and is_apart():
            raise LocalFault("--serve needs a container engine that runs already. Start Docker and try again.")
        with (
            tempfile.TemporaryDirectory() as place,
            engine(Path(place)) as containers,
            _served(containers, Path(place)),
        ):
            print(f"Base image: {ensure(containers, lambda_runtime, Path(place))}.", flush=True)
            if "--serve" in arguments:
                owner = " ".join(f"{name}={value}" for name, value in OWNER.items())
                commands = [f"  {' '.join(_command(scene, lambda_runtime))}" for scene in BY_HAND]
                print("Serving. Now, in another terminal:", f"  export {owner}", *commands, sep="\n", flush=True)
                threading.Event().wait()
            return _play(containers, lambda_runtime)
    except LocalFault as fault:
        print(f"make sam-local: {fault}", file=sys.stderr)
    except KeyboardInterrupt:
        return 0
    return 1


@contextmanager
def _served(containers: Engine, folder: Path) -> Iterator[None]:
    """Serve store, queue and model where containers reach them; ``VARIABLES`` tells the functions where."""
    state = folder / "aws"
    state.mkdir()
    port, program = free_port(), TOOLS / "bin/ministack"
    with (
        (state / "lock").open("w") as lock,
        emulator(program, port, state, lock.fileno(), containers.address) as aws,
        StandIn(address=containers.address) as model,
    ):
        threading.Thread(target=model.serve_forever, daemon=True).start()
        values = create(aws)
        values |= parameters(*(f"http://{containers.name}:{each}" for each in (port, model.server_port)))
        variables = {function: environment(function, values) for function in FUNCTIONS if "Authorizer" not in function}
        VARIABLES.write_text(json.dumps(variables, indent=2))
        yield
        model.shutdown()


def _command(scene: Scene, lambda_runtime: Runtime) -> list[str]:
    overrides = [f"Architecture={ARCHITECTURE}", f"LambdaRuntime=python{lambda_runtime.version}"]
    command = [
        str(TOOLS / "bin/sam"),
        "local",
        "invoke",
        scene.function,
        "--template-file",
        f"{STATE}/build/template.yaml",
    ]
    command += ["--event", str(scene.file), "--env-vars", str(VARIABLES), "--skip-pull-image"]
    return [*command, "--parameter-overrides", *overrides]


def _play(containers: Engine, lambda_runtime: Runtime) -> int:
    failed = 0
    fast = {"AWS_MAX_ATTEMPTS": "1", "AWS_EC2_METADATA_DISABLED": "true", "SAM_CLI_TELEMETRY": "0"}
    for scene in STORY:
        begin = time.monotonic()
        done = subprocess.run(
            _command(scene, lambda_runtime),
            env=containers.environment | fast | OWNER,
            capture_output=True,
            text=True,
            check=False,
            timeout=INVOKE_SECONDS,
        )
        try:
            scene.check(json.loads(done.stdout.splitlines()[-1]))
            verdict = "ok"
        except (AssertionError, ValueError, IndexError) as wrong:
            failed += 1
            verdict = f"FAILED\n{wrong}\n{done.stderr[-3000:]}"
        print(f"{scene.name:12} {scene.function:18} {time.monotonic() - begin:5.1f} s  {verdict}", flush=True)
    print(f"{len(STORY) - failed} passed, {failed} failed")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
