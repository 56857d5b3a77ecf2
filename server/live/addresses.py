"""What each address has open, and how fast it opens more rooms.

Nothing here reads the time. Callers pass it in, in seconds.
"""

from __future__ import annotations

from collections import Counter

from server.core.commands import Reason, Refused, Whose
from server.core.room import RoomId
from server.live.limits import MINUTE, Bucket, Limits

HOUSEHOLD = 64  # leading bits of an IPv6 address that one household shares
BUCKETS_KEPT = 1_000  # from here on, full buckets are dropped: they are as good as new


class Addresses:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._connections: Counter[str] = Counter()
        self._all_connections = 0
        self._buckets: dict[str, Bucket] = {}  # the rate of new rooms
        self._rooms: Counter[str] = Counter()
        self._opened_by: dict[RoomId, str] = {}

    @property
    def is_full(self) -> bool:
        """Whether the server takes no further connection, from any address."""
        return self._all_connections >= self._limits.connections

    def add_connection(self, address: str) -> bool:
        """Count a connection until it is removed. False, and not counted, if it is one too many."""
        if self.is_full:
            return False
        if self._connections[address] >= self._limits.connections_per_address:
            return False
        self._connections[address] += 1
        self._all_connections += 1
        return True

    def remove_connection(self, address: str) -> None:
        self._all_connections -= 1
        self._connections[address] -= 1
        if not self._connections[address]:
            del self._connections[address]

    def check_room_limits(self, address: str, now: float) -> None:
        """Call before a room is opened. Raises `Refused` (`too_many_rooms`) if it is one too many.

        If it is not, it counts for the rate. Call `add_room` once the room is open.
        """
        limits = self._limits
        if self._rooms[address] >= limits.rooms_open_per_address:
            raise Refused(Reason.TOO_MANY_ROOMS, Whose.ADDRESS)
        bucket = self._buckets.get(address)
        if bucket is None:
            self._drop_full_buckets(now)
            bucket = Bucket(limits.rooms_per_minute / MINUTE, limits.rooms_per_minute)
            self._buckets[address] = bucket
        if not bucket.take(now):
            raise Refused(Reason.TOO_MANY_ROOMS, Whose.ADDRESS)

    def add_room(self, address: str, room: RoomId) -> None:
        """Count an open room for this address, until `remove_room`."""
        self._rooms[address] += 1
        self._opened_by[room] = address

    def remove_room(self, room: RoomId) -> None:
        """Count a room no longer. Ignored if it does not count for any address."""
        address = self._opened_by.pop(room, None)
        if address is not None:
            self._rooms[address] -= 1
            if not self._rooms[address]:
                del self._rooms[address]

    def _drop_full_buckets(self, now: float) -> None:
        if len(self._buckets) >= BUCKETS_KEPT:
            self._buckets = {a: b for a, b in self._buckets.items() if not b.is_full(now)}
