"""What a local run is told: from the environment, else from ``.env``."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.local.processes import LocalFault

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
            With one sentence a wrong value or line, naming it.
        """
        variables = {name: value for name, value in (read_env_file(file) | dict(environment)).items() if value}
        own = {name: variables[name.upper()] for name in cls.model_fields if name.upper() in variables}
        try:
            return cls.model_validate(own | {"variables": variables})
        except ValidationError as wrong:
            problems = (f"{str(error['loc'][0]).upper()}: {error['msg']}" for error in wrong.errors())
            raise LocalFault(f"Wrong settings. {'; '.join(problems)}.") from None


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
