"""Where logs are kept: the `Store` protocol and the way to open one by its address.

The store is the truth; everything in memory is a cache of it. It knows events as the codec writes
them and nothing of what they mean.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol, TypeVar, cast

from server.core.events import Event
from server.core.room import RoomId
from server.metrics import Times

T = TypeVar("T")


class Conflict(Exception):
    """Somebody else has appended to this log meanwhile: load it again and decide again."""


class Unavailable(Exception):
    """The store cannot write (or read) just now; nothing was changed."""


class CannotOpen(Exception):
    """There is no usable store at this address; the text says why."""


class Entry(NamedTuple):
    """One stored room: how long its log is, and when it was last written to."""

    room: RoomId
    seq: int
    changed: int


Take = Callable[[], Sequence[Event]]
Done = Callable[[Conflict | Unavailable | None], None]


class Store(Protocol):
    """A backend says that it is one, and so inherits `append_and_wait`."""

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        """Make events durable as the next of a log that is `expected` long, all or none of them.

        `take` gives them, and is called when they are about to be written, perhaps at once: what
        happens in a room until then can still become durable together. Then `done` is called, with
        nothing or with what was in the way. They are functions and not futures because every move
        comes through here: nobody need be woken.
        """

    async def append_and_wait(self, room: RoomId, expected: int, events: Sequence[Event]) -> None:
        """`append`, for those who would rather wait for it; raises what was in the way."""

        def begin(done: Callable[[Exception | None], None]) -> None:
            self.append(room, expected, lambda: events, done)

        await wait_for(begin)

    async def load(self, room: RoomId) -> list[Event]:
        """The whole log; empty for a room that does not exist."""

    async def rooms(self, after: str = "", limit: int = 1_000) -> list[Entry]:
        """The next rooms behind `after`, in the order of their ids."""

    async def remove(self, room: RoomId, expected: int) -> None:
        """Forget a room whose log is `expected` long; else `Conflict`."""

    async def can_write(self) -> bool:
        """Whether an append would succeed just now."""

    async def close(self) -> None: ...


async def wait_for(begin: Callable[[Callable[[T | Exception], None]], None]) -> T:
    """Begin what tells by a function how it went, and wait for that; raises what went wrong."""
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def tell(outcome: T | Exception) -> None:
        if future.done():  # nobody waits any more
            return
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

    begin(tell)
    return await future


def open_store(url: str, took: Times) -> Store:
    """The store at `memory:` or `sqlite:PATH`; `CannotOpen` says what is wrong with it.

    `took` counts how long appends wait until they are durable.
    """
    scheme, colon, rest = url.partition(":")
    if not colon or scheme not in ("memory", "sqlite"):
        raise CannotOpen(f"{url!r} is not a store: use sqlite:PATH or memory:")
    backend = import_module(f"server.store.{scheme}")
    return cast(Store, backend.open(rest, took))
