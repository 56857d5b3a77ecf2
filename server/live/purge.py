"""Old rooms go: those nobody ever played in after a day, finished ones after a month.

A few at a time and round and round, so that a million stored rooms are no more work in any moment
than a hundred. A game that waits for its next move stays for good.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from server.core.commands import Refused
from server.core.room import Room
from server.live.host import read_room
from server.live.rooms import Rooms
from server.store import Conflict, Entry, Store, Unavailable

AT_ONCE = 100  # rooms looked at in one step

log = logging.getLogger(__name__)


class Purge:
    """`unused` and `done`: for how long such a room stays, in milliseconds."""

    def __init__(
        self, store: Store, rooms: Rooms, *, now: Callable[[], int], unused: int, done: int
    ) -> None:
        self._store = store
        self._rooms = rooms
        self._now = now
        self._unused = unused
        self._done = done
        self._after = ""

    async def step(self) -> int:
        """Look at some more rooms, and say how many of them are gone now."""
        try:
            entries = await self._store.rooms(self._after, AT_ONCE)
        except Unavailable:
            return 0
        self._after = entries[-1].room if len(entries) == AT_ONCE else ""
        gone = [entry for entry in entries if await self._goes(entry)]
        if gone:
            log.info("old rooms removed: %d", len(gone))
        return len(gone)

    async def _goes(self, entry: Entry) -> bool:
        age = self._now() - entry.changed
        if age < min(self._unused, self._done) or entry.room in self._rooms:
            return False
        try:
            room = await read_room(self._store, entry.room)
            if room is None or not self._is_old(room, age) or entry.room in self._rooms:
                return False
            await self._store.remove(entry.room, entry.seq)
        except (Conflict, Unavailable, Refused):  # it is needed, or the store has other worries
            return False
        return True

    def _is_old(self, room: Room, age: int) -> bool:
        return (room.is_unused() and age >= self._unused) or (room.is_done() and age >= self._done)
