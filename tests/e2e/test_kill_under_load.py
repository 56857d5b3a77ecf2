"""RELIABILITY.md P1–P4: `kill -9` at random moments under load, judged by the history checker."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random, randrange, uniform

from tests import history
from tests.e2e.persistence import Persistent
from tests.serving import Served, outlived, serving

ROOMS = 14
WATCHED = 4  # rooms that somebody looks on in
KILLS = int(os.environ.get("NOUGHTS_KILLS", "5"))
HANG = 60.0  # seconds for one round, which usually takes two


class Progress:
    """Counts accepted commands, and lets something happen at a certain one of them."""

    def __init__(self) -> None:
        self._left = 0
        self._reached = asyncio.Event()
        self._then: Callable[[], None] = lambda: None

    def count(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._then()
            self._reached.set()

    async def more(self, number: int, then: Callable[[], None] = lambda: None) -> None:
        """Wait for so many more; `then` is called while the last answer is still warm."""
        self._left, self._then = number, then
        self._reached.clear()
        await asyncio.wait_for(self._reached.wait(), HANG)


class Load:
    """Many rooms in which people play as fast as answers come, until `is_over`."""

    def __init__(self, ws: str) -> None:
        self.clients: list[Persistent] = []
        self.progress = Progress()
        self.is_over = asyncio.Event()
        self._ws = ws

    async def play(self, number: int) -> None:
        """One room: who opens it, who sits down, and perhaps who looks on."""
        opened: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        creation = {"type": "create", "nonce": f"{number}", "public": bool(number % 2)}
        async with asyncio.TaskGroup() as group:
            group.create_task(self._client().run(creation, self.is_over, opened))
            room = await opened
            sitting = {"type": "sit", "room": room, "seat": "O"}
            group.create_task(self._client().run(sitting, self.is_over))
            if number < WATCHED:
                watching = {"type": "watch", "room": room}
                group.create_task(self._client().run(watching, self.is_over))

    def _client(self) -> Persistent:
        token = secrets.token_urlsafe(32)
        self.clients.append(Persistent(self._ws, token, Random(), self.progress.count))
        return self.clients[-1]


async def kill(served: Served, progress: Progress) -> None:
    """`kill -9` in the very moment of some answer, or a little later, in full flight."""

    def at_once() -> None:
        os.kill(served.pid, signal.SIGKILL)

    if randrange(2):
        await progress.more(randrange(10, 300), at_once)
    else:
        await progress.more(randrange(10, 300))
        await asyncio.sleep(uniform(0, 0.02))
    await served.kill()


async def test_nothing_accepted_is_lost_or_doubled_when_the_server_is_killed(
    tmp_path: Path,
) -> None:
    file, family = tmp_path / "rooms.db", set[int]()
    async with AsyncExitStack() as stack:

        async def start(port: int) -> Served:
            server = serving(tmp_path, "--no-limits", store=f"sqlite:{file}", port=port)
            return await stack.enter_async_context(server)

        served = await start(0)
        load = Load(served.ws)
        async with asyncio.TaskGroup() as group:
            for number in range(ROOMS):
                group.create_task(load.play(number))
            for _ in range(KILLS):
                await load.progress.more(20)
                family |= served.family
                await kill(served, load.progress)
                served = await start(served.port)
            await load.progress.more(200)
            load.is_over.set()

        assert all(client.resumed > 1 for client in load.clients)
        assert not await outlived(family - served.family)  # no worker of a killed server is left
        await check_all(file, load.clients)
        assert await served.stop() == 0


async def check_all(file: Path, clients: list[Persistent]) -> None:
    rooms = {client.record.room for client in clients}
    assert len(rooms) == ROOMS
    for room in rooms:
        present = [client for client in clients if client.record.room == room]
        for client in present:
            await asyncio.wait_for(client.look(), HANG)
        log = await history.read_log(file, room)
        history.check(room, log, [client.record for client in present])
        history.check_convergence(room, log, [client.last for client in present])
    assert not [asked for client in clients for asked in client.record.asked if asked.refused]
