"""The seeded simulation: the real core, hosts, peers and sockets in a repeatable world.

Time, network, store and randomness are simulated. Processes crash around every append, connections
break, and people reconnect and send again. In half of the worlds several nodes share an engine that
answers late, twice or never, and a bus that loses and doubles messages; people come back to any of
them. Each seed is another world, which the history checker judges.

    python -m tests.ordeals.simulation SEED             the events of that world, line by line
    python -m tests.ordeals.simulation --seeds 20000    many worlds, and a count of events
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.ordeals.simulation.world import World, run
from tests.ordeals.torture import Figures
from tests.support.history import Broken

WORKERS = 2
AT_ONCE = 50  # seeds in one piece of work

Counted = tuple[list[str], Counter[str]]


def run_each(seeds: Iterable[int]) -> Counted:
    """The broken promises and the counts of these seeds."""
    broken: list[str] = []
    seen: Counter[str] = Counter()
    for seed in seeds:
        world = World(seed)
        try:
            run(world)
        except Broken as problem:
            broken.append(str(problem))
        seen += world.seen
    return broken, seen


def run_many(seeds: range) -> Counted:
    """The same, in several processes."""
    pieces = [seeds[begin : begin + AT_ONCE] for begin in range(0, len(seeds), AT_ONCE)]
    broken: list[str] = []
    seen: Counter[str] = Counter()
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        for more_broken, more_seen in pool.map(run_each, pieces):
            broken += more_broken
            seen += more_seen
    return broken, seen


async def ordeal(folder: Path, amount: int) -> Figures:
    """Run `amount` seeds. Raises `Broken` for the first that breaks a promise."""
    broken, seen = await asyncio.to_thread(run_many, range(amount))
    if broken:
        raise Broken(f"{len(broken)} of {amount} seeds: {broken[0]}")
    return {"seeds": amount, **seen}
