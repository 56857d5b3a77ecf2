"""The load of the ordeals: rooms full of people who always reconnect.

Also shared by the ordeals: a server that restarts on its port, and the check that nothing was lost.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random

from server.core.events import Event
from server.core.rules import VARIANTS
from tests.ordeals.torture.persistence import Persistent
from tests.support import history
from tests.support.fetching import fetch
from tests.support.serving import Served, serving

ROOMS = 14
WATCHED = 4  # rooms with a spectator
HANG = 60.0  # seconds for one round, which usually takes two

Start = Callable[[int], Awaitable[Served]]
Marks = list[tuple[Persistent, int]]  # clients, and how often each had resumed


class Progress:
    """Counts accepted commands, and calls a function at a certain count."""

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
        """Wait for `number` more; `then` is called at the moment of the last one."""
        self._left, self._then = number, then
        self._reached.clear()
        await asyncio.wait_for(self._reached.wait(), HANG)


class Load:
    """Many rooms in which people play as fast as answers come (or `pause`), until `is_over`."""

    def __init__(self, *ws: str, pause: float = 0.0) -> None:
        self.clients: list[Persistent] = []
        self.progress = Progress()
        self.is_over = asyncio.Event()
        self._ws = ws
        self._pause = pause

    async def play(self, number: int) -> None:
        """Play in one room with two players, and perhaps a spectator."""
        opened: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        creation = {
            "type": "create",
            "variant": list(VARIANTS)[number % len(VARIANTS)],
            "nonce": f"{number}",
            "public": bool(number % 2),
        }
        async with asyncio.TaskGroup() as group:
            group.create_task(self._client().run(creation, self.is_over, opened))
            room = await opened
            sitting = {"type": "sit", "room": room, "seat": "O"}
            group.create_task(self._client().run(sitting, self.is_over))
            if number < WATCHED:
                watching = {"type": "watch", "room": room}
                group.create_task(self._client().run(watching, self.is_over))

    def marks(self) -> Marks:
        """Everybody who is connected now, for `all_resumed`."""
        return [(client, client.resumed) for client in self.clients]

    def _client(self) -> Persistent:
        token, count = secrets.token_urlsafe(32), self.progress.count
        self.clients.append(Persistent(self._ws, token, Random(), count, self._pause))
        return self.clients[-1]


async def all_resumed(marks: Marks, since: float) -> float:
    """Wait until each has seen a state on a new connection. Returns the longest time."""
    async with asyncio.timeout(HANG):
        while any(client.resumed <= before for client, before in marks):
            await asyncio.sleep(0.01)
    return max(client.resumed_at for client, _ in marks) - since


@asynccontextmanager
async def restarting(file: Path) -> AsyncIterator[Start]:
    """A function that starts a server, each time on the same port and the same `file`."""
    async with AsyncExitStack() as stack:

        async def start(port: int) -> Served:
            server = serving(file.parent, "--no-limits", store=f"sqlite:{file}", port=port)
            return await stack.enter_async_context(server)

        yield start
    for log in file.parent.glob("server-*.log"):
        assert "Traceback" not in log.read_text(), log.read_text()


async def metric(served: Served, name: str) -> float:
    """One number of `GET /metrics`."""
    text = (await asyncio.to_thread(fetch, served, "/metrics")).text
    [value] = [line.split()[1] for line in text.splitlines() if line.startswith(f"{name} ")]
    return float(value)


Read = Callable[[str], Awaitable[list[Event]]]


async def check(file: Path, clients: list[Persistent]) -> Counter[str]:
    """Check that every accepted command happened once. Returns their number by type."""
    return await check_logs(partial(history.read_log, file), clients)


async def check_logs(read: Read, clients: list[Persistent]) -> Counter[str]:
    """The same, with a function that reads the log of a room."""
    for room in {client.record.room for client in clients}:
        present = [client for client in clients if client.record.room == room]
        for client in present:
            await asyncio.wait_for(client.look(), HANG)
        log = await read(room)
        history.check(room, log, [client.record for client in present])
        history.check_convergence(room, log, [client.last for client in present])
    asked = [asked for client in clients for asked in client.record.asked]
    assert not [each for each in asked if each.refused]
    return Counter(each.command["type"] for each in asked)
