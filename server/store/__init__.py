"""Where logs are stored: the `Store` protocol, and `open_store` to open one by its address.

The store is the truth; everything in memory is a cache of it. A store keeps events in the form that
the codec gives them, and does not know what they mean.
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
    """The log does not have the expected length: load it and decide again."""


class Unavailable(Exception):
    """The store cannot write (or read) at present.

    A failed append has changed nothing, unless the disk reported an error after it had written.
    """


class CannotOpen(Exception):
    """There is no usable store at this address; the text says why."""


class BadAddress(CannotOpen):
    """The address is none: wrong usage, whatever there is."""


class Entry(NamedTuple):
    """One stored room: how long its log is, and when it was last written to."""

    room: RoomId
    seq: int
    changed: int


Problem = Conflict | Unavailable
Take = Callable[[], Sequence[Event]]
Done = Callable[[Problem | None], None]
Heard = Callable[[int, Sequence[Event]], None]


class Store(Protocol):
    """A backend inherits from this class, and gets `append_and_wait`.

    `is_shared`: other processes may write to it, so a log may be longer than is known here.
    """

    is_shared: bool = False

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        """Add events to the end of a log that is `expected` long: all of them, or none.

        Does not wait. The store calls two functions, each once, on the event loop, perhaps before
        this call returns. Neither may raise.

        1. `take()`, just before it writes, returns the events. Until then the caller can add more.
        2. `done(None)` says that they are durable. `done(problem)` says that they are not, or that
           it is unknown: load the log before you append again.

        These are callbacks because every move comes through here: awaiting a future would cost it
        another tick of the event loop.
        """

    async def append_and_wait(self, room: RoomId, expected: int, events: Sequence[Event]) -> None:
        """`append` as a coroutine: returns when the events are durable, or raises the problem."""

        def begin(done: Callable[[Exception | None], None]) -> None:
            self.append(room, expected, lambda: events, done)

        await wait_for(begin)

    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        """The log without its first `after` events; `Conflict` if it is shorter than that.

        A room that does not exist has an empty log.
        """

    @property
    def is_refusing(self) -> bool:
        """Whether the last write has failed, as far as is known."""
        return False

    def sizes(self) -> dict[str, int]:
        """The bytes of each file of the store, by what it is for; empty if it has no files."""
        return {}

    def follow(self, room: RoomId, heard: Heard) -> None:
        """Call `heard(length, events)` soon after another process has appended to the log, and so
        made it `length` long. `events` are its last ones. A call may be repeated, late, or missing
        some events, but not the last one for long. A `length` of 0 says that the room was removed.

        By default nothing is ever heard: no other process writes to the store.
        """
        return

    def unfollow(self, room: RoomId) -> None:
        return

    async def rooms(self, after: str = "", limit: int = 1_000) -> list[Entry]:
        """The next rooms after this id, in the order of their ids."""

    async def remove(self, room: RoomId, expected: int) -> None:
        """Delete a room; `Conflict` if its log is not `expected` long."""

    async def can_write(self) -> bool:
        """Whether a write has just succeeded."""

    async def close(self) -> None: ...


def tail_of(log: list[Event], room: RoomId, after: int) -> list[Event]:
    """The log without its first `after` events; `Conflict` if it is shorter than that."""
    if len(log) < after:
        raise Conflict(room)
    return log[after:]


async def wait_for(begin: Callable[[Callable[[T | Exception], None]], None]) -> T:
    """Turn a callback into a result: `begin` starts something and is given the callback.

    Returns what the callback is called with, or raises it if it is an exception.
    """
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def finish(result: T | Exception) -> None:
        if future.done():  # the caller was cancelled
            return
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)

    begin(finish)
    return await future


def open_store(url: str, took: Times) -> Store:
    """Open `memory:` or `sqlite:PATH`; `CannotOpen` says what is wrong with it.

    `took` is given the time that appends wait until they are durable.
    """
    scheme, colon, rest = url.partition(":")
    if not colon or scheme not in ("memory", "sqlite"):
        raise BadAddress(f"{url!r} is not a store: use sqlite:PATH, nats://HOST:PORT or memory:")
    backend = import_module(f"server.store.{scheme}")
    return cast(Store, backend.open(rest, took))
