"""Writes ``docs/openapi.json`` from the routes of the functions: ``python -m tools.openapi``."""

import json
import os
from pathlib import Path
from typing import Any

OPENAPI = Path(__file__).parents[1] / "docs" / "openapi.json"
_ERRORS = {
    "400": "The request is at fault; `errors` says where.",
    "401": "Nobody vouches for the caller.",
    "404": "What was named does not exist.",
    "409": "The request does not fit the state of things.",
    "415": "The body is not JSON.",
    "500": "Something failed on our side.",
    "502": "The model endpoint failed; retry with the same message_id.",
    "503": "The store is busy; retry.",
}
_ONLY_FOR = {"415": "post", "502": "/api/chat"}


def document() -> dict[str, Any]:
    """Return the OpenAPI document of the whole API."""
    # The handlers read their settings when they are imported; what these say has no part in the document.
    for name in ("CONVERSATION_TABLE", "ROLE_MEMORY_TABLE", "DOORBELL_QUEUE_URL"):
        os.environ.setdefault(name, "unused")
    from functions.chat import handler as chat
    from functions.memory_api import handler as memory_api
    from shared import __version__
    from shared.http.envelope import ErrorReply

    whole: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Role Memory",
            "version": __version__,
            "description": "Memory for LLM chat: the conversation, and who the user is.",
        },
        "paths": {},
        "components": {
            "schemas": {},
            "securitySchemes": {
                "trustedBackend": {"type": "apiKey", "in": "header", "name": "X-User-Id"},
                "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
            },
        },
        "security": [{"trustedBackend": []}, {"token": []}],
    }
    for function in (chat, memory_api):
        part = json.loads(function.app.get_openapi_json_schema())
        whole["paths"] |= part["paths"]
        whole["components"]["schemas"] |= part.get("components", {}).get("schemas", {})
    schemas = whole["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError", "ResponseValidationError"):
        schemas.pop(unused, None)
    error = ErrorReply.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    schemas |= error.pop("$defs", {})
    schemas["ErrorReply"] = error
    for path, methods in whole["paths"].items():
        for method, operation in methods.items():
            _describe_errors(path, method, operation)
    return whole


def _describe_errors(path: str, method: str, operation: dict[str, Any]) -> None:
    operation["responses"].pop("422", None)
    for status, meaning in _ERRORS.items():
        if _ONLY_FOR.get(status, path) in (path, method):
            content = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorReply"}}}
            operation["responses"][status] = {"description": meaning, "content": content}


def text() -> str:
    """Return the document as it stands in the file."""
    return json.dumps(document(), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    OPENAPI.write_text(text(), encoding="utf-8")
