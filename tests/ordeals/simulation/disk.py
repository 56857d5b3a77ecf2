"""A store whose writes take time and may fail, in a process that may die at any of them.

A `Disk` survives its processes; a `FakeStore` is the store of one process. As in the real store,
appends are committed in the order of the calls, whether or not the caller still waits.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from server.core.events import Event
from server.core.room import RoomId
from server.store import Conflict, Done, Entry, Store, Take, Unavailable, tail_of

# Where a process may die: at the call, before the commit, right after it, after the callback (which
# has answered, although nothing is flushed yet), and one turn of the event loop later.
CRASH_POINTS = ("asked", "queued", "committed", "told", "written")
TURNS = {"told": 0, "written": 1}


Told = Callable[[Sequence[Event], Exception | None, float], None]


class Disk:
    """The logs, and the chances of a fault on the way to them."""

    def __init__(self, dice: Random, seen: Counter[str]) -> None:
        self.logs: dict[RoomId, list[Event]] = {}
        self.dice = dice
        self.seen = seen
        self.crash = dice.choice((0.0, 0.02, 0.1))  # chance per append
        self.fault = dice.choice((0.0, 0.03))
        self.slowest = dice.choice((0.01, 0.2, 1.0))  # seconds

    def heal(self) -> None:
        self.crash = self.fault = 0.0

    def crash_point(self) -> str:
        return self.dice.choice(CRASH_POINTS) if self.dice.random() < self.crash else ""

    def is_faulty(self) -> bool:
        return self.dice.random() < self.fault

    def delay(self) -> float:
        return self.slowest * self.dice.random() ** 3

    def write(
        self, room: RoomId, expected: int, events: Sequence[Event]
    ) -> Conflict | Unavailable | None:
        log = self.logs.get(room, [])
        if self.is_faulty():
            self.seen["the store could not write"] += 1
            return Unavailable("disk full")
        if len(log) != expected:
            self.seen["conflicts"] += 1
            return Conflict(room)
        self.logs[room] = [*log, *events]
        return None


class FakeStore(Store):
    """`die` ends the process with the name of the place. `told` is called for each write."""

    def __init__(self, disk: Disk, die: Callable[[str], None], told: Told) -> None:
        self.is_dead = False
        self._disk = disk
        self._die = die
        self._told = told
        self._loop = asyncio.get_running_loop()
        self._busy_until = 0.0

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        if self.is_dead:
            return
        point = self._disk.crash_point()
        if point == "asked":
            self._die(point)
            return
        begin, delay = max(self._busy_until, self._loop.time()), self._disk.delay()
        if point == "queued":
            self._loop.call_at(begin + delay / 2, self._die, point)
        self._busy_until = begin + delay + 1e-6
        write = (self._busy_until, room, expected, take, done, self._loop.time(), point)
        self._loop.call_at(begin + delay * self._disk.dice.random(), self._take, *write)

    def _take(
        self,
        at: float,
        room: RoomId,
        expected: int,
        take: Take,
        done: Done,
        since: float,
        point: str,
    ) -> None:
        """Take the events, which closes the draft. They are written at the time `at`."""
        if not self.is_dead:
            self._loop.call_at(at, self._commit, room, expected, take(), done, since, point)

    def _commit(
        self,
        room: RoomId,
        expected: int,
        events: Sequence[Event],
        done: Done,
        since: float,
        point: str,
    ) -> None:
        if self.is_dead:
            return
        if len({event.at for event in events}) > 1:
            self._disk.seen["commands written together"] += 1
        problem = self._disk.write(room, expected, events)
        self._told(events, problem, since)
        if point == "committed":
            self._die(point if problem is None else "refused")
            return
        done(problem)
        if point in TURNS:
            self._die_after(TURNS[point], point if problem is None else "refused")

    def _die_after(self, turns: int, point: str) -> None:
        if turns:
            self._loop.call_soon(self._die_after, turns - 1, point)
        else:
            self._die(point)

    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        await asyncio.sleep(self._disk.delay())
        if self._disk.is_faulty():
            raise Unavailable("cannot read")
        found = tail_of(self._disk.logs.get(room, []), room, after)
        await asyncio.sleep(self._disk.delay())  # the log may have changed by then
        return found

    async def rooms(self, after: str = "", limit: int = 1_000) -> list[Entry]:
        return []  # no room is ever purged here

    async def remove(self, room: RoomId, expected: int) -> None:
        raise Unavailable("nobody removes a room here")

    async def can_write(self) -> bool:
        return True

    async def close(self) -> None:
        """Stop. Queued appends are still written."""
        await asyncio.sleep(max(0.0, self._busy_until - self._loop.time()) + 1e-6)
        self.is_dead = True
