"""A long run of short-lived rooms, lost connections and a hostile peer (promise P6).

Afterwards all resources must be back at their level. `amount` is in seconds.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import choice, uniform
from statistics import median

from tests.ordeals.torture import Figures
from tests.ordeals.torture.hostile_guest import DEEDS, do, misbehave
from tests.ordeals.torture.load import HANG, ROOMS, Load, check, metric
from tests.support.serving import Served, serving

QUICK = 20
AT_ONCE = 4  # rooms at the same time
LIFE = (1.0, 5.0)  # seconds of a room
PAUSE = 0.1  # seconds to think, at most
WARM_UP = 20_000  # commands
STEADY = 0.02  # of the memory may come or go after the warm-up
LIMITS = {
    "idle": 2,
    "ping": 3,
    "hello": 1,
    "patience": 2,
    "commands_per_second": 100,
    "commands_at_once": 200,
    "rooms_per_minute": 10_000,
    "rooms_open_per_address": 1_000,
}

Counts = dict[str, int]


@dataclass
class Seen:
    accepted: Counter[str] = field(default_factory=Counter)
    rooms: int = 0
    cuts: int = 0


async def ordeal(folder: Path, amount: int) -> Figures:
    file, seen = folder / "rooms.db", Seen()
    limits = [f"--limit={name}={number}" for name, number in LIMITS.items()]
    async with serving(folder, *limits, store=f"sqlite:{file}") as served:
        await _taste(served, file)
        before = await _at_rest(served)
        if amount > QUICK:
            await _warm_up(served)
        memory = await _live(served, file, amount, seen)
        after = await _back_to(before, served)
        assert await served.stop() == 0
        assert "Traceback" not in served.log, served.log
    figures: Figures = {
        "rooms": seen.rooms,
        "commands accepted": seen.accepted.total(),
        "lost": 0,  # otherwise the history checker would have raised
        "connections cut": seen.cuts,
        **after,
    }
    return figures if amount <= QUICK else {**figures, **_judged(memory)}


async def _warm_up(served: Served) -> None:
    """Fill the bounded caches: database pages and known positions."""
    load = Load(served.ws, pause=0.02)
    async with asyncio.TaskGroup() as group:
        for number in range(ROOMS):
            group.create_task(load.play(number))
        for _ in range(WARM_UP // 1_000):
            await load.progress.more(1_000)
        load.is_over.set()


async def _live(served: Served, file: Path, seconds: int, seen: Seen) -> list[int]:
    """Run everything at once for `seconds`. Returns the memory of each second."""
    memory: list[int] = []
    is_over = asyncio.Event()
    end = time.monotonic() + seconds
    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(_rooms(served, file, end, seen))
        group.create_task(misbehave(served, is_over))
        while time.monotonic() < end:
            await asyncio.sleep(1)
            memory.append(_memory(served))
        is_over.set()
    return memory


async def _rooms(served: Served, file: Path, end: float, seen: Seen) -> None:
    """Play in one room after the other, with people who lose connections now and then."""
    while time.monotonic() < end:
        load = Load(served.ws, pause=PAUSE)
        playing = asyncio.create_task(load.play(1))
        until = time.monotonic() + uniform(*LIFE)
        while time.monotonic() < until:
            await asyncio.sleep(uniform(0, 1))
            choice(load.clients).cut()
            seen.cuts += 1
        load.is_over.set()
        await asyncio.wait_for(playing, HANG)
        seen.accepted += await check(file, load.clients)
        seen.rooms += 1


# --------------------------------------------------------------------------- what is left of it


async def _taste(served: Served, file: Path) -> None:
    """Do a little of everything, so that threads and the like have been created."""
    deeds = [do(deed, served) for deed in DEEDS]
    await asyncio.gather(*deeds, _rooms(served, file, time.monotonic() + 0.1, Seen()))


async def _counted(served: Served) -> Counts:
    process = Path(f"/proc/{served.pid}")
    return {
        "rooms awake": int(await metric(served, "noughts_rooms")),
        "connections": int(await metric(served, "noughts_connections")),
        "descriptors": len(list((process / "fd").iterdir())),
        "threads": len(list((process / "task").iterdir())),
        "processes": len(served.family),
    }


async def _at_rest(served: Served) -> Counts:
    """The resources in use when everybody has gone and all rooms sleep."""
    until, same = time.monotonic() + HANG, 0
    counted = await _counted(served)
    while same < 4 or counted["rooms awake"] or counted["connections"]:
        assert time.monotonic() < until, f"it does not come to rest: {counted}"
        await asyncio.sleep(0.5)
        before, counted = counted, await _counted(served)
        same = same + 1 if before == counted else 0
    return counted


async def _back_to(before: Counts, served: Served) -> Counts:
    """Wait until the resources are as before."""
    until = time.monotonic() + HANG
    while (counted := await _counted(served)) != before:
        assert time.monotonic() < until, f"{before} before, {counted} after"
        await asyncio.sleep(0.2)
    return counted


def _memory(served: Served) -> int:
    """Resident memory in KB."""
    [line] = [
        line
        for line in Path(f"/proc/{served.pid}/status").read_text().splitlines()
        if line.startswith("VmRSS:")
    ]
    return int(line.split()[1])


def _judged(memory: list[int]) -> Figures:
    """Check that memory does not grow after the first third, which is a warm-up too."""
    sixth = len(memory) // 6
    early, late = median(memory[2 * sixth : 3 * sixth]), median(memory[-sixth:])
    change = late / early - 1
    assert abs(change) < STEADY, f"memory went from {early} to {late} KB"
    return {"memory": f"{late / 1024:.1f} MB", "change of it": f"{change:+.1%}"}
