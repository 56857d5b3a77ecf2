"""Logs in a dict: gone with the process. For tests, load and trying things out."""

from __future__ import annotations

from heapq import nsmallest

from server.core.events import Event
from server.core.room import RoomId
from server.metrics import Times
from server.store import Conflict, Done, Entry, Store, Take


def open(_path: str, _took: Times) -> MemoryStore:
    return MemoryStore()


class MemoryStore(Store):
    def __init__(self) -> None:
        self._logs: dict[RoomId, list[Event]] = {}

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        events = take()
        log = self._logs.get(room)
        if expected != (0 if log is None else len(log)):
            done(Conflict(room))
            return
        if log is None:
            self._logs[room] = list(events)
        else:
            log += events
        done(None)

    async def load(self, room: RoomId) -> list[Event]:
        return list(self._logs.get(room, ()))

    async def rooms(self, after: str = "", limit: int = 1_000) -> list[Entry]:
        next_ = nsmallest(limit, (room for room in self._logs if room > after))
        return [Entry(room, len(self._logs[room]), self._logs[room][-1].at) for room in next_]

    async def remove(self, room: RoomId, expected: int) -> None:
        if expected != len(self._logs.get(room, ())):
            raise Conflict(room)
        del self._logs[room]

    async def can_write(self) -> bool:
        return True

    async def close(self) -> None:
        pass
