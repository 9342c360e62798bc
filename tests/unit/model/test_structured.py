"""A JSON object from endpoints that take json_schema, json_object, or neither (docs/rules.md, Models)."""

import json
import time
from collections.abc import Mapping
from typing import Any

import pytest

from shared.errors import ModelOutputUnusable, ModelUnavailable
from shared.model.endpoint import Endpoint
from shared.model.ports import ChatMessage, Check, Structured
from shared.model.structured import OpenAIStructured
from shared.records import Tokens
from tests.unit.model.scripted import Reply, Script, endpoint_of_script, refused, said

MESSAGES: list[ChatMessage] = [{"role": "system", "content": "read"}, {"role": "user", "content": "data"}]
SCHEMA = {"type": "object", "properties": {"role": {"type": "string"}}, "required": ["role"]}


def model_of(script: Script) -> OpenAIStructured:
    return OpenAIStructured(Endpoint(script.base_url, "k"), "m")


def ask(
    script: Script, check: Check | None = None, seconds: float = 8, model: OpenAIStructured | None = None
) -> Structured:
    return (model or model_of(script)).ask("role_extract", MESSAGES, SCHEMA, seconds=seconds, check=check)


def formats(script: Script) -> list[str]:
    return [body.get("response_format", {"type": "text"})["type"] for body in script.bodies]


def test_an_endpoint_that_takes_a_schema_gets_it_once_and_nothing_else() -> None:
    # GIVEN an endpoint that answers with the object
    with endpoint_of_script(said('{"role":"nurse"}')) as script:
        # WHEN it is asked
        answer = ask(script)
    # THEN the request names the schema, and the prompt does not repeat it
    assert answer == Structured({"role": "nurse"}, "served", Tokens(input=7, output=3))
    (body,) = script.bodies
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "role_extract", "schema": SCHEMA, "strict": True},
    }
    assert body["messages"] == MESSAGES
    assert body["temperature"] == 0
    assert body["max_tokens"] <= 1000


@pytest.mark.parametrize("status", [400, 404, 415, 422])
def test_a_refused_schema_falls_back_to_an_object_and_that_is_remembered(status: int) -> None:
    # GIVEN an endpoint that refuses json_schema
    with endpoint_of_script(refused(status), said('{"role":"nurse"}'), said('{"role":"cook"}')) as script:
        # WHEN it is asked twice
        model = model_of(script)
        first, second = ask(script, model=model), ask(script, model=model)
    # THEN only the first question tried the schema, and the prompts carry it instead
    assert (first.fields, second.fields) == ({"role": "nurse"}, {"role": "cook"})
    assert formats(script) == ["json_schema", "json_object", "json_object"]
    assert json.dumps(SCHEMA, separators=(",", ":")) in script.bodies[1]["messages"][-1]["content"]


def test_a_server_error_that_stays_counts_as_a_refusal_of_the_schema() -> None:
    # GIVEN an endpoint that fails on json_schema each time it is tried
    with endpoint_of_script(refused(500), refused(500), refused(500), said('{"role":"nurse"}')) as script:
        # WHEN it is asked
        answer = ask(script)
    # THEN it was asked again in the next format
    assert answer.fields == {"role": "nurse"}
    assert formats(script) == ["json_schema"] * 3 + ["json_object"]


FAILING_SCHEMA = [refused(501), said('{"role":"nurse"}')]


def test_a_server_error_that_passes_is_not_held_against_the_schema() -> None:
    # GIVEN an endpoint that fails once, is fine, and fails once more
    fine = said('{"role":"nurse"}')
    with endpoint_of_script(*FAILING_SCHEMA, fine, *FAILING_SCHEMA, fine) as script:
        # WHEN it is asked four times
        model = model_of(script)
        for _ in range(4):
            ask(script, model=model)
    # THEN each question opens with the schema
    assert formats(script) == ["json_schema", "json_object", "json_schema", "json_schema", "json_object", "json_schema"]


def test_a_server_error_twice_in_a_row_is_remembered() -> None:
    # GIVEN an endpoint that fails on json_schema each time, and names a parameter it does not take
    refusal = refused(400, parameter="max_tokens")
    with endpoint_of_script(refusal, *FAILING_SCHEMA, *FAILING_SCHEMA, said('{"role":"nurse"}')) as script:
        # WHEN it is asked three times
        model = model_of(script)
        for _ in range(3):
            ask(script, model=model)
    # THEN the third question opens with an object, and the parameter was sent once
    assert formats(script)[1:] == ["json_schema", "json_object", "json_schema", "json_object", "json_object"]
    assert ["max_tokens" in body for body in script.bodies] == [True, False, False, False, False, False]


