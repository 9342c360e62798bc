"""One OpenAI-compatible endpoint: the only place that knows the ``openai`` client.

The client is imported on first use, because it costs more than everything else a function imports. Its own retries are
switched off: they would wait as long as ``Retry-After`` says, whatever time is left. Replies are read in pieces, so
that neither a flood nor a trickle of bytes outlasts the size and the time allowed.
"""

import json
import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from shared.aws import secrets
from shared.errors import ModelUnavailable
from shared.settings import ModelSettings

if TYPE_CHECKING:
    import openai

MAX_REPLY_BYTES = 1 << 20
"""A longer reply is garbage; an embedding batch is the largest that is not."""
MAX_RETRIES = 2
CONNECT_SECONDS = 3.0
SECRET_SECONDS = 300
OUT_OF_TIME = "The model endpoint ran out of time. Retry."
RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504})


Resource = Literal["chat.completions", "embeddings"]


class Refused(ModelUnavailable):
    """The endpoint answered with an HTTP error; ``parameter`` is the request field it names, if any."""

    def __init__(self, message: str, status_code: int, parameter: str = "") -> None:
        super().__init__(message)
        self.status_code = status_code
        self.parameter = parameter


@dataclass(frozen=True)
class Endpoint:
    """Where requests go. An empty ``base_url`` is OpenAI's own.

    Without an ``api_key`` the key is what the secret ``secret_arn`` holds, read when it is needed and kept for five
    minutes: a question is stored before, and a new key needs no deployment.
    """

    base_url: str
    api_key: str = field(repr=False, default="")
    secret_arn: str = ""

    def post(self, resource: Resource, body: Mapping[str, Any], *, seconds: float) -> dict[str, Any]:
        """Post ``body`` to ``resource`` and return the JSON object of the reply, all within ``seconds``.

        Rate limits, server errors and lost connections are retried with jitter while time is left; ``Retry-After`` is
        honoured, and a wait that would outlast the time left ends the attempt at once.

        Raises
        ------
        ModelUnavailable
            The endpoint is not configured, its key cannot be read, it could not be reached, ran out of time, or its
            reply is no JSON object.
        Refused
            The endpoint answered with an HTTP error.
        """
        deadline = time.monotonic() + seconds
        for attempt in range(MAX_RETRIES + 1):
            try:
                return self._post_once(resource, body, deadline)
            except _Retryable as failed:
                wait = _pause(attempt, failed.retry_after)
                if attempt == MAX_RETRIES or time.monotonic() + wait >= deadline:
                    raise failed.fault from None
                time.sleep(wait)
        raise AssertionError("unreachable")

    def _post_once(self, resource: Resource, body: Mapping[str, Any], deadline: float) -> dict[str, Any]:
        import httpx2
        import openai

        client = _client(self.base_url, self._key())
        left = deadline - time.monotonic()
        if left <= 0:
            raise ModelUnavailable(OUT_OF_TIME)
        timeout = openai.Timeout(left, connect=min(left, CONNECT_SECONDS))
        create = (client.embeddings if resource == "embeddings" else client.chat.completions).with_streaming_response
        try:
            with create.create(**body, timeout=timeout) as reply:
                return _object_of(_read(reply.iter_bytes(), deadline))
        except (openai.APITimeoutError, httpx2.TimeoutException):
            raise ModelUnavailable(OUT_OF_TIME) from None
        except openai.APIStatusError as refusal:
            raise _refused(refusal) from None
        except (openai.APIConnectionError, httpx2.HTTPError):
            raise _Retryable(ModelUnavailable("The model endpoint cannot be reached. Retry.")) from None
        except openai.OpenAIError:
            raise ModelUnavailable("The model endpoint is not usable as configured. Check its settings.") from None

    def _key(self) -> str:
        key = self.api_key or _secret(self.secret_arn)
        if not self.base_url and not key:
            raise ModelUnavailable("No model endpoint is configured: set OPENAI_BASE_URL, OPENAI_API_KEY or both.")
        return key or "none"


class _Retryable(Exception):
    def __init__(self, fault: ModelUnavailable, retry_after: str = "") -> None:
        super().__init__(str(fault))
        self.fault = fault
        self.retry_after = retry_after


def endpoint_of(settings: ModelSettings, base_url: str = "") -> Endpoint:
    """Return the endpoint the settings name, at ``base_url`` where given."""
    url = base_url or settings.openai_base_url
    return Endpoint(url, settings.openai_api_key, settings.openai_api_key_secret_arn)


def _secret(arn: str) -> str:
    if not arn:
        return ""
    from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

    try:
        return str(secrets().get(arn, max_age=SECRET_SECONDS)).strip()
    except GetParameterError:
        raise ModelUnavailable("The secret that OPENAI_API_KEY_SECRET_ARN names cannot be read.") from None


@lru_cache(maxsize=4)
def _client(base_url: str, api_key: str) -> "openai.OpenAI":
    import openai

    return openai.OpenAI(base_url=base_url or "https://api.openai.com/v1", api_key=api_key, max_retries=0)


def _read(pieces: Iterable[bytes], deadline: float) -> bytes:
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > MAX_REPLY_BYTES:
            raise ModelUnavailable("The model endpoint sent more than any answer needs.")
        if time.monotonic() > deadline:
            raise ModelUnavailable(OUT_OF_TIME)
    return bytes(body)


def _object_of(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ModelUnavailable("The model endpoint did not answer in the OpenAI format. Check OPENAI_BASE_URL.")
    return found


def _refused(refusal: "openai.APIStatusError") -> Exception:
    status = refusal.status_code
    if status in (401, 403):
        return Refused("The model endpoint refuses the API key. Check OPENAI_API_KEY or its secret.", status)
    fault = Refused(f"The model endpoint answered with HTTP {status}.", status, str(refusal.param or ""))
    if status in RETRIED:
        return _Retryable(fault, refusal.response.headers.get("retry-after", ""))
    return fault


def _pause(attempt: int, retry_after: str) -> float:
    """Seconds to wait: what the endpoint asks for, else half a second doubled each time, less up to a quarter."""
    try:
        asked = float(retry_after)
    except ValueError:
        asked = 0.0
    if 0 < asked < float("inf"):
        return asked
    return 0.5 * 2.0**attempt * (1 - 0.25 * random.random())  # noqa: S311 no secret depends on it
