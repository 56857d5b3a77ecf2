"""`noughts.connect_sync`: the same client without `async`. It runs in a thread of its own.

`room.state` is what the program has seen last: it changes with `states()` and with what the program
does, and not in between.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from noughts.client import Connection, SeatWish, connect
from noughts.messages import Analysis, Frame, State
from noughts.room import Room, View
from noughts.shapes import Limits, ListedRoom, Mark, OfferedVariant, Player, WantedClock

T = TypeVar("T")


def connect_sync(
    url: str,
    *,
    name: str | None = None,
    token_file: str | Path | None = None,
    bot: bool = True,
    on_frame: Callable[[Frame], None] | None = None,
) -> SyncConnection:
    """Like `noughts.connect`, for `with`. `on_frame` is called in another thread."""
    return SyncConnection(
        connect(url, name=name, token_file=token_file, bot=bot, on_frame=on_frame)
    )


class _Thread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The result. An interrupt ends the coroutine, too."""
        if self._loop.is_closed():
            coroutine.close()
            raise RuntimeError("The connection is closed: use it inside its `with` block.")
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def each(self, values: AsyncIterator[T]) -> Iterator[T]:
        while (value := self.run(_next(values))) is not None:
            yield value

    def stop(self) -> None:
        self.run(self._loop.shutdown_asyncgens())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _next(values: AsyncIterator[T]) -> T | None:
    return await anext(values, None)


class SyncConnection:
    """As `noughts.Connection`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._thread: _Thread

    def __enter__(self) -> SyncConnection:
        self._thread = _Thread()
        try:
            self._thread.run(self._connection.__aenter__())
        except BaseException:
            self._thread.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._thread.run(self._connection.__aexit__(kind, problem, traceback))
        self._thread.stop()

    @property
    def player(self) -> Player:
        return self._connection.player

    @property
    def variants(self) -> list[OfferedVariant]:
        return self._connection.variants

    @property
    def phrases(self) -> list[str]:
        return self._connection.phrases

    @property
    def limits(self) -> Limits:
        return self._connection.limits

    def create(
        self,
        variant: str = "3x3",
        *,
        seats: Mapping[Mark, SeatWish] | None = None,
        public: bool = True,
        clock: WantedClock | Mapping[str, int] | None = None,
        moves: Iterable[int] = (),
    ) -> SyncRoom:
        return self._enter(
            self._connection.create(variant, seats=seats, public=public, clock=clock, moves=moves)
        )

    def watch(self, room: str) -> SyncRoom:
        return self._enter(self._connection.watch(room))

    def sit(self, room: str, seat: Mark | None = None, *, name: str | None = None) -> SyncRoom:
        return self._enter(self._connection.sit(room, seat, name=name))

    def quick(self, variant: str = "3x3") -> SyncRoom:
        return self._enter(self._connection.quick(variant))

    def lobby(self) -> Iterator[list[ListedRoom]]:
        return self._thread.each(self._connection.lobby())

    def _enter(self, entering: Coroutine[Any, Any, Room]) -> SyncRoom:
        return SyncRoom(self._thread.run(entering), self._thread, self.player.id)


class SyncRoom(View):
    """As `noughts.Room`."""

    def __init__(self, room: Room, thread: _Thread, player: str) -> None:
        self._room = room
        self._thread = thread
        self._player = player
        self._seen = room.state

    @property
    def id(self) -> str:
        return self._room.id

    @property
    def state(self) -> State:
        """The state that the program has seen last."""
        return self._seen

    def states(self) -> Iterator[State]:
        for state in self._thread.each(self._room.states()):
            self._seen = state
            yield state

    def play(self, cell: int) -> None:
        """Mark a cell of the state seen last."""
        self._do(self._room.play(cell, state=self._seen))

    def resign(self) -> None:
        self._do(self._room.resign())

    def rematch(self) -> None:
        self._do(self._room.rematch())

    def claim(self) -> None:
        self._do(self._room.claim())

    def leave(self) -> None:
        self._do(self._room.leave())

    def unwatch(self) -> None:
        self._thread.run(self._room.unwatch())

    def say(self, phrase: str) -> None:
        self._do(self._room.say(phrase))

    def seat_ai(self, seat: Mark, level: str) -> None:
        self._do(self._room.seat_ai(seat, level))

    def dismiss_ai(self, seat: Mark) -> None:
        self._do(self._room.dismiss_ai(seat))

    def analyse(self, ply: int | None = None, game: int | None = None) -> Analysis:
        return self._thread.run(self._room.analyse(ply, game))

    def _do(self, doing: Coroutine[Any, Any, None]) -> None:
        self._thread.run(doing)
        self._seen = self._room.state
