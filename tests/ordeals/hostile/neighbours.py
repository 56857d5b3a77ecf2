"""Two well-behaved players whose game goes on during every attack."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from tests.support.dialling import Frame, Player, dialled, seated_pair

DRAWN = (0, 1, 2, 4, 3, 5, 7, 6, 8)
PAUSE = 0.05  # seconds between two moves during an attack


class Neighbours:
    """`seq`: of the last state they saw. `slowest`: most seconds until both had seen a move."""

    def __init__(self, room: str, x: Player, o: Player) -> None:
        self.room = room
        self.seq = 0
        self.moves = 0
        self.slowest = 0.0
        self._movers = (x, o)
        self._ply = 0
        self._hurried = 0

    async def move(self) -> None:
        """Make one move and wait until both see it. After the last move, start the next game."""
        if self._ply == len(DRAWN):
            await self._rematch()
        begin, ply = time.monotonic(), self._ply
        mover = self._movers[ply % 2]
        await mover.accept("play", room=self.room, cell=DRAWN[ply], ply=ply)
        await self._see(lambda state: bool(state["moves"] == list(DRAWN[: ply + 1])))
        self.slowest = max(self.slowest, time.monotonic() - begin)
        self._ply, self.moves = ply + 1, self.moves + 1

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        """Play until the end of the block, and then make one more move."""
        is_over = asyncio.Event()
        task = asyncio.create_task(self._play_until(is_over))
        try:
            yield
        finally:
            is_over.set()
            await task
        await self.move()

    @contextmanager
    def hurrying(self) -> Iterator[None]:
        """Play as fast as possible."""
        self._hurried += 1
        try:
            yield
        finally:
            self._hurried -= 1

    async def _play_until(self, is_over: asyncio.Event) -> None:
        while not is_over.is_set():
            await self.move()
            if not self._hurried:
                with suppress(TimeoutError):
                    await asyncio.wait_for(is_over.wait(), PAUSE)

    async def _rematch(self) -> None:
        for player in self._movers:
            await player.accept("rematch", room=self.room)
        await self._see(lambda state: bool(state["status"] == "playing"))
        self._movers, self._ply = self._movers[::-1], 0

    async def _see(self, so: Callable[[Frame], bool]) -> None:
        for player in self._movers:
            self.seq = (await player.state(self.room, so))["seq"]
            player.seen.clear()


@asynccontextmanager
async def neighbours(ws: str) -> AsyncIterator[Neighbours]:
    async with dialled(ws, name="Nell") as nell, dialled(ws, name="Ned") as ned:
        yield Neighbours(await seated_pair(nell, ned, public=False), nell, ned)
