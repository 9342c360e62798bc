"""The one way to a model endpoint: what goes wrong on the wire, and how long it may take (docs/rules.md, Models)."""

import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from shared.aws import secrets
from shared.errors import ModelUnavailable
from shared.model.endpoint import MAX_REPLY_BYTES, Endpoint, Refused, endpoint_of
from shared.settings import ModelSettings
from tests.unit.model.scripted import Reply, endpoint_of_script, refused, said

QUESTION = {"model": "m", "messages": [{"role": "user", "content": "what only the user may know"}]}


def post(base_url: str, seconds: float = 5) -> dict[str, object]:
    return Endpoint(base_url, "sk-very-secret").post("chat.completions", QUESTION, seconds=seconds)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_retried_and_tells_no_secret(status: int) -> None:
    """R24: neither key, nor question, nor what the endpoint answered reaches the error."""
    # GIVEN an endpoint that refuses and repeats what it was sent
    with (
        endpoint_of_script(refused(status, "sk-very-secret: what only the user may know")) as script,
        pytest.raises(Refused) as failed,
    ):
        # WHEN it is asked
        post(script.base_url)
    # THEN it was asked once, and the error names the status or the setting alone
    assert len(script.bodies) == 1
    assert failed.value.status_code == status
    assert "secret" not in str(failed.value).replace("its secret", "")
    assert "user may know" not in str(failed.value)
    assert failed.value.__cause__ is None


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_endpoint_that_fails_for_a_moment_is_asked_again(status: int) -> None:
    # GIVEN one failure that names no time to wait
    with endpoint_of_script(refused(status), said("here")) as script:
        # WHEN it is asked
        reply = post(script.base_url)
    # THEN the second answer counts
    assert reply["id"] == "c1"
    assert len(script.bodies) == 2


def test_retry_after_is_honoured() -> None:
    # GIVEN a rate limit that asks to wait
    with endpoint_of_script(refused(429, retry_after="1"), said("here")) as script:
        # WHEN it is asked
        started = time.monotonic()
        post(script.base_url)
    # THEN the second request came after that time
    assert time.monotonic() - started >= 1
    assert len(script.bodies) == 2


def test_a_wait_that_does_not_fit_the_budget_is_not_begun() -> None:
    # GIVEN a rate limit that asks to wait longer than there is time
    started = time.monotonic()
    with endpoint_of_script(refused(429, retry_after="30")) as script, pytest.raises(Refused):
        # WHEN it is asked
        post(script.base_url, seconds=2)
    # THEN it fails at once
    assert time.monotonic() - started < 1
    assert len(script.bodies) == 1


def test_retries_are_bounded() -> None:
    # GIVEN an endpoint that fails for good
    with endpoint_of_script(refused(503)) as script, pytest.raises(Refused):
        # WHEN it is asked
        post(script.base_url, seconds=20)
    # THEN it was asked three times
    assert len(script.bodies) == 3


def test_a_trickle_of_bytes_does_not_outlast_the_budget() -> None:
    # GIVEN an endpoint that sends a byte now and then
    started = time.monotonic()
    with (
        endpoint_of_script(Reply(b" " * 200, trickle=0.05)) as script,
        pytest.raises(ModelUnavailable, match="out of time"),
    ):
        # WHEN it is asked with less time than its answer takes
        post(script.base_url, seconds=0.5)
    # THEN the call ends with the budget
    assert time.monotonic() - started < 4


def test_a_silent_endpoint_does_not_outlast_the_budget() -> None:
    # GIVEN an endpoint that accepts and then says nothing
    started = time.monotonic()
    with endpoint_of_script(Reply(b"  ", trickle=5)) as script, pytest.raises(ModelUnavailable, match="out of time"):
        # WHEN it is asked
        post(script.base_url, seconds=0.4)
    # THEN the call ends with the budget
    assert time.monotonic() - started < 4


def test_a_flood_is_not_read_to_its_end() -> None:
    # GIVEN a reply of three megabytes
    with (
        endpoint_of_script(Reply(b"[" * 3 * MAX_REPLY_BYTES)) as script,
        pytest.raises(ModelUnavailable, match="more than any answer needs"),
    ):
        # WHEN it is asked, THEN it is refused
        post(script.base_url)


@pytest.mark.parametrize("body", [b"<html>gateway</html>", b"[]", b'"text"', b"", b"[" * 100_000, b"\xff\xfe"])
def test_what_is_not_the_openai_format_is_said_to_be_so(body: bytes) -> None:
    # GIVEN a reply that is no JSON object
    with endpoint_of_script(Reply(body)) as script, pytest.raises(ModelUnavailable, match="OPENAI_BASE_URL"):
        # WHEN it is asked, THEN the error points at the address
        post(script.base_url)


def test_nobody_listening_is_an_endpoint_that_cannot_be_reached() -> None:
    # GIVEN a port nobody listens on, WHEN it is asked, THEN the error says so in time
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        post("http://127.0.0.1:9/v1", seconds=3)


def test_without_address_and_key_nothing_is_asked() -> None:
    # GIVEN settings that name no endpoint, WHEN it is asked, THEN the error names the settings
    with pytest.raises(ModelUnavailable, match="OPENAI_BASE_URL"):
        endpoint_of(ModelSettings()).post("chat.completions", QUESTION, seconds=5)


def test_the_key_is_in_no_representation() -> None:
    """R24."""
    assert "sk-very" not in repr(Endpoint("http://127.0.0.1", "sk-very-secret"))


@pytest.fixture
def vault() -> Iterator[Any]:
    """Return a secrets manager whose secrets nobody has read yet."""
    secrets.cache_clear()
    with mock_aws():
        yield boto3.client("secretsmanager", region_name="us-east-1")
    secrets.cache_clear()


def test_the_key_is_read_when_it_is_needed_and_again_when_it_is_old(
    vault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GIVEN a secret, and an endpoint whose settings name it
    arn = vault.create_secret(Name="key", SecretString="sk-first\n")["ARN"]
    with endpoint_of_script(said("here")) as script:
        endpoint = endpoint_of(ModelSettings(openai_base_url=script.base_url, openai_api_key_secret_arn=arn))

        def sent_key() -> str:
            endpoint.post("chat.completions", QUESTION, seconds=5)
            return script.keys[-1]

        # WHEN it is asked, THEN it sends the key without the line break
        monkeypatch.setattr("shared.model.endpoint.SECRET_SECONDS", 2)
        assert sent_key() == "Bearer sk-first"
        # AND a new key is sent once the old one has been kept for its time
        vault.put_secret_value(SecretId=arn, SecretString="sk-second")
        assert sent_key() == "Bearer sk-first"
        time.sleep(2.1)
        assert sent_key() == "Bearer sk-second"


def test_a_secret_that_cannot_be_read_is_a_sentence_without_its_name(vault: Any) -> None:
    # GIVEN settings that name a secret that is not there
    arn = "arn:aws:secretsmanager:us-east-1:123456789012:secret:not-there"
    # WHEN the endpoint is asked
    with pytest.raises(ModelUnavailable) as failed:
        endpoint_of(ModelSettings(openai_api_key_secret_arn=arn)).post("chat.completions", QUESTION, seconds=5)
    # THEN the error names the setting
    assert "OPENAI_API_KEY_SECRET_ARN" in str(failed.value)
    assert "not-there" not in str(failed.value)


def test_importing_the_adapter_does_not_import_the_client() -> None:
    # GIVEN a fresh interpreter, WHEN the adapters are imported
    code = "import sys, shared.model.openai, shared.model.endpoint; print('openai' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    # THEN the client is not loaded yet
    assert ran.stdout.strip() == "False"
