"""Reading on through pages of a query until enough of what was found is alive (R8)."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from shared.store.dynamo import Page
from shared.store.step import Item

Found = TypeVar("Found")
Living = Callable[[Sequence[Item]], list[Found]]
"""Returns the records of the items that have not expired."""


def newest(pages: Iterable[Page], living: "Living[Found]", count: int) -> list[Found]:
    """Return up to ``count`` records of ``pages``, which are newest first, oldest first."""
    found: list[Found] = []
    for page in pages:
        found += living(page.items)
        if len(found) >= count:
            break
    return found[:count][::-1]


def first_page(pages: Iterable[Page], living: "Living[Found]", limit: int) -> tuple[list[Found], bool]:
    """Return up to ``limit`` records of the first page that holds one, and whether there is more behind them.

    The query asks for one item more than ``limit``, so that a full last page is known to be the last.
    """
    for page in pages:
        if found := living(page.items):
            return found[:limit], page.more or len(found) > limit
    return [], False
