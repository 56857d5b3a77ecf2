"""The power fails under load: nodes and engine end at once, and only what is on the disk stays.

The engine's files are on a file system of its own, in a file. A cut is `kill -9` and a copy of that
file at the same moment: what the engine has only written, and not synced, is not in it. This needs
root and a loop device.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import randrange

from server.core.events import Event
from server.core.room import RoomId
from server.fleet.nats import connect
from server.fleet.store import FleetStore
from server.metrics import Times
from tests.ordeals.torture import Figures
from tests.ordeals.torture.load import ROOMS, Load, all_resumed, check_logs
from tests.support.engines import NatsServer, address, free_ports, nats_cluster, nats_server
from tests.support.serving import Served, serving

NODES = 2
MEGABYTES = 192
GO_ON = 50  # accepted commands after a cut


class Disk:
    """A file system in a file, mounted at `place`."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "disk"
        self.place.mkdir()
        self._folder = folder
        self._cuts = 0
        self._image = folder / "disk-0.img"
        with self._image.open("wb") as file:
            file.truncate(MEGABYTES << 20)
        _run("mkfs.ext4", "-q", "-F", self._image)

    def mount(self) -> None:
        _run("mount", "-o", "loop", self._image, self.place)

    def unmount(self) -> None:
        subprocess.run(["umount", self.place], check=False, capture_output=True)

    def keep_what_is_written(self) -> None:
        """Copy what has reached the disk; from now on that is all there is."""
        self._cuts += 1
        copy = self._folder / f"disk-{self._cuts}.img"
        shutil.copyfile(self._image, copy)
        self.unmount()
        self._image.unlink()
        self._image = copy
        self.mount()


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{command[0]}: {done.stderr}"


def is_possible() -> bool:
    """Whether this machine lets us mount a file."""
    tools = all(shutil.which(name) for name in ("mkfs.ext4", "mount", "umount"))
    return tools and os.geteuid() == 0 and Path("/dev/loop-control").exists()


async def ordeal(folder: Path, amount: int, sync: str = "always") -> Figures:
    """Cut the power so often. `sync`: how long the engine may wait before it syncs its files."""
    async with _disk(folder) as disk, nats_server(folder, disk.place, sync) as server:
        return await _run_all(folder, disk, [server], amount)


async def ordeal_on_three(folder: Path, amount: int) -> Figures:
    """The same with a cluster, whose servers all fail at once."""
    async with _disk(folder) as disk, nats_cluster(folder, disk.place) as servers:
        return await _run_all(folder, disk, servers, amount)


async def _run_all(folder: Path, disk: Disk, servers: list[NatsServer], amount: int) -> Figures:
    accepted: Counter[str] = Counter()
    slowest = 0.0
    for _ in range(amount):
        async with AsyncExitStack() as stack:
            found, took = await _play_and_cut(folder, disk, servers, stack)
        accepted += found
        slowest = max(slowest, took)
    return {
        "cuts": amount,
        "commands accepted": accepted.total(),
        "lost": 0,  # otherwise the history checker would have raised
        "doubled": 0,
        "slowest resume": f"{slowest:.1f} s",
    }


@asynccontextmanager
async def _disk(folder: Path) -> AsyncIterator[Disk]:
    disk = Disk(folder)
    disk.mount()
    try:
        yield disk
    finally:
        disk.unmount()


async def _play_and_cut(
    folder: Path, disk: Disk, servers: list[NatsServer], stack: AsyncExitStack
) -> tuple[Counter[str], float]:
    """One cut in the middle of play. Returns what was accepted, and when everybody was back."""

    store = address(*servers)

    async def start(port: int) -> Served:
        node = serving(folder, "--no-limits", store=store, port=port)
        return await stack.enter_async_context(node)

    ports = free_ports(NODES)
    nodes = [await start(port) for port in ports]
    load = Load(*(node.ws for node in nodes))
    async with asyncio.TaskGroup() as group:
        for number in range(ROOMS):
            group.create_task(load.play(number))
        await load.progress.more(randrange(100, 400))
        for server in servers:
            server.send(signal.SIGKILL)
        for node in nodes:
            os.kill(node.pid, signal.SIGKILL)
        begin, marks = time.monotonic(), load.marks()
        for server in servers:
            await server.end()
        await asyncio.to_thread(disk.keep_what_is_written)
        await asyncio.gather(*(server.start() for server in servers))
        nodes = [await start(port) for port in ports]
        await all_resumed(marks, begin)
        took = time.monotonic() - begin
        await load.progress.more(GO_ON)
        load.is_over.set()
    logs = FleetStore(await connect(store), Times())

    async def read(room: str) -> list[Event]:
        return await logs.load(RoomId(room))

    try:
        accepted = await check_logs(read, load.clients)
    finally:
        await logs.close()
    for node in nodes:
        assert await node.stop() == 0
    return accepted, took
