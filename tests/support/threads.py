"""Starting things at the same moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

_T = TypeVar("_T")


class AtOnce:
    """A crew of threads that start each round together."""

    def __init__(self, size: int) -> None:
        self._pool = ThreadPoolExecutor(size)

    def __call__(self, *works: Callable[[], _T]) -> list[_T | Exception]:
        """Do all of ``works`` at once, and return what each returned or raised."""
        start = Barrier(len(works))

        def run(work: Callable[[], _T]) -> _T | Exception:
            start.wait()
            try:
                return work()
            except Exception as raised:
                return raised

        return list(self._pool.map(run, works))

    def __enter__(self) -> "AtOnce":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()
