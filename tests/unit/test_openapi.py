"""The OpenAPI document is what the code says."""

from tools.openapi import OPENAPI, text


def test_document_is_not_stale() -> None:
    """``python -m tools.openapi`` writes it anew."""
    assert OPENAPI.read_text(encoding="utf-8") == text(), "stale: run `python -m tools.openapi`"


def test_document_knows_every_call() -> None:
    document = OPENAPI.read_text(encoding="utf-8")
    for call in ("/api/chat", "/api/user/memory/rollback", "/api/user/export", "/api/health", "nextCursor"):
        assert f'"{call}"' in document
