"""Players in their own process, `python -m tests.ordeals.torture.players WS`.

A separate process keeps the load on the ordeal's event loop out of the measurement.

It prints the id of a room that everybody may watch. Each line on standard input but the first ends
a measurement. The answer is the p99 from a move to its answer, in seconds.
"""

from __future__ import annotations

import asyncio
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from random import uniform
from statistics import quantiles

from tests.support.dialling import HANG, Player, dialled
from tests.support.serving import ROOT

NUMBER = 8
EVERY = 0.1  # seconds between two moves of a player
LISTED = 200  # rooms in the list, which makes it some 40 KB long
BOTH = {"X": "me", "O": "me"}  # seats


class Players:
    """The players' process, as seen by the ordeal that started it."""

    def __init__(self, process: Process, room: str) -> None:
        self._process = process
        self.room = room

    async def measure(self, meanwhile: Awaitable[None]) -> float:
        """The players' p99 over this time."""
        await self._say_and_hear()
        await meanwhile
        return float(await self._say_and_hear())

    async def _say_and_hear(self) -> bytes:
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        return await _line(self._process)


@asynccontextmanager
async def playing(ws: str) -> AsyncIterator[Players]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, ws, cwd=ROOT, stdin=PIPE, stdout=PIPE
    )
    try:
        yield Players(process, (await _line(process)).decode().strip())
        await asyncio.wait_for(process.communicate(b""), HANG)
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _line(process: Process) -> bytes:
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), HANG)
    assert line, "the players have given up"
    return line


# ---------------------------------------------------------------------------- in their own process


async def main(ws: str) -> None:
    async with AsyncExitStack() as stack:
        players = [await stack.enter_async_context(dialled(ws)) for _ in range(NUMBER)]
        rooms = [await player.create(seats=BOTH) for player in players]
        for _ in range(LISTED):
            await players[0].accept("unwatch", room=await players[0].create(seats=BOTH))
        print(rooms[0], flush=True)
        took: list[float] = []
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(play(player, room, took))
                for player, room in zip(players, rooms, strict=True)
            ]
            while await asyncio.to_thread(sys.stdin.readline):
                print(quantiles(took, n=100)[-1] if len(took) > 1 else 0, flush=True)
                took.clear()
            for task in tasks:
                task.cancel()


async def play(player: Player, room: str, took: list[float]) -> None:
    """Play game after game alone on both seats, and record the time until each answer."""
    while True:
        state = await player.watch(room)
        player.seen.clear()
        begin = time.monotonic()
        if state["status"] == "over":
            await player.accept("rematch", room=room)
        else:
            ply = len(state["moves"])  # X wins with the seventh move
            await player.accept("play", room=room, cell=ply, ply=ply)
            took.append(time.monotonic() - begin)
        await asyncio.sleep(uniform(0.5, 1.5) * EVERY)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
