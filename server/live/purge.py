"""Removes old rooms: those in which nobody ever played, and finished ones.

Each step looks at a few rooms and the next step goes on behind them, so a step costs the same with
a million stored rooms as with a hundred. A game that waits for its next move is never removed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from server.core.commands import Refused
from server.core.evolve import replay
from server.core.room import Room, RoomId
from server.live.host import fold_log
from server.live.rooms import Rooms
from server.store import Conflict, Entry, Store, Unavailable

ROOMS_PER_STEP = 100  # rooms that one step looks at

log = logging.getLogger(__name__)


class Purge:
    """`keep_unstarted`, `keep_finished`: milliseconds for which such a room is kept."""

    def __init__(
        self,
        store: Store,
        rooms: Rooms,
        *,
        now: Callable[[], int],
        keep_unstarted: int,
        keep_finished: int,
    ) -> None:
        self._store = store
        self._rooms = rooms
        self._now = now
        self._keep_unstarted = keep_unstarted
        self._keep_finished = keep_finished
        self._unreplayable: set[RoomId] = set()  # rooms that have been logged as such
        self._after = ""  # the last room of the step before; "" to begin with the first room

    async def step(self) -> None:
        """Look at the next few rooms, and remove the old ones."""
        try:
            entries = await self._store.rooms(self._after, ROOMS_PER_STEP)
        except Unavailable:
            return
        self._after = entries[-1].room if len(entries) == ROOMS_PER_STEP else ""
        removed = sum([await self._remove_if_old(entry) for entry in entries])
        if removed:
            log.info("old rooms removed: %d", removed)

    async def _remove_if_old(self, entry: Entry) -> bool:
        age = self._now() - entry.changed
        if age < min(self._keep_unstarted, self._keep_finished) or entry.room in self._rooms:
            return False
        room = await self._read(entry.room)
        if room is None or not self._is_old(room, age) or entry.room in self._rooms:
            return False
        try:
            if await self._rooms.is_awake_elsewhere(entry.room):
                return False
            await self._store.remove(entry.room, entry.seq)
        except (Conflict, Refused, Unavailable):  # it has just changed, or there is a problem
            return False
        return True

    async def _read(self, id: RoomId) -> Room | None:
        """The room, or None if it cannot be read. Such a room is kept."""
        try:
            return await fold_log(self._store, id, replay)
        except Refused:
            return None
        except (ValueError, IndexError):
            if id not in self._unreplayable:
                self._unreplayable.add(id)
                log.exception("our fault: the log of room %s cannot be replayed", id)
            return None

    def _is_old(self, room: Room, age: int) -> bool:
        if room.is_unused() and age >= self._keep_unstarted:
            return True
        return room.is_done() and age >= self._keep_finished
