"""What a store on NATS costs, against SQLite in the same run: `python -m bench.fleet`.

Clients, nodes and all NATS servers share this machine, so three servers look worse than they are on
three machines. Each round measures every contender once; the medians of the rounds are compared.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench import scenarios
from bench.load import Crowd, dialled
from bench.servers import SQLITE, Contender, Started, started
from tests.support.engines import address, nats_cluster, nats_server

SEEN_ELSEWHERE = "another node sees a move, × the answer"
MOVES = 200

Figures = dict[str, list[float]]


def on_nats(name: str, store: str) -> Contender:
    return Contender(name, "server", ("--port={port}", f"--store={store}", "--no-limits"))


@asynccontextmanager
async def contenders(folder: Path) -> AsyncIterator[list[Contender]]:
    async with AsyncExitStack() as stack:
        (folder / "one").mkdir()
        (folder / "three").mkdir()
        one = await stack.enter_async_context(nats_server(folder / "one"))
        three = await stack.enter_async_context(nats_cluster(folder / "three"))
        yield [
            SQLITE,
            on_nats("NATS, one server", address(one)),
            on_nats("NATS, three servers", address(*three)),
        ]


async def measure(contender: Contender, folder: Path, figures: dict[str, Figures]) -> None:
    own = figures.setdefault(contender.name, {})
    async with started(contender, folder) as server:
        for scenario in (scenarios.games, scenarios.paced):
            for name, value in (await scenario(server)).items():
                own.setdefault(name, []).append(value)
        if contender is not SQLITE:
            async with started(contender, folder) as other:
                own.setdefault(SEEN_ELSEWHERE, []).append(await seen_elsewhere(server, other))


async def seen_elsewhere(server: Started, other: Started) -> float:
    """How long a move takes to another node, as a multiple of the time to its own player."""
    here: list[float] = []
    there: list[float] = []
    async with Crowd(server.url) as crowd, dialled(other.url) as watcher:
        [pair] = await crowd.rooms(1)
        await watcher.ask("watch", room=pair.room)
        while len(here) < MOVES:
            for ply, cell in enumerate((0, 3, 1, 4, 2)):
                begin = time.perf_counter()

                async def see(game: int = pair.game, ply: int = ply, begin: float = begin) -> None:
                    await watcher.state(game, ply + 1)
                    there.append(time.perf_counter() - begin)

                seeing = asyncio.ensure_future(see())
                await pair.move(ply, cell)
                here.append(pair.to_players[-1])
                await seeing
            await pair.rematch()
            await watcher.state(pair.game, 0)
    return median(there) / median(here)


async def main(rounds: int) -> None:
    figures: dict[str, Figures] = {}
    with TemporaryDirectory(prefix="noughts-") as folder:
        async with contenders(Path(folder)) as all_contenders:
            for number in range(rounds):
                for contender in all_contenders:
                    with TemporaryDirectory(dir=folder) as own:
                        await measure(contender, Path(own), figures)
                print(f"round {number + 1} of {rounds}", flush=True)
    print("| | " + " | ".join(figures) + " |\n|" + "---|" * (1 + len(figures)))
    base = figures[SQLITE.name]
    for name in (*base, SEEN_ELSEWHERE):
        row = []
        for each in figures.values():
            values = each.get(name)
            if values is None:
                row.append("")
            elif name in base:
                row.append(f"{median(values):.0f} ({median(values) / median(base[name]):.2f} ×)")
            else:
                row.append(f"{median(values):.2f} ×")
        print(f"| {name} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.fleet", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    asyncio.run(main(parser.parse_args().rounds))
