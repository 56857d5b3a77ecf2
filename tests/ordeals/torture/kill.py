"""`kill -9` at random moments under load (promises P1 to P4), judged by the history checker."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from pathlib import Path
from random import randrange, uniform

from tests.ordeals.torture import Figures
from tests.ordeals.torture.load import ROOMS, Load, Progress, Start, all_resumed, check, restarting
from tests.support.serving import Served, outlived

QUICK = 5
ROUND = 10  # kills with the same rooms; then their logs are checked, and new rooms opened
RESUMED_WITHIN = 5.0  # seconds since the kill, not since the restart


async def ordeal(folder: Path, amount: int) -> Figures:
    file = folder / "rooms.db"
    accepted, slowest = Counter[str](), 0.0
    async with restarting(file) as start:
        served = await start(0)
        for done in range(0, amount, ROUND):
            kills = min(ROUND, amount - done)
            served, load, took = await _round(served, start, kills)
            accepted += await check(file, load.clients)
            slowest = max(slowest, took)
        assert await served.stop() == 0
    assert amount <= QUICK or slowest < RESUMED_WITHIN, f"resumed after {slowest:.1f} s"
    return {
        "kills": amount,
        "commands accepted": accepted.total(),
        "moves accepted": accepted["play"],
        "lost": 0,  # otherwise the history checker would have raised
        "doubled": 0,
        "slowest resume": f"{slowest:.1f} s",
    }


async def _round(served: Served, start: Start, kills: int) -> tuple[Served, Load, float]:
    """Kill the server several times with the same rooms, and return the last server."""
    load, family, slowest = Load(served.ws), set[int](), 0.0
    async with asyncio.TaskGroup() as group:
        for number in range(ROOMS):
            group.create_task(load.play(number))
        for _ in range(kills):
            await load.progress.more(20)
            family |= served.family
            await _kill(served, load.progress)
            begin, marks = time.monotonic(), load.marks()
            served = await start(served.port)
            slowest = max(slowest, await all_resumed(marks, begin))
        await load.progress.more(200)
        load.is_over.set()
    assert len({client.record.room for client in load.clients}) == ROOMS
    assert not await outlived(family - served.family)  # no worker of a killed server is left
    return served, load, slowest


async def _kill(served: Served, progress: Progress) -> None:
    """Kill at the moment of an answer or a little later, under full load."""

    def at_once() -> None:
        os.kill(served.pid, signal.SIGKILL)

    if randrange(2):
        await progress.more(randrange(10, 300), at_once)
    else:
        await progress.more(randrange(10, 300))
        await asyncio.sleep(uniform(0, 0.02))
    await served.kill()
