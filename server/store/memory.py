"""Logs in a dict, which end with the process. For tests, benchmarks and trying things out."""

from __future__ import annotations

from heapq import nsmallest

from server.core.events import Event
from server.core.room import RoomId
from server.metrics import Times
from server.store import Conflict, Done, Entry, Store, Take, tail_of


def open(_path: str, _took: Times) -> MemoryStore:
    return MemoryStore()


class MemoryStore(Store):
    def __init__(self) -> None:
        self._logs: dict[RoomId, list[Event]] = {}

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        events = take()
        log = self._logs.get(room, [])
        if len(log) != expected:
            done(Conflict(room))
            return
        log += events
        self._logs[room] = log
        done(None)

    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        return tail_of(self._logs.get(room, []), room, after)

    async def rooms(self, after: str = "", limit: int = 1_000) -> list[Entry]:
        next_ = nsmallest(limit, (room for room in self._logs if room > after))
        return [Entry(room, len(self._logs[room]), self._logs[room][-1].at) for room in next_]

    async def remove(self, room: RoomId, expected: int) -> None:
        if room not in self._logs or len(self._logs[room]) != expected:
            raise Conflict(room)
        del self._logs[room]

    async def can_write(self) -> bool:
        return True

    async def close(self) -> None:
        pass
