"""How cost grows: each curve measures one thing at several sizes, each on a fresh server.

A curve that bends upwards is a fault. The name of a figure ends in its unit, and less is better.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median, quantiles

import uvloop

from bench.load import Crowd, Peer, dialled
from bench.scenarios import Figures, fan, games, idle_connections, paced, settle
from bench.servers import MEMORY, SQLITE, Contender, Started, started
from server.ai.pool import SearchPool
from server.core.events import Event, MovePlayed, Person, PlayerId, RoomOpened, SeatTaken
from server.core.room import RoomId
from server.core.rules import CLASSIC, Mark, Variant, from_marks
from server.live.limits import Limits
from server.metrics import Metrics, Times
from server.store.sqlite import SqliteStore

Curve = Callable[[int], Awaitable[Figures]]

CREATORS = 16  # sockets that open rooms at the same time
AT_ONCE = 2_000  # logs written together
SECONDS = 3.0


@asynccontextmanager
async def fresh(contender: Contender) -> AsyncIterator[Started]:
    with tempfile.TemporaryDirectory() as folder:
        async with started(contender, Path(folder)) as server:
            yield server


async def fill(server: Started, number: int, *, public: bool = False) -> None:
    """Open this many rooms, which stay awake without followers."""

    async def create(share: int) -> None:
        async with dialled(server.url) as peer:
            for _ in range(share):
                room = (await peer.ask("create", public=public))["room"]
                await peer.ask("unwatch", room=room)

    await asyncio.gather(*(create(number // CREATORS) for _ in range(CREATORS)))


async def by_rooms(number: int) -> Figures:
    """The cost of a move while this many other rooms are open."""
    figures: Figures = {}
    for contender in (MEMORY, SQLITE):
        async with fresh(contender) as server:
            await fill(server, CREATORS)
            before = server.memory()
            await fill(server, number)
            await settle()
            kept = (server.memory() - before) / number
            name = contender.name
            figures[f"quiet room without sockets, {name}, KiB"] = kept
            for figure, value in (await games(server) | await paced(server)).items():
                what, unit = figure.rsplit(", ", 1)
                figures[f"{what}, {name}, {unit}"] = value
    return figures


async def by_spectators(number: int) -> Figures:
    """The cost of a delivery with this many spectators in the room."""
    async with fresh(MEMORY) as server:
        return await fan(server, number)


async def by_connections(number: int) -> Figures:
    async with fresh(MEMORY) as server:
        return await idle_connections(server, number)


async def by_stored_rooms(number: int) -> Figures:
    """Time to the first welcome, and to wake a room, with this many rooms in the file."""
    with tempfile.TemporaryDirectory() as folder:
        await _write_rooms(Path(folder) / "rooms.db", number)
        starts, loads = [], []
        for round in range(5):
            begin = time.perf_counter()
            async with started(SQLITE, Path(folder)) as server, dialled(server.url) as peer:
                starts.append((time.perf_counter() - begin) * 1e3)
                for room in range(round, number, number // 20):
                    begin = time.perf_counter()
                    await peer.ask("watch", room=f"stored-{room}")
                    loads.append((time.perf_counter() - begin) * 1e3)
                    await peer.ask("unwatch", room=f"stored-{room}")
        return {
            "start to first welcome, ms": median(starts),
            "stored room woken, ms": median(loads),
        }


async def _write_rooms(file: Path, number: int) -> None:
    ada, bo = (Person(PlayerId(name * 8), name) for name in ("ad", "bo"))
    moves = (MovePlayed(4 + ply, Mark(ply % 2), cell) for ply, cell in enumerate((0, 3, 1, 4, 2)))
    seats = SeatTaken(2, Mark.X, ada), SeatTaken(3, Mark.O, bo)
    log: list[Event] = [RoomOpened(1, CLASSIC, True), *seats, *moves]
    store = SqliteStore(file, Times())
    for first in range(0, number, AT_ONCE):
        ids = range(first, min(first + AT_ONCE, number))
        await asyncio.gather(*(store.append_and_wait(RoomId(f"stored-{id}"), 0, log) for id in ids))
    await store.close()


async def by_public_rooms(number: int) -> Figures:
    """The cost of the complete list of public rooms."""

    def fetch(url: str) -> float:
        begin = time.perf_counter()
        with urllib.request.urlopen(url) as answer:
            answer.read()
        return (time.perf_counter() - begin) * 1e3

    async with fresh(MEMORY) as server:
        await fill(server, number, public=True)
        url = f"http://127.0.0.1:{server.port}/api/rooms"
        cpu, times = server.cpu(), []
        for _ in range(400):
            times.append(await asyncio.to_thread(fetch, url))
        spent = server.cpu() - cpu
        return {"list of public rooms, p50, ms": median(times), "its CPU, ms": spent / 400 * 1e3}


async def by_lobby_watchers(number: int) -> Figures:
    """CPU with 1 000 public rooms, games in some of them, and many people at the list."""
    async with fresh(MEMORY) as server, Crowd(server.url) as crowd:
        await fill(server, 1_000, public=True)
        pairs = await crowd.rooms(5, public=True)
        readers = [asyncio.create_task(_follow(watcher)) for watcher in await crowd.join(number)]
        await settle()
        cpu = server.cpu()
        async with asyncio.timeout(SECONDS + 30):
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                await asyncio.gather(*(pair.play_one(gap=0.05) for pair in pairs))
        spent = server.cpu() - cpu
        took = time.monotonic() - end + SECONDS
        for reader in readers:
            reader.cancel()
        return {"CPU while they look on, %": spent / took * 100}


async def _follow(watcher: Peer) -> None:
    await watcher.send("lobby", on=True)
    while True:
        await watcher.read()


def loop_lag(seconds: float = SECONDS) -> Figures:
    """The lag of an event loop like the server's, at rest and while every worker searches.

    The board is too large to be solved, so each search runs until its limit.
    """
    return uvloop.run(_loop_lag(seconds))


async def _loop_lag(seconds: float) -> Figures:
    large = Variant("6x6", 6, 6, 4)
    usual = Limits()
    pool = SearchPool(
        Metrics(), workers=usual.ai_workers, jobs=usual.ai_jobs, nodes=usual.ai_nodes, patience=10
    )
    await pool.start_workers()
    at_rest = await _late(seconds)
    searches = [
        asyncio.create_task(pool.judge(from_marks(large, 1 << x, 1 << o)))
        for x in range(36)
        for o in range(36)
        if x != o
    ]
    busy = await _late(seconds)
    for search in searches:
        search.cancel()
    await asyncio.gather(*searches, return_exceptions=True)
    await pool.close()
    return {"loop lag at rest, p99, ms": at_rest, "loop lag, AI searching, p99, ms": busy}


async def _late(seconds: float) -> float:
    """By how many ms a sleep of 1 ms is too long, at the 99th percentile."""
    end, late = time.perf_counter() + seconds, []
    while (begin := time.perf_counter()) < end:
        await asyncio.sleep(0.001)
        late.append((time.perf_counter() - begin - 0.001) * 1e3)
    return quantiles(late, n=100)[98]


CURVES: dict[str, tuple[Curve, tuple[int, ...]]] = {
    "open rooms": (by_rooms, (100, 1_000, 10_000)),
    "spectators": (by_spectators, (10, 100, 1_000, 5_000)),
    "quiet connections": (by_connections, (100, 1_000, 5_000)),
    "stored rooms": (by_stored_rooms, (1_000, 10_000, 100_000)),
    "public rooms": (by_public_rooms, (100, 1_000, 10_000)),
    "lobby watchers": (by_lobby_watchers, (1, 10, 100, 1_000)),
}
