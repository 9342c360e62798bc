"""The HTTP API of the template: its routes, who may call them, and what the gateway itself answers."""

import json
from typing import Any

import pytest

from shared.http.envelope import error_reply
from tools import openapi
from tools.template import properties, template

API = properties("Api")
BODY = API["DefinitionBody"]
RESPONSES = API["GatewayResponses"]
CLOSED: list[dict[str, list[str]]] = [{"caller": []}]

Route = tuple[str, str]


def routes_of_events() -> dict[Route, str]:
    """Return every route an event of a function makes, with the function."""
    return {
        (event["Properties"]["Method"], event["Properties"]["Path"]): name
        for name, each in template()["Resources"].items()
        if each["Type"] == "AWS::Serverless::Function"
        for event in each["Properties"].get("Events", {}).values()
        if event["Type"] == "Api"
    }


def routes(paths: dict[str, Any]) -> set[Route]:
    """Return the routes of an OpenAPI document's paths."""
    return {(method, path) for path, methods in paths.items() for method in methods}


def test_every_call_of_the_functions_is_a_route_and_no_other() -> None:
    # GIVEN the calls the functions answer; WHEN they are deployed
    # THEN the gateway has exactly these
    assert set(routes_of_events()) == routes(openapi.document()["paths"])


def test_chat_is_a_function_of_its_own() -> None:
    # GIVEN the routes; THEN chat goes to chat and all others to the memory API
    by_function = routes_of_events()
    assert by_function.pop(("post", "/api/chat")) == "ChatFunction"
    assert set(by_function.values()) == {"MemoryApiFunction"}


def test_r22_every_route_is_closed() -> None:
    # GIVEN the routes; THEN each one, and nothing more, demands a caller
    assert routes(BODY["paths"]) == set(routes_of_events())
    for path, methods in BODY["paths"].items():
        for method, operation in methods.items():
            assert operation["security"] == CLOSED, f"{method} {path} is open"


def test_calls_with_a_body_take_nothing_but_a_json_object() -> None:
    # GIVEN the calls that take a body
    documented = openapi.document()["paths"]
    takes = {route for route in routes(documented) if "requestBody" in documented[route[1]][route[0]]}
    # THEN the gateway looks at the body of these, and at nothing else
    assert BODY["x-amazon-apigateway-request-validators"]["body"]["validateRequestBody"] is True
    operations = {(method, path): BODY["paths"][path][method] for method, path in routes(BODY["paths"])}
    assert {route for route, each in operations.items() if "x-amazon-apigateway-request-validator" in each} == takes
    for route in takes:
        assert operations[route]["x-amazon-apigateway-request-validator"] == "body"
        (body,) = operations[route]["parameters"]
        assert (body["in"], body["required"]) == ("body", True)
        name = body["schema"]["$ref"].removeprefix("#/definitions/")
        assert BODY["definitions"][name] == {"type": "object"}
    # AND refuses it in the envelope
    assert RESPONSES["BAD_REQUEST_BODY"]["StatusCode"] == 400


def test_r22_caller_is_verified_in_either_mode() -> None:
    # GIVEN the one scheme that all routes demand
    (name,) = BODY["securityDefinitions"]
    condition, with_jwt, with_iam = BODY["securityDefinitions"][name]["Fn::If"]
    assert (name, condition) == ("caller", "UsesJwt")
    assert template()["Conditions"][condition] == {"Fn::Equals": [{"Ref": "AuthMode"}, "JWT"]}
    # THEN without JWT the request is signed for IAM
    assert with_iam["x-amazon-apigateway-authtype"] == "awsSigv4"
    # AND with JWT the authorizer decides, whose answer is kept for a minute at most
    authorizer = with_jwt["x-amazon-apigateway-authorizer"]
    assert "${AuthorizerFunction.Arn}" in authorizer["authorizerUri"]["Fn::Sub"]
    assert (with_jwt["name"], with_jwt["in"], authorizer["type"]) == ("Authorization", "header", "token")
    assert authorizer["authorizerResultTtlInSeconds"] <= 60


def test_r22_a_change_of_mode_reaches_the_stage() -> None:
    # GIVEN that SAM redeploys when the text of the API changes, which a parameter is not; THEN it always redeploys
    assert API["AlwaysDeploy"] is True


def test_r22_there_is_one_stage() -> None:
    # GIVEN that SAM adds a stage without any settings unless a version is named; THEN one is named
    assert API["OpenApiVersion"] == BODY["swagger"] == "2.0"


@pytest.mark.parametrize("kind", RESPONSES)
def test_gateway_answers_in_the_envelope(kind: str) -> None:
    # GIVEN an error the gateway answers itself
    response = RESPONSES[kind]
    # THEN its body is the envelope, with the status as its code and a sentence to act on
    (body,) = response["ResponseTemplates"].values()
    envelope = json.loads(body)
    assert envelope == error_reply(response["StatusCode"], envelope["message"]).to_json()
    assert envelope["message"].endswith(".")
    assert len(envelope["message"].split()) > 5
    # AND no variable of the gateway, which could repeat the request, is expanded into it
    assert "$" not in body
    # AND the reply says which request it was
    assert response["ResponseParameters"] == {"Headers": {"X-Request-Id": "context.requestId"}}


def test_gateway_answers_every_error_in_the_envelope() -> None:
    # GIVEN the errors a caller can act on, each with its own sentence
    specific = {"UNAUTHORIZED": 401, "ACCESS_DENIED": 403, "REQUEST_TOO_LARGE": 413, "THROTTLED": 429}
    specific |= {"MISSING_AUTHENTICATION_TOKEN": 403, "EXPIRED_TOKEN": 403, "INVALID_SIGNATURE": 403}
    specific |= {"INTEGRATION_FAILURE": 502, "INTEGRATION_TIMEOUT": 504}
    assert specific.items() <= {kind: each["StatusCode"] for kind, each in RESPONSES.items()}.items()
    # AND the rest; THEN none is left with AWS's own body
    assert {"DEFAULT_4XX", "DEFAULT_5XX"} <= RESPONSES.keys()


def test_api_is_regional_throttled_and_traced() -> None:
    # GIVEN the stage; THEN it is regional and traced
    assert API["EndpointConfiguration"] == {"Type": "REGIONAL"}
    assert API["TracingEnabled"] is True
    # AND every method is throttled, also the one with settings of its own, which inherit nothing
    settings = API["MethodSettings"]
    assert ("*", "/*") in {(each["HttpMethod"], each["ResourcePath"]) for each in settings}
    for each in settings:
        assert each["ThrottlingRateLimit"] == {"Ref": "ThrottleRate"}
        assert each["ThrottlingBurstLimit"] == {"Ref": "ThrottleBurst"}


def test_r24_gateway_logs_nothing_a_user_said() -> None:
    # GIVEN the stage; THEN bodies are not logged
    assert all(each["DataTraceEnabled"] is False for each in API["MethodSettings"])
    # AND a line of the access log is JSON of what is known to be harmless: no query, header, caller or body
    line = json.loads(API["AccessLogSetting"]["Format"])
    assert {value.removeprefix("$context.") for value in line.values()} == {
        "requestId",
        "requestTime",
        "httpMethod",
        "resourcePath",
        "status",
        "error.responseType",
        "responseLatency",
        "integrationLatency",
        "responseLength",
    }
