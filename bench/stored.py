"""What many stored rooms cost a fleet, and how fast they wake: `python -m bench.stored`.

Every room has a short game, with a message for each command. One more room has as many messages as
the longest sitting of friends, spread evenly over the history of all others. The engine syncs late
while the rooms are made, as that takes long otherwise; then it is started again as it should be.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from bench.fleet import on_nats
from bench.servers import started
from server.core.events import Event, MovePlayed, Person, PlayerId, RoomOpened, SeatTaken
from server.core.room import RoomId
from server.core.rules import CLASSIC, Mark
from server.fleet.nats import connect
from server.fleet.store import FleetStore
from server.metrics import Times
from tests.support.engines import NatsServer, address, nats_cluster, nats_server

NOW = round(time.time() * 1000)  # so that no node takes the rooms for forgotten ones
GAME: list[Event] = [
    RoomOpened(NOW, CLASSIC, True),
    SeatTaken(NOW, Mark.X, Person(PlayerId("ada"), "Ada")),
    *(MovePlayed(NOW, Mark(ply % 2), cell) for ply, cell in enumerate((0, 3, 1, 4, 2))),
]
AT_ONCE = 200  # rooms that are made at the same time
SPREAD = 200  # messages of the room whose log is spread over all history
WAKES = 300


def name_of(number: int) -> RoomId:
    return RoomId(f"room{number:012}")


async def fill(store: FleetStore, rooms: int) -> None:
    """Make the rooms, and between them the messages of room 0."""

    async def make(number: int) -> None:
        for length, event in enumerate(GAME):
            await store.append_and_wait(name_of(number), length, [event])

    spread = 0
    for begin in range(1, rooms + 1, AT_ONCE):
        while spread < SPREAD * begin // rooms:
            event = GAME[min(spread, 2)]  # only read, never played
            await store.append_and_wait(name_of(0), spread, [event])
            spread += 1
        await asyncio.gather(*map(make, range(begin, min(begin + AT_ONCE, rooms + 1))))


async def time_loads(store: FleetStore, numbers: list[int]) -> list[float]:
    took = []
    for number in numbers:
        begin = time.perf_counter()
        assert await store.load(name_of(number))
        took.append((time.perf_counter() - begin) * 1000)
    return took


def memory(pid: int) -> float:
    """Resident memory in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [line] = [line for line in lines if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024


def disk(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20


@asynccontextmanager
async def engine(folder: Path, count: int, sync: str) -> AsyncIterator[list[NatsServer]]:
    """One server or three, which keep their files from one time to the next."""
    if count == 1:
        async with nats_server(folder, sync=sync) as server:
            yield [server]
    else:
        async with nats_cluster(folder, sync=sync) as servers:
            yield servers


async def measure(folder: Path, rooms: int, count: int) -> None:
    begin = time.perf_counter()
    async with engine(folder, count, "2m") as servers:
        store = FleetStore(await connect(address(*servers)), Times())
        await fill(store, rooms)
        await store.close()
    print(f"{rooms} rooms of {len(GAME)} messages made in {time.perf_counter() - begin:.0f} s")

    begin = time.perf_counter()
    async with engine(folder, count, "always") as servers:
        store = FleetStore(await connect(address(*servers)), Times())
        print(f"NATS starts in {time.perf_counter() - begin:.1f} s")
        memories = ", ".join(f"{memory(server.pid):.0f}" for server in servers)
        print(f"NATS: {disk(folder) / count:.0f} MiB on each disk, {memories} MiB of memory")
        begin = time.perf_counter()
        async with started(on_nats("NATS", address(*servers)), folder) as node:
            print(f"a node starts in {time.perf_counter() - begin:.1f} s")
            await asyncio.sleep(10)  # it looks through all rooms
            print(f"a node: {memory(node.pid):.0f} MiB of memory")
        dice = Random(1)
        took = await time_loads(store, [dice.randrange(1, rooms + 1) for _ in range(WAKES)])
        last = quantiles(took, n=100)[98]
        print(f"a log is read in {median(took):.1f} ms, 99 of 100 in {last:.1f} ms")
        [spread] = await time_loads(store, [0])
        print(f"a log of {SPREAD} messages spread over all history is read in {spread:.1f} ms")
        await store.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.stored", description=__doc__)
    parser.add_argument("--rooms", type=int, default=100_000)
    parser.add_argument("--servers", type=int, choices=(1, 3), default=1)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="noughts-") as folder:
        asyncio.run(measure(Path(folder), given.rooms, given.servers))
