"""One server process: the real rooms, lobby, hosts, peers and sockets, between fake edges.

What is not real: the store, the network, the time, and the pool's worker processes. A crash
leaves nothing behind but the disk: whatever still runs of a dead process reaches nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import ContextVar, copy_context
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any, cast

from noughts.messages import Close
from server.ai.pace import Pace
from server.ai.pool import SearchPool
from server.bus import Alone, Bus
from server.core import levels
from server.core.rules import Position
from server.fleet.store import FleetStore
from server.live.host import RoomHost
from server.live.house import House
from server.live.limits import Limits
from server.metrics import Metrics, Times
from server.store import Store
from server.web.websocket import Phase, Socket
from tests.ordeals.simulation.disk import Disk, FakeStore, Told
from tests.ordeals.simulation.hub import FakeEngine, Hub
from tests.ordeals.simulation.network import Line

EPOCH = 1_794_700_800_000  # ms since 1970 at which every simulated world begins
LIMITS = replace(Limits().lift(), outbox_bytes=1_000)  # two states more, and one is behind

Work = Coroutine[Any, Any, Any] | Generator[Any, None, Any]

_owner: ContextVar[Process] = ContextVar("owner")
_weights = lru_cache(10_000)(levels.weights)


def new_task(loop: asyncio.AbstractEventLoop, work: Work) -> asyncio.Task[Any]:
    """The loop's task factory: a task belongs to the process in whose context it was made."""
    task = asyncio.Task(work, loop=loop)
    owner = _owner.get(None)
    if owner is not None:
        owner.tasks[task] = None
        task.add_done_callback(owner.tasks.pop)
        if owner.has_ended:
            task.cancel()
    return task


class QuickPool:
    """Stands in for the pool of processes: answers after a moment."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice

    def start_workers(self) -> None: ...

    async def close(self) -> None: ...

    async def weights(
        self, position: Position, level: str, asker: str, pace: Pace
    ) -> levels.Weights:
        await asyncio.sleep(self._dice.random())
        return _weights(position, level)


class Process:
    """`idle`: how long an unused room stays awake. `skew`: how wrong its clock is. Both in ms.

    A process with a disk is alone; one with a hub is the node `name` of a fleet.
    """

    def __init__(
        self,
        disk: Disk | Hub,
        name: str,
        *,
        idle: int,
        skew: int,
        on_end: Callable[[Process, str], None],
        on_sleep: Callable[[RoomHost], None],
        on_write: Told,
    ) -> None:
        self.tasks: dict[asyncio.Task[Any], None] = {}
        self.lines: dict[Line, Socket] = {}
        self.is_open = True
        self.has_ended = False
        self._loop = asyncio.get_running_loop()
        self._skew = skew
        self._dice = disk.dice
        self._on_end = on_end
        self.awake_since: dict[str, float] = {}  # rooms, with the time
        self._context = copy_context()
        self._context.run(self._start, disk, name, on_write, idle, on_sleep)

    def _start(
        self,
        disk: Disk | Hub,
        name: str,
        on_write: Told,
        idle: int,
        on_sleep: Callable[[RoomHost], None],
    ) -> None:
        """Build the house as `server/app.py` does."""
        _owner.set(self)
        store: Store
        bus: Bus
        if isinstance(disk, Hub):
            self.engine = bus = FakeEngine(disk, self.crash, on_write)
            self._connection: FakeEngine | FakeStore = bus
            store = FleetStore(bus, Times())
        else:
            bus = Alone()
            store = self._connection = FakeStore(disk, self.crash, on_write)
        pool = cast(SearchPool, QuickPool(self._dice))
        limits = replace(LIMITS, idle=idle / 1000, rooms_awake=100)
        self.house = House(
            store, bus, limits, Metrics(), now=self._now, ai_pause=0, node=name, pool=pool
        )
        self.house.rooms.on_sleep += [on_sleep, self._note_asleep]
        self.house.rooms.on_change.append(self._note_awake)
        self._sweeping = self._loop.create_task(self._sweep())
        self._beating = self._loop.create_task(self._beat())

    def _note_awake(self, host: RoomHost) -> None:
        self.awake_since.setdefault(host.id, self._loop.time())

    def _note_asleep(self, host: RoomHost) -> None:
        del self.awake_since[host.id]

    def _now(self) -> int:
        return EPOCH + self._skew + int(self._loop.time() * 1000)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(self._dice.random())
            await self.house.sweep()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            await self.house.beat()

    def serve(self, line: Line) -> None:
        socket = self._context.run(Socket, line, self.house, "somewhere")
        self.lines[line] = socket
        line.is_busy = lambda: _is_busy(socket)
        socket.lost.add_done_callback(lambda _: self.lines.pop(line, None))

    async def restart(self) -> None:
        """As on SIGTERM: say goodbye, let what is queued become durable, and end."""
        self.is_open = False
        self.house.is_draining = True
        sockets = tuple(self.lines.values())
        for socket in sockets:
            socket.close(Close.RESTARTING, "restarting")
        await asyncio.gather(*(socket.lost for socket in sockets))
        await self.house.close()
        self.crash("restarting")

    def crash(self, point: str) -> None:
        """The process is no more. `point` says where it was."""
        if self.has_ended:
            return
        self.is_open, self.has_ended = False, True
        self._connection.is_dead = True
        for line, socket in self.lines.items():
            line.die()
            socket._phase = Phase.CLOSED  # it handles nothing more, and says nothing
        for task in tuple(self.tasks):  # once they have begun: else what they await never is
            self._loop.call_soon(task.cancel)
        self._on_end(self, point)


def _is_busy(socket: Socket) -> bool:
    """Whether it is answering something, or has something to answer."""
    return socket._peer.is_busy or (socket._phase is Phase.OPEN and not socket._reader.is_fresh)
