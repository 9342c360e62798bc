"""The event files say what API Gateway and the queue really send, for every call there is."""

import json
from pathlib import Path
from typing import Any

import pytest

from shared.queue import Doorbell
from tools.artifacts.story import EVENTS, STORY
from tools.template import properties

ROOT = Path(__file__).parents[2]
PATHS: dict[str, Any] = json.loads((ROOT / "docs" / "openapi.json").read_text("utf-8"))["paths"]
CALLS = [scene for scene in STORY if scene.function != "RoleMemoryFunction"]


def test_each_call_of_the_document_and_the_doorbell_have_one_event() -> None:
    # GIVEN the calls of the OpenAPI document
    calls = [(method, path) for path, methods in PATHS.items() for method in methods]
    # THEN each has one event file, and no other file is there
    assert sorted((scene.event["httpMethod"].lower(), scene.event["path"]) for scene in CALLS) == sorted(calls)
    assert sorted(file.name for file in EVENTS.iterdir()) == sorted(scene.file.name for scene in STORY)


@pytest.mark.parametrize("scene", CALLS, ids=lambda scene: scene.name)
def test_event_is_for_the_function_that_serves_it(scene: Any) -> None:
    # GIVEN an event; THEN the template routes its call to that function
    routes = [event["Properties"] for event in properties(scene.function)["Events"].values()]
    served = [(route["Method"].upper(), route["Path"]) for route in routes]
    assert (scene.event["httpMethod"], scene.event["resource"]) in served


@pytest.mark.parametrize("scene", CALLS, ids=lambda scene: scene.name)
def test_event_asks_for_what_the_call_takes(scene: Any) -> None:
    # GIVEN an event and its call
    event = scene.event
    call = PATHS[event["path"]][event["httpMethod"].lower()]
    # THEN it gives every parameter that is needed, and none that is unknown
    known = {parameter["name"]: parameter.get("required", False) for parameter in call.get("parameters", [])}
    given = set(event["queryStringParameters"] or {})
    assert {name for name, needed in known.items() if needed} <= given <= set(known)
    # AND a body where there is one
    assert ("requestBody" in call) == (event["body"] is not None)
    # AND says everything twice, as API Gateway does
    assert event["multiValueHeaders"] == {name: [value] for name, value in event["headers"].items()}


def test_r3_doorbell_event_carries_no_content() -> None:
    # GIVEN the event of the queue; THEN its body is a doorbell and nothing else
    (scene,) = (scene for scene in STORY if scene.function == "RoleMemoryFunction")
    (record,) = scene.event["Records"]
    assert Doorbell.model_validate_json(record["body"]).to_json() == json.loads(record["body"])
