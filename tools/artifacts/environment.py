"""What the template puts into the environment of a function."""

from collections.abc import Mapping

from tools.template import properties, template


def environment(function: str, values: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of ``function``; ``values`` are parameters that differ from their default, and resources.

    What the template does not declare is not there, as in Lambda.
    """
    defaults = {name: str(each.get("Default", "")) for name, each in template()["Parameters"].items()}
    known = defaults | {"AWS::StackName": "role-memory"} | dict(values)
    common = template()["Globals"]["Function"]["Environment"]["Variables"]
    variables = common | properties(function)["Environment"]["Variables"]
    return {name: known[each["Ref"]] if isinstance(each, dict) else str(each) for name, each in variables.items()}
