"""What one question says of its user."""

from functions.role_memory.extraction.extractor import extract

__all__ = ["extract"]
