"""The seeded simulation: the real core, hosts, peers and sockets in a world that can be repeated.

Time, network, store and chance are fake; processes crash around every append, lines break, people
come back and send again. Each seed is another world, and the history checker judges it.

    python -m tests.ordeals.simulation SEED             what happened in that world, line by line
    python -m tests.ordeals.simulation --seeds 20000    many of them, and what was seen how often
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
    """What was broken, and what was seen."""
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
    """The same, by several processes."""
    pieces = [seeds[begin : begin + AT_ONCE] for begin in range(0, len(seeds), AT_ONCE)]
    broken: list[str] = []
    seen: Counter[str] = Counter()
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        for more_broken, more_seen in pool.map(run_each, pieces):
            broken += more_broken
            seen += more_seen
    return broken, seen


async def ordeal(folder: Path, amount: int) -> Figures:
    """`amount` seeds; `Broken` with the first that breaks a promise."""
    broken, seen = await asyncio.to_thread(run_many, range(amount))
    if broken:
        raise Broken(f"{len(broken)} of {amount} seeds: {broken[0]}")
    return {"seeds": amount, **seen}