def test_plain_text_is_the_last_resort() -> None:
    # GIVEN an endpoint that takes no response_format
    with endpoint_of_script(refused(400), refused(400), said('Sure: {"role":"nurse"}')) as script:
        # WHEN it is asked
        answer = ask(script)
    # THEN the object is found in the text
    assert answer.fields == {"role": "nurse"}
    assert formats(script) == ["json_schema", "json_object", "text"]


def test_an_endpoint_that_refuses_everything_is_unavailable_and_nothing_is_remembered() -> None:
    # GIVEN an endpoint that does not know the model
    with endpoint_of_script(refused(404)) as script:
        model = model_of(script)
        for _ in range(2):
            # WHEN it is asked
            with pytest.raises(ModelUnavailable):
                ask(script, model=model)
    # THEN every format was tried, and the next question starts with the best again
    assert formats(script) == ["json_schema", "json_object", "text"] * 2


@pytest.mark.parametrize("status", [401, 429])
def test_a_refusal_of_the_caller_is_no_refusal_of_the_format(status: int) -> None:
    # GIVEN an endpoint that refuses whoever asks
    with endpoint_of_script(refused(status, retry_after="60")) as script, pytest.raises(ModelUnavailable):
        # WHEN it is asked, THEN no other format is tried
        ask(script)
    assert formats(script) == ["json_schema"]


def test_a_reasoning_model_gets_the_parameters_it_takes() -> None:
    # GIVEN a model that refuses max_tokens, then temperature
    with endpoint_of_script(
        refused(400, parameter="max_tokens"), refused(400, parameter="temperature"), said('{"role":"nurse"}')
    ) as script:
        # WHEN it is asked
        ask(script)
    # THEN the last request has neither, and still the schema
    assert formats(script) == ["json_schema"] * 3
    assert {"max_tokens", "temperature"}.isdisjoint(script.bodies[-1])
    assert script.bodies[-1]["max_completion_tokens"] > 1000


def unusable(reply: Reply) -> tuple[str, Script]:
    with endpoint_of_script(reply) as script, pytest.raises(ModelOutputUnusable) as failed:
        ask(script)
    return str(failed.value), script


@pytest.mark.parametrize(
    "reply",
    [
        said("I would rather not."),
        said("{}"),
        said('{"role": "nur'),
        said('{"role":"nurse"}', "length"),
        said(None, "content_filter"),
        Reply(b'{"choices":[]}'),
    ],
)
def test_a_bad_answer_is_asked_for_once_more_and_then_given_up(reply: Reply) -> None:
    # GIVEN a model that answers badly, always
    # WHEN it is asked
    message, script = unusable(reply)
    # THEN it was told what was wrong, with the schema, exactly once
    assert len(script.bodies) == 2
    reminder = script.bodies[1]["messages"][-1]
    assert reminder["role"] == "user"
    assert reminder["content"].startswith("That cannot be used.")
    assert '"properties"' in reminder["content"]
    assert "role_extract" in message


def test_the_second_answer_counts_and_both_are_paid_for() -> None:
    # GIVEN a model that corrects itself
    with endpoint_of_script(said("?", tokens=(10, 1)), said('{"role":"nurse"}', tokens=(20, 2))) as script:
        # WHEN it is asked
        answer = ask(script)
    # THEN the tokens of both answers are counted
    assert answer.fields == {"role": "nurse"}
    assert answer.tokens == Tokens(input=30, output=3)


def test_what_the_caller_finds_wrong_is_told_to_the_model() -> None:
    # GIVEN a caller that accepts no cooks
    def no_cooks(fields: Mapping[str, Any]) -> str | None:
        return "Cooks do not count." if fields["role"] == "cook" else None

    with endpoint_of_script(said('{"role":"cook"}'), said('{"role":"nurse"}')) as script:
        # WHEN it is asked
        answer = ask(script, no_cooks)
    # THEN the model heard why, and its second answer counts
    assert "Cooks do not count." in script.bodies[1]["messages"][-1]["content"]
    assert answer.fields == {"role": "nurse"}


def test_both_answers_share_one_budget() -> None:
    # GIVEN a model that answers badly, and then not at all
    started = time.monotonic()
    with endpoint_of_script(said("?"), Reply(b"  ", trickle=5)) as script, pytest.raises(ModelUnavailable):
        # WHEN it is asked
        ask(script, seconds=1)
    # THEN the budget holds for both together
    assert len(script.bodies) == 2
    assert time.monotonic() - started < 4
