"""Several nodes and their engine under load, and each of them is killed, stopped or restarted.

The history checker judges what every client saw. Nothing accepted may be lost or doubled.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle, islice
from pathlib import Path
from random import choice, randrange, uniform

from server.core.events import Event
from server.core.room import RoomId
from server.fleet.nats import connect, number_of
from server.fleet.store import FleetStore
from server.metrics import Times
from tests.ordeals.torture import Figures
from tests.ordeals.torture.load import HANG, ROOMS, Load, all_resumed, check_logs
from tests.ordeals.torture.proxy import Proxy, proxied
from tests.support.engines import (
    NatsServer,
    address,
    all_current,
    free_ports,
    nats_cluster,
    nats_server,
    streams_led_by,
)
from tests.support.serving import Served, serving

NODES = 3
ROUND = 10  # disasters with the same rooms; then their logs are checked, and new rooms opened
RESTARTED_WITHIN = 3.0  # seconds until everybody is back after a planned restart
GO_ON = 100  # accepted commands after which everybody plays again


class Fleet:
    """The nodes, the servers of the engine, and the load on them.

    The first node reaches the engine through a proxy, which can cut it off.
    """

    def __init__(
        self, folder: Path, servers: list[NatsServer], proxy: Proxy, stack: AsyncExitStack
    ) -> None:
        self.servers = servers
        self.proxy = proxy
        self.nodes: list[Served] = []
        self.store = address(*servers)
        self.load = Load("")
        self.slowest: defaultdict[str, float] = defaultdict(
            float
        )  # seconds until people are back, by disaster
        self.counts: Counter[str] = Counter()
        self._folder = folder
        self._stack = stack

    async def start_node(self, place: int, port: int) -> Served:
        store = self.proxy.url.replace("http", "nats", 1) if place == 0 else self.store
        return await self._stack.enter_async_context(
            serving(self._folder, "--no-limits", store=store, port=port)
        )

    async def start(self) -> None:
        self.nodes = [await self.start_node(*each) for each in enumerate(free_ports(NODES))]

    async def until_all_play(self, so: Callable[[str], bool] = lambda _: True) -> None:
        """Wait until somebody in every room (with `so`) has had another command accepted."""
        before = self._accepted()
        async with asyncio.timeout(HANG):
            while any(so(room) and n <= before[room] for room, n in self._accepted().items()):
                await asyncio.sleep(0.02)

    def _accepted(self) -> Counter[str]:
        accepted: Counter[str] = Counter()
        for client in self.load.clients:
            accepted[client.record.room] += len(client.record.asked)
        return accepted

    def measure(self, name: str, since: float) -> None:
        print(name, time.monotonic() - since)
        self.counts[name] += 1
        self.slowest[name] = max(self.slowest[name], round(time.monotonic() - since, 1))

    async def replace_node(
        self, place: int, name: str, end: Callable[[Served], Awaitable[object]]
    ) -> None:
        """End one node while people play; those who were there come back to another one."""
        node = self.nodes[place]
        begin = time.monotonic()
        marks = [(client, resumed) for client, resumed in self.load.marks() if client.ws == node.ws]
        await end(node)
        if marks:
            await all_resumed(marks, begin)
        self.measure(name, begin)
        self.nodes[place] = await self.start_node(place, node.port)


# ----------------------------------------------------------------------------------- disasters


async def kill_node(fleet: Fleet) -> None:
    await fleet.replace_node(randrange(NODES), "node killed", Served.kill)


async def terminate_node(fleet: Fleet) -> None:
    await fleet.replace_node(randrange(NODES), "node restarted", Served.stop)


async def restart_all_nodes(fleet: Fleet) -> None:
    """One after the other, as for an upgrade."""
    for place in range(NODES):
        await fleet.replace_node(place, "node restarted in turn", Served.stop)


async def kill_server(fleet: Fleet) -> None:
    """Kill one server of the engine, and start it again."""
    await _restart_server(fleet, "engine killed", signal.SIGKILL)


async def terminate_server(fleet: Fleet) -> None:
    await _restart_server(fleet, "engine restarted", signal.SIGTERM)


async def _restart_server(fleet: Fleet, name: str, number: signal.Signals) -> None:
    if len(fleet.servers) > 1:
        await _restart_server_of_three(fleet, name, number)
        return
    [server] = fleet.servers
    begin = time.monotonic()
    await server.end(number)
    await asyncio.sleep(uniform(0, 0.5))
    await server.start()
    await fleet.until_all_play()
    fleet.measure(name, begin)


async def _restart_server_of_three(fleet: Fleet, name: str, number: signal.Signals) -> None:
    """End a server that is a leader for some rooms, and a follower for others."""
    led_by = {server: await streams_led_by(server) for server in fleet.servers}
    server = choice([server for server, led in led_by.items() if led])
    led = led_by[server]

    def is_led(room: str) -> bool:
        return f"NOUGHTS_{number_of(RoomId(room))}" in led

    async def measure(role: str, so: Callable[[str], bool]) -> None:
        await fleet.until_all_play(so)
        fleet.measure(f"{name} ({role})", begin)

    begin = time.monotonic()
    await server.end(number)
    async with asyncio.TaskGroup() as group:
        group.create_task(measure("leader", is_led))
        group.create_task(measure("follower", lambda room: not is_led(room)))
    await server.start()
    await all_current(server)  # otherwise the next one to be killed might be one too many


async def stop_server(fleet: Fleet) -> None:
    """Let a server of the engine stand still for a while."""
    server, seconds = choice(fleet.servers), uniform(1, 10)
    server.send(signal.SIGSTOP)
    await asyncio.sleep(seconds)
    server.send(signal.SIGCONT)
    begin = time.monotonic()
    await fleet.until_all_play()
    fleet.measure("engine stopped", begin)


async def cut_node(fleet: Fleet) -> None:
    """Let nothing through between one node and the engine for a while."""
    fleet.proxy.swallow(new_ones_too=True)
    await asyncio.sleep(choice((2, 6, 20)))
    fleet.proxy.heal()
    begin = time.monotonic()
    await fleet.until_all_play()
    fleet.measure("node cut off", begin)


Disaster = Callable[[Fleet], Awaitable[None]]
QUICK: tuple[Disaster, ...] = (kill_node, kill_server, terminate_node)
ON_ONE: tuple[Disaster, ...] = (
    *QUICK,
    kill_node,
    stop_server,
    kill_node,
    terminate_server,
    kill_node,
    cut_node,
    restart_all_nodes,
)
ON_THREE: tuple[Disaster, ...] = (kill_server, kill_node, terminate_server, stop_server)


async def ordeal(folder: Path, amount: int) -> Figures:
    """Disasters with one server of the engine."""
    async with nats_server(folder) as server:
        return await _run(folder, [server], islice(cycle(ON_ONE), amount))


async def ordeal_on_three(folder: Path, amount: int) -> Figures:
    """Disasters with a cluster of three servers, of which any may be a leader."""
    async with nats_cluster(folder) as servers:
        return await _run(folder, servers, islice(cycle(ON_THREE), amount))


async def _run(folder: Path, servers: list[NatsServer], disasters: Iterator[Disaster]) -> Figures:
    accepted: Counter[str] = Counter()
    async with _fleet(folder, servers) as fleet:
        while plan := list(islice(disasters, ROUND)):
            accepted += await _round(fleet, plan)
        for node in fleet.nodes:
            assert await node.stop() == 0
    for log in folder.glob("server-*.log"):
        assert "Traceback" not in log.read_text(), log.read_text()
    if fleet.counts.total() > len(QUICK):  # a few of them may meet a busy machine
        for name in ("node restarted", "node restarted in turn"):
            took = fleet.slowest.get(name, 0.0)
            assert took < RESTARTED_WITHIN, f"{name}: {took} s"
    return {
        **fleet.counts,
        "commands accepted": accepted.total(),
        "lost": 0,  # otherwise the history checker would have raised
        "doubled": 0,
        **{f"slowest after {name}": f"{seconds} s" for name, seconds in fleet.slowest.items()},
    }


@asynccontextmanager
async def _fleet(folder: Path, servers: list[NatsServer]) -> AsyncIterator[Fleet]:
    async with (
        proxied(f"http://127.0.0.1:{servers[0].port}") as proxy,
        AsyncExitStack() as stack,
    ):
        fleet = Fleet(folder, servers, proxy, stack)
        await fleet.start()
        yield fleet


async def _round(fleet: Fleet, plan: list[Disaster]) -> Counter[str]:
    load = fleet.load = Load(*(node.ws for node in fleet.nodes))
    async with asyncio.TaskGroup() as group:
        for number in range(ROOMS):
            group.create_task(load.play(number))
        for disaster in plan:
            await load.progress.more(randrange(20, 200))
            await disaster(fleet)
        await load.progress.more(GO_ON)
        load.is_over.set()
    store = FleetStore(await connect(fleet.store), Times())

    async def read(room: str) -> list[Event]:
        return await store.load(RoomId(room))

    try:
        return await check_logs(read, load.clients)
    finally:
        await store.close()
