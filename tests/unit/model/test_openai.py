"""Chat answers and embeddings, as the endpoint gives them."""

import json

import pytest

from shared.errors import ModelUnavailable
from shared.model.endpoint import Endpoint
from shared.model.openai import OpenAIChat, OpenAIEmbedder
from shared.model.ports import ChatMessage
from tests.unit.model.scripted import Reply, endpoint_of_script, said

MESSAGES: list[ChatMessage] = [{"role": "user", "content": "hello"}]


@pytest.mark.parametrize("body", [said(""), said(None), said("  \n"), Reply(b'{"id":"c","choices":[]}'), Reply(b"{}")])
def test_an_answer_with_nothing_in_it_is_a_failure(body: Reply) -> None:
    # GIVEN an endpoint that answers with nothing
    with endpoint_of_script(body) as script, pytest.raises(ModelUnavailable, match="nothing"):
        # WHEN it is asked, THEN the reply says to retry
        OpenAIChat(Endpoint(script.base_url, "k"), "m").answer(MESSAGES, seconds=5)


def test_a_withheld_answer_says_why() -> None:
    # GIVEN a content filter that leaves nothing
    with (
        endpoint_of_script(said(None, "content_filter")) as script,
        pytest.raises(ModelUnavailable, match="content filter"),
    ):
        # WHEN it is asked, THEN the error says what to do
        OpenAIChat(Endpoint(script.base_url, "k"), "m").answer(MESSAGES, seconds=5)


def test_choices_of_the_wrong_type_are_a_failure() -> None:
    # GIVEN a reply that is an object but no completion
    with (
        endpoint_of_script(Reply(b'{"choices":{"message":"hi"}}')) as script,
        pytest.raises(ModelUnavailable, match="OpenAI format"),
    ):
        # WHEN it is asked, THEN it is not mistaken for an answer
        OpenAIChat(Endpoint(script.base_url, "k"), "m").answer(MESSAGES, seconds=5)


def test_without_a_model_nothing_is_asked() -> None:
    # GIVEN no model name, WHEN an answer is wanted, THEN the error names the settings
    with pytest.raises(ModelUnavailable, match="CHAT_MODEL"):
        OpenAIChat(Endpoint("http://127.0.0.1:9/v1", "k"), "").answer(MESSAGES, seconds=5)


def test_an_answer_keeps_its_text_and_names_its_end_in_upper_case() -> None:
    # GIVEN an answer that was cut off
    with endpoint_of_script(said(" Hello. ", "length")) as script:
        # WHEN it is asked
        answer = OpenAIChat(Endpoint(script.base_url, "k"), "m").answer(MESSAGES, seconds=5)
    # THEN the text is as it was written, and the request asked for no format
    assert (answer.id, answer.text, answer.finish_reason, answer.model) == ("c1", " Hello. ", "LENGTH", "served")
    assert script.bodies == [{"model": "m", "messages": MESSAGES}]


def test_an_endpoint_that_names_no_model_or_end_is_understood() -> None:
    # GIVEN a lean endpoint, with content in parts
    lean = {"choices": [{"message": {"content": [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]}}]}
    with endpoint_of_script(Reply(json.dumps(lean).encode())) as script:
        # WHEN it is asked
        answer = OpenAIChat(Endpoint(script.base_url, "k"), "m").answer(MESSAGES, seconds=5)
    # THEN what it left out is filled in
    assert (answer.id, answer.text, answer.finish_reason, answer.model) == ("", "Hello", "STOP", "m")


def test_vectors_come_in_the_order_of_the_texts() -> None:
    # GIVEN an endpoint that answers out of order
    data = [{"index": 1, "embedding": [0.0, 1.0]}, {"index": 0, "embedding": [1.0, 0.0]}]
    with endpoint_of_script(Reply(json.dumps({"data": data}).encode())) as script:
        # WHEN two texts are embedded
        vectors = OpenAIEmbedder(Endpoint(script.base_url, "k"), "e").embed(["a", "b"], seconds=5)
    # THEN the vectors are in order, and were asked for as numbers
    assert vectors == [[1.0, 0.0], [0.0, 1.0]]
    assert script.bodies[0] == {"model": "e", "input": ["a", "b"], "encoding_format": "float"}


@pytest.mark.parametrize("data", [[], [{"index": 0, "embedding": []}], [{"index": 0, "embedding": [1.0]}] * 3])
def test_a_vector_too_few_or_too_many_is_a_failure(data: list[object]) -> None:
    # GIVEN an endpoint that loses count
    with endpoint_of_script(Reply(json.dumps({"data": data}).encode())) as script, pytest.raises(ModelUnavailable):
        # WHEN one text is embedded, THEN the answer is not used
        OpenAIEmbedder(Endpoint(script.base_url, "k"), "e").embed(["a"], seconds=5)
