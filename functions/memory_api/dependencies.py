"""What the handler's routes depend on, made once a process; none of it knows a user."""

from functools import cache
from typing import Annotated

from aws_lambda_powertools.event_handler import Depends, Request

from functions.memory_api.changing import MemoryChanging
from functions.memory_api.export import Export
from functions.memory_api.reading import MemoryReading
from functions.memory_api.settings import MemoryApiSettings, settings
from shared.aws import dynamodb_client
from shared.clock import Clock, utc_now
from shared.errors import MemoryDisabled
from shared.http.identity import caller_under
from shared.store.stores import Stores

Config = Annotated[MemoryApiSettings, Depends(settings)]


caller = caller_under(settings)


def memory_enabled(config: Config) -> None:
    """Let pass what needs memory.

    Raises
    ------
    MemoryDisabled
        Memory is switched off.
    """
    if not config.short_term_memory_enabled:
        raise MemoryDisabled


@cache
def stores() -> Stores:
    """Return the stores of this process."""
    return Stores.over(dynamodb_client(), settings())


def stores_in_time(
    request: Request, of_process: Annotated[Stores, Depends(stores)], _: Annotated[None, Depends(memory_enabled)]
) -> Stores:
    """Return the stores of this request, none of whose calls outlives it."""
    return of_process.until(request.context["deadline"])


Stored = Annotated[Stores, Depends(stores_in_time)]


def reading(stored: Stored, config: Config) -> MemoryReading:
    """Return what serves reads."""
    return MemoryReading(stored, config)


def clock() -> Clock:
    """Return the source of time."""
    return utc_now


def changing(stored: Stored, config: Config, now: Annotated[Clock, Depends(clock)]) -> MemoryChanging:
    """Return what serves changes and deletes."""
    return MemoryChanging(stored, config, now)


def export(stored: Stored) -> Export:
    """Return what serves the export."""
    return Export(stored)
