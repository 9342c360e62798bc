"""What a local run is told: from the environment, else from ``.env``."""

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.local.processes import LocalFault
from tools.template import template

Port = Annotated[int, Field(ge=1, le=65535)]


class LocalSettings(BaseModel):
    """How to run here. ``variables`` are all that were set; the ones the template has a parameter for go to it.

    ``local_state`` is the folder that holds the memory between two runs. The ports of the emulator and of the
    stand-in model are chosen free unless they are set.
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    port: Port = 8000
    emulator_port: Port | None = None
    stand_in_port: Port | None = None
    local_state: Path = Path(".local")
    variables: dict[str, str] = Field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ, file: Path = Path(".env")) -> Self:
        """Read the settings; an empty variable counts as not set.

        Raises
        ------
        LocalFault
            With one sentence a wrong value, line or name, naming it. Names are only looked at in ``file``: the
            environment holds what other programs need.
        """
        told = read_env_file(file)
        if unknown := sorted(told.keys() - cls._names() - _parameter_names(told)):
            raise LocalFault(f"{file}: there is no setting {', '.join(unknown)}. .env.example names all there are.")
        variables = {name: value for name, value in (told | dict(environment)).items() if value}
        own = {name.lower(): variables[name] for name in cls._names() & variables.keys()}
        try:
            return cls.model_validate(own | {"variables": variables})
        except ValidationError as wrong:
            problems = (f"{str(error['loc'][0]).upper()}: {error['msg']}" for error in wrong.errors())
            raise LocalFault(f"Wrong settings. {'; '.join(problems)}.") from None

    @classmethod
    def _names(cls) -> set[str]:
        return {name.upper() for name in cls.model_fields.keys() - {"variables"}}


def parameter_key(name: str) -> str:
    """Return what a variable ``ROLE_SCOPE`` and the template's parameter ``RoleScope`` have in common."""
    return name.replace("_", "").lower()


def _parameter_names(names: Iterable[str]) -> set[str]:
    parameters = {parameter_key(parameter) for parameter in template()["Parameters"]}
    return {name for name in names if name.isupper() and parameter_key(name) in parameters}


def read_env_file(file: Path) -> dict[str, str]:
    """Return the variables of a file of ``NAME=value`` lines, quoted and commented as in a shell; none if it is absent.

    Raises
    ------
    LocalFault
        A line is something else; the message names the line, not what is in it, which may be a key.
    """
    variables = {}
    for number, line in enumerate(file.read_text("utf-8").splitlines() if file.exists() else [], start=1):
        try:
            words = [word for word in shlex.split(line, comments=True) if word != "export"]
            if words:
                (assignment,) = words
                name, equals, value = assignment.partition("=")
                if not (equals and name.isidentifier()):
                    raise ValueError
                variables[name] = value
        except ValueError:
            raise LocalFault(f"{file}, line {number}: write NAME=value, and quote a value that has spaces.") from None
    return variables
