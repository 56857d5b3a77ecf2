"""Removes old rooms: those in which nobody ever played, and finished ones.

Each step looks at a few rooms and the next step goes on behind them, so a step costs the same with
a million stored rooms as with a hundred. A game that waits for its next move is never removed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from server.core.commands import Refused
from server.core.room import Room
from server.live.host import read_room
from server.live.rooms import Rooms
from server.store import Conflict, Entry, Store, Unavailable

BATCH = 100  # rooms that one step looks at

log = logging.getLogger(__name__)


class Purge:
    """`keep_unused`, `keep_done`: milliseconds for which an unused or a finished room is kept."""

    def __init__(
        self,
        store: Store,
        rooms: Rooms,
        *,
        now: Callable[[], int],
        keep_unused: int,
        keep_done: int,
    ) -> None:
        self._store = store
        self._rooms = rooms
        self._now = now
        self._keep_unused = keep_unused
        self._keep_done = keep_done
        self._after = ""  # the last room of the step before; "" to begin with the first room

    async def step(self) -> int:
        """Look at the next few rooms, remove the old ones, and return how many those were."""
        try:
            entries = await self._store.rooms(self._after, BATCH)
        except Unavailable:
            return 0
        self._after = entries[-1].room if len(entries) == BATCH else ""
        removed = sum([await self._remove_if_old(entry) for entry in entries])
        if removed:
            log.info("old rooms removed: %d", removed)
        return removed

    async def _remove_if_old(self, entry: Entry) -> bool:
        age = self._now() - entry.changed
        if age < min(self._keep_unused, self._keep_done) or entry.room in self._rooms:
            return False
        try:
            room = await read_room(self._store, entry.room)
            if room is None or not self._is_old(room, age) or entry.room in self._rooms:
                return False
            await self._store.remove(entry.room, entry.seq)
        except (Conflict, Unavailable, Refused):  # it has just changed, or the store has a problem
            return False
        return True

    def _is_old(self, room: Room, age: int) -> bool:
        if room.is_unused() and age >= self._keep_unused:
            return True
        return room.is_done() and age >= self._keep_done
