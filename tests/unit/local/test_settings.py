"""What a local run is told."""

from pathlib import Path

import pytest

from tools.local.processes import LocalFault
from tools.local.settings import LocalSettings, read_env_file


def env_file(folder: Path, text: str) -> Path:
    file = folder / ".env"
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize(
    ("line", "told"),
    [("OPENAI_API_KEY", "line 2"), ("sk-secret words", "line 2"), ("A='open", "line 2"), ("1A=b", "line 2")],
)
def test_a_wrong_line_is_named_by_number_and_not_repeated(tmp_path: Path, line: str, told: str) -> None:
    """R24: it may be a key."""
    with pytest.raises(LocalFault) as fault:
        read_env_file(env_file(tmp_path, f"# settings\n{line}\n"))
    assert told in str(fault.value)
    assert line not in str(fault.value)


@pytest.mark.parametrize("name", ["CHAT_MODLE", "chat_model", "VARIABLES"])
def test_a_misspelt_name_in_the_file_is_told(tmp_path: Path, name: str) -> None:
    # GIVEN a file with a name that no setting has, among others that are right
    file = env_file(tmp_path, f"ROLE_SCOPE=user\n{name}=sk-secret\nPORT=9001\nLOG_LEVEL=DEBUG\n")
    # WHEN it is read THEN that name is told, and nothing else of the file (R24)
    with pytest.raises(LocalFault, match=f"no setting {name}\\.") as fault:
        LocalSettings.read({}, file)
    assert "sk-secret" not in str(fault.value)


def test_names_in_the_environment_are_left_alone(tmp_path: Path) -> None:
    assert LocalSettings.read({"CHAT_MODLE": "x"}, tmp_path / ".env").variables == {"CHAT_MODLE": "x"}


def test_lines_read_as_in_a_shell(tmp_path: Path) -> None:
    text = "# comment\n\nA=1\nexport B='two words # kept'\nC=\"含 引号\" # comment\nD=\nE=a=b\n"
    assert read_env_file(env_file(tmp_path, text)) == {
        "A": "1",
        "B": "two words # kept",
        "C": "含 引号",
        "D": "",
        "E": "a=b",
    }


def test_environment_wins_over_the_file(tmp_path: Path) -> None:
    # GIVEN a file and an environment that disagree, the environment with an empty value too
    file = env_file(tmp_path, "ROLE_SCOPE=user\nCHAT_MODEL=of-the-file\nPORT=9001\n")
    settings = LocalSettings.read({"ROLE_SCOPE": "session", "CHAT_MODEL": ""}, file)

    # THEN the environment counts, and an empty value is none
    assert settings.variables == {"ROLE_SCOPE": "session", "PORT": "9001"}
    assert settings.port == 9001


@pytest.mark.parametrize("port", ["eight", "0", "65536"])
def test_a_wrong_port_is_named(tmp_path: Path, port: str) -> None:
    with pytest.raises(LocalFault, match=r"^Wrong settings\. PORT: "):
        LocalSettings.read({"PORT": port}, tmp_path / ".env")


def test_with_nothing_set_all_has_defaults(tmp_path: Path) -> None:
    assert LocalSettings.read({}, tmp_path / ".env") == LocalSettings(port=8000, local_state=Path(".local"))
