"""Every setting is a parameter of the template with the settings' own default and range, and reaches its function."""

from typing import Any

import pytest

from functions.chat.settings import ChatSettings
from functions.memory_api.settings import MemoryApiSettings
from functions.role_memory.settings import RoleSettings
from shared.settings import Settings
from tools.template import properties, template

PARAMETERS = template()["Parameters"]
SETTINGS: dict[str, type[Settings]] = {
    "ChatFunction": ChatSettings,
    "RoleMemoryFunction": RoleSettings,
    "MemoryApiFunction": MemoryApiSettings,
}


def variables(function: str) -> dict[str, Any]:
    """Return the environment of a function, with what it has in common with the others."""
    common: dict[str, Any] = template()["Globals"]["Function"]["Environment"]["Variables"]
    own: dict[str, Any] = properties(function)["Environment"]["Variables"]
    return common | own


def deployed(function: str, **changed: Any) -> dict[str, str]:
    """Return the environment as it arrives when the parameters keep their defaults but for those ``changed``."""
    values = {name: str(changed.get(name, each.get("Default"))) for name, each in PARAMETERS.items()}
    return {
        name: value if isinstance(value, str) else values.get(value["Ref"], f"the-{value['Ref']}")
        for name, value in variables(function).items()
    }


def parameter(function: str, setting: str) -> str:
    """Return the parameter that a setting of the function comes from; empty if it names a resource."""
    source: str = variables(function)[setting.upper()]["Ref"]
    return source if source in PARAMETERS else ""


EACH_SETTING = [
    pytest.param(function, field, id=f"{function}-{field.upper()}")
    for function, model in SETTINGS.items()
    for field in model.model_fields
]


@pytest.mark.parametrize(("function", "setting"), EACH_SETTING)
def test_setting_is_declared(function: str, setting: str) -> None:
    # GIVEN a setting the function reads; THEN the template hands it over
    assert setting.upper() in variables(function)


@pytest.mark.parametrize("function", SETTINGS)
def test_nothing_is_declared_that_nobody_reads(function: str) -> None:
    # GIVEN what the template hands to a function; THEN it is a setting of it, or of the libraries
    of_libraries = {"AWS_ENDPOINT_URL"} | {name for name in variables(function) if name.startswith("POWERTOOLS_")}
    assert {name.lower() for name in variables(function).keys() - of_libraries} == SETTINGS[
        function
    ].model_fields.keys()


@pytest.mark.parametrize("function", SETTINGS)
def test_defaults_of_the_template_are_those_of_the_settings(function: str) -> None:
    # GIVEN a deployment that sets no parameter
    environment = deployed(function)
    # WHEN the function reads its settings
    read = SETTINGS[function].from_environment(environment)
    # THEN they are what they are without any variable but the names of resources
    resources = {name: value for name, value in environment.items() if value.startswith("the-")}
    assert read == SETTINGS[function].from_environment(resources)


@pytest.mark.parametrize(("function", "setting"), EACH_SETTING)
def test_what_the_template_allows_the_settings_take(function: str, setting: str) -> None:
    # GIVEN the values at the edges of what a parameter allows
    name = parameter(function, setting)
    rules = PARAMETERS.get(name, {})
    edges = [*rules.get("AllowedValues", []), *(rules[key] for key in ("MinValue", "MaxValue") if key in rules)]
    # WHEN the function starts with one of them; THEN it does start
    for value in edges:
        read = getattr(SETTINGS[function].from_environment(deployed(function, **{name: value})), setting)
        assert str(read).lower() == str(type(read)(value) if isinstance(read, float) else value).lower()
    # AND a number has edges
    assert edges or rules.get("Type") != "Number"


def test_function_has_more_time_than_its_model_call() -> None:
    # GIVEN the longest time a parameter allows the model; THEN the function has more, and the API waits for chat
    assert PARAMETERS["ChatTimeoutSeconds"]["MaxValue"] < properties("ChatFunction")["Timeout"] <= 29
    assert PARAMETERS["RoleTimeoutSeconds"]["MaxValue"] < properties("RoleMemoryFunction")["Timeout"]
    assert properties("MemoryApiFunction")["Timeout"] <= 29


def test_r24_key_in_plain_is_for_local_runs_only() -> None:
    # GIVEN the key of the model endpoint as a parameter
    # THEN the prompt for it takes no answer, which it would not if it were hidden
    assert "NoEcho" not in PARAMETERS["OpenAiApiKey"]
    # AND a deployment without an emulator refuses it
    key, emulator = {"OpenAiApiKey": "k"}, {"AwsEndpointUrl": "http://127.0.0.1:1"}
    assert [broken for broken in broken_rules(**key) if "Secrets Manager" in broken]
    assert not broken_rules(**key, **emulator)


def test_r22_jwt_demands_issuer_and_audience() -> None:
    # GIVEN JWT with an incomplete configuration; THEN the deployment is refused with what is missing
    (no_audience,) = broken_rules(AuthMode="JWT", JwtIssuer="https://issuer.example")
    (no_issuer,) = broken_rules(AuthMode="JWT", JwtAudience="memory")
    assert "JwtAudience" in no_audience
    assert "JwtIssuer" in no_issuer
    # AND accepted when it is complete, as is IAM without any
    assert not broken_rules(AuthMode="JWT", JwtIssuer="https://issuer.example", JwtAudience="memory")
    assert not broken_rules()


def broken_rules(**changed: str) -> list[str]:
    """Return what CloudFormation would refuse a deployment with."""
    values = {name: changed.get(name, each.get("Default")) for name, each in PARAMETERS.items()}

    def holds(term: Any) -> Any:
        if not isinstance(term, dict):
            return term
        ((function, argument),) = term.items()
        match function:
            case "Ref":
                return values[argument]
            case "Fn::Equals":
                return holds(argument[0]) == holds(argument[1])
            case "Fn::Not":
                return not holds(argument[0])
        raise AssertionError(f"{function} is new in the rules")

    return [
        assertion["AssertDescription"]
        for rule in template()["Rules"].values()
        if holds(rule["RuleCondition"])
        for assertion in rule["Assertions"]
        if not holds(assertion["Assert"])
    ]
