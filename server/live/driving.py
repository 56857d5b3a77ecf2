"""Rooms that must go on although nobody may be there: a clock runs, or an AI is to move.

Such a room stays awake on its node. Each node publishes the ids of its rooms of that kind, and when
a node is lost, the others share its rooms among themselves and wake them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import msgspec

from server.core.commands import Reason, Refused
from server.core.room import RoomId
from server.live.nodes import Nodes
from server.live.rooms import Rooms

RETRY_AFTER = 1.0  # seconds after a room that could not be read or written
WAKE_EVERY = 0.01  # seconds between two rooms, so that the people who are here need not wait

log = logging.getLogger(__name__)


class Driven(msgspec.Struct):
    """The rooms that a node keeps going."""

    rooms: list[RoomId]


class Driving:
    """`is_needed`: whether something besides its clock keeps a room going."""

    def __init__(self, rooms: Rooms, nodes: Nodes, is_needed: Callable[[RoomId], bool]) -> None:
        self._rooms = rooms
        self._nodes = nodes
        self._is_needed = is_needed
        self._elsewhere: dict[str, list[RoomId]] = {}
        self._to_wake: dict[RoomId, None] = {}
        self._task: asyncio.Task[None] | None = None

    def driven(self) -> Driven:
        """The rooms that this node keeps going, or is about to."""
        here = [
            host.id
            for host in self._rooms
            if host.room.deadline() is not None or self._is_needed(host.id)
        ]
        return Driven([*here, *self._to_wake])

    def hear(self, node: str, driven: Driven) -> None:
        self._elsewhere[node] = driven.rooms

    def forget(self, node: str, _at: int) -> None:
        """A node is lost: wake this node's share of its rooms."""
        others = tuple(self._nodes.others)
        for room in self._elsewhere.pop(node, ()):
            if room not in self._rooms and self._nodes.rank(room, others) == 0:
                self._to_wake[room] = None
        if self._to_wake and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._wake_all())

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _wake_all(self) -> None:
        while self._to_wake:
            room = next(iter(self._to_wake))
            is_to_wake = await self._try_to_wake(room)
            del self._to_wake[room]
            if is_to_wake:
                self._to_wake[room] = None  # behind the others
            await asyncio.sleep(RETRY_AFTER if is_to_wake else WAKE_EVERY)
        self._task = None

    async def _try_to_wake(self, room: RoomId) -> bool:
        """Wake a room. Returns whether to try again later."""
        try:
            await self._rooms.find(room)
        except Refused as refused:
            return refused.reason is Reason.RETRY
        except Exception:
            log.exception("our fault: room %s of a lost node cannot be woken", room)
        return False
