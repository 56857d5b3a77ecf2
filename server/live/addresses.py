"""What each address has open, and how fast it opens more. Nothing here reads the time."""

from __future__ import annotations

from collections import Counter

from server.core.commands import Reason, Refused
from server.core.room import RoomId
from server.live.limits import MINUTE, Bucket, Limits

MANY = 1_000  # addresses; from here on those with a full bucket are forgotten


class Addresses:
    """Connections and rooms by address. A full bucket is as good as none, so few are kept."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._connections: Counter[str] = Counter()
        self._all_connections = 0
        self._creating: dict[str, Bucket] = {}
        self._rooms: Counter[str] = Counter()
        self._opened_by: dict[RoomId, str] = {}

    @property
    def is_full(self) -> bool:
        """Whether the server takes no further connection, from any address."""
        return self._all_connections >= self._limits.connections

    def connect(self, address: str) -> bool:
        """Count one more connection until `disconnect`; False if the address has too many."""
        if self.is_full:
            return False
        if self._connections[address] >= self._limits.connections_per_address:
            return False
        self._connections[address] += 1
        self._all_connections += 1
        return True

    def disconnect(self, address: str) -> None:
        self._all_connections -= 1
        self._connections[address] -= 1
        if not self._connections[address]:
            del self._connections[address]

    def may_open_room(self, address: str, now: float) -> None:
        """Raise `Refused` if this room is one too many; `room_opened` counts it once it is open."""
        limits = self._limits
        if self._rooms[address] >= limits.rooms_open_per_address:
            raise Refused(Reason.TOO_MANY_ROOMS)
        bucket = self._creating.get(address)
        if bucket is None:
            self._forget_quiet(now)
            bucket = Bucket(limits.rooms_per_minute / MINUTE, limits.rooms_per_minute)
            self._creating[address] = bucket
        if not bucket.take(now):
            raise Refused(Reason.TOO_MANY_ROOMS)

    def room_opened(self, address: str, room: RoomId) -> None:
        self._rooms[address] += 1
        self._opened_by[room] = address

    def room_slept(self, room: RoomId) -> None:
        address = self._opened_by.pop(room, None)
        if address is not None:
            self._rooms[address] -= 1
            if not self._rooms[address]:
                del self._rooms[address]

    def _forget_quiet(self, now: float) -> None:
        if len(self._creating) >= MANY:
            self._creating = {a: b for a, b in self._creating.items() if not b.is_full(now)}
