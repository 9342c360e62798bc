"""A stand-in for a model endpoint, so that the system runs with no model at hand. It is honest about what it is.

It speaks the OpenAI protocol as far as the system does, answers the same question always the same way, and remembers
the last requests at ``GET /requests``, so that one can see what a model would have been told.
"""

import json
import re
import time
from collections import deque
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.local import stand_in_role

MODEL = "stand-in"
REMEMBERED = 200
"""Requests kept for ``GET /requests``."""

HOW_TO = "set OPENAI_BASE_URL, OPENAI_API_KEY, CHAT_MODEL and ROLE_MODEL in .env and start again"
BANNER = f"""
No model is configured, so a stand-in of ours answers. It is no real model: it says so in each answer, and reads
roles by a small table of words. What it was asked can be read at {{url}}/requests.
For a real model (any OpenAI-compatible endpoint): {HOW_TO}.
"""

_GUIDANCE = "You are having a conversation with "


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True)


class _Message(_Lenient):
    role: Literal["system", "user", "assistant"]
    content: str


class _JsonSchema(_Lenient):
    name: str
    schema_: dict[str, Any] = {}
    model_config = ConfigDict(extra="ignore", alias_generator=lambda name: name.rstrip("_"))


class _Format(_Lenient):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: _JsonSchema | None = None


class Request(_Lenient):
    """The body of a chat completion request, as far as it is read."""

    model: str
    messages: list[_Message] = Field(min_length=1)
    response_format: _Format | None = None
    stream: Literal[False, None] = None


def answer(request: Request) -> str:
    """Return what the stand-in answers: an object for a schema, wherever it stands, else a few honest words."""
    said = [message.content for message in request.messages if message.role == "user"]
    asked_for = request.response_format and request.response_format.json_schema
    schema = asked_for.schema_ if asked_for else _schema_in(said)
    if schema is not None:
        return json.dumps(stand_in_role.fill(schema, "\n".join(said)), ensure_ascii=False)
    earlier = sum(message.role != "system" for message in request.messages) - 1
    guided = any(_GUIDANCE in message.content for message in request.messages if message.role == "system")
    if stand_in_role.language_of(request.messages[-1].content) == "zh":
        seen = "带有用户角色说明" if guided else "没有用户角色说明"
        return (
            f"【替身模型】这不是真正的模型，没有回答您的问题。这次请求带有之前的 {earlier} 条消息，{seen}。"
            "要使用真正的模型，请在 .env 中设置 OPENAI_BASE_URL、OPENAI_API_KEY、CHAT_MODEL 和 ROLE_MODEL，"
            "再运行 make run。"
        )
    seen = "guidance about the user's role" if guided else "no guidance about the user's role"
    return (
        f"[stand-in model] This is no real model, so your question is not answered. "
        f"The request carried {earlier} earlier messages and {seen}. For a real model, {HOW_TO}."
    )


def _schema_in(texts: list[str]) -> dict[str, Any] | None:
    """Find the JSON schema that a prompt quotes when the endpoint was asked for no format, or for any JSON."""
    for text in texts:
        for brace in re.finditer(r"\{", text):
            try:
                found, _ = json.JSONDecoder().raw_decode(text, brace.start())
            except ValueError:
                continue
            if isinstance(found, dict) and found.get("type") == "object" and "properties" in found:
                return found
    return None


class StandIn(ThreadingHTTPServer):
    """Serves on ``port`` of loopback; 0 takes any that is free."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int = 0, address: str = "127.0.0.1") -> None:
        self.requests: deque[dict[str, Any]] = deque(maxlen=REMEMBERED)
        super().__init__((address, port), _Handler)

    @property
    def url(self) -> str:
        """Where it serves; the base address of its API is ``/v1`` below."""
        return f"http://{self.server_address[0]!s}:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: StandIn
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        match self.path:
            case "/v1/models":
                self._reply({"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "local"}]})
            case "/requests":
                self._reply(list(self.server.requests))
            case _:
                self._fail(HTTPStatus.NOT_FOUND, "The stand-in knows /v1/chat/completions, /v1/models and /requests.")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path != "/v1/chat/completions":
            return self._fail(HTTPStatus.NOT_FOUND, "The stand-in knows /v1/chat/completions only.")
        try:
            request = Request.model_validate_json(body)
        except ValidationError as wrong:
            fields = ", ".join(".".join(map(str, error["loc"])) or "body" for error in wrong.errors())
            return self._fail(HTTPStatus.BAD_REQUEST, f"The stand-in cannot read: {fields}.")
        self.server.requests.append(json.loads(body))
        text = answer(request)
        read, written = sum(len(message.content) for message in request.messages), len(text)
        return self._reply(
            {
                "id": f"chatcmpl-{MODEL}-{time.monotonic_ns()}",
                "object": "chat.completion",
                "created": int(time.time()),
                "model": MODEL,
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
                "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
            }
        )

    def _fail(self, status: HTTPStatus, message: str) -> None:
        self._reply({"error": {"message": message, "type": "invalid_request_error"}}, status)

    def _reply(self, value: object, status: HTTPStatus = HTTPStatus.OK) -> None:
        body = json.dumps(value, ensure_ascii=False).encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing: what a user said reaches no log (R24)."""
