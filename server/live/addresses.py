"""What each address has open, and how fast it and its players open more rooms.

A school, a club or a family is one address, so an address is allowed what thirty people need. A
flood is bounded by what each player is allowed, and by what the whole server can bear.

Nothing here reads the time. Callers pass it in, in seconds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable

from server.core.commands import Reason, Refused, Whose
from server.core.events import PlayerId
from server.core.room import RoomId
from server.live.limits import DAY, MINUTE, Bucket, Limits

HOUSEHOLD = 64  # leading bits of an IPv6 address that one household shares
BUCKETS_KEPT = 1_000  # from here on, full buckets are dropped: they are as good as new


class Addresses:
    """`put_to_sleep` is called with rooms of one address when it has too many awake. It puts those
    to sleep that nobody follows.
    """

    def __init__(self, limits: Limits) -> None:
        self.put_to_sleep: Callable[[Iterable[RoomId]], None] = lambda _: None
        self._limits = limits
        self._connections: Counter[str] = Counter()
        self._all_connections = 0
        self._players = _Rates(limits.rooms_per_minute_per_player, MINUTE)
        self._minutes = _Rates(limits.rooms_per_minute, MINUTE)
        self._days = _Rates(limits.rooms_per_day, DAY)
        self._rooms: defaultdict[str, set[RoomId]] = defaultdict(set)  # awake, by their address
        self._opened_by: dict[RoomId, str] = {}

    def reason_against(self, address: str) -> str | None:
        """Why one more connection from this address is one too many, or None if it is not."""
        limits, open, held = self._limits, self._all_connections, self._connections[address]
        if open >= limits.connections:
            return "full"
        is_crowded = 2 * open >= limits.connections
        share = limits.connections_per_address
        if is_crowded:
            share = min(share, limits.connections_per_address_crowded)
        return "address" if held >= share else None

    def add_connection(self, address: str) -> None:
        """Count a connection until it is removed."""
        self._connections[address] += 1
        self._all_connections += 1

    def remove_connection(self, address: str) -> None:
        self._all_connections -= 1
        self._connections[address] -= 1
        if not self._connections[address]:
            del self._connections[address]

    def check_room_limits(self, address: str, player: PlayerId, now: float) -> None:
        """Call before a room is opened. Raises `Refused` (`too_many_rooms`) if it is one too many.

        If it is not, it counts for the rates. Call `add_room` once the room is open.
        """
        of_player = self._players.of(player, now)
        of_address = self._minutes.of(address, now), self._days.of(address, now)
        if not of_player.has_one(now):
            raise Refused(Reason.TOO_MANY_ROOMS, Whose.PLAYER)
        if not all(bucket.has_one(now) for bucket in of_address) or self._is_full(address):
            raise Refused(Reason.TOO_MANY_ROOMS, Whose.ADDRESS)
        for bucket in (of_player, *of_address):
            bucket.take(now)

    def _is_full(self, address: str) -> bool:
        """Whether this address has too many rooms awake, also without those nobody follows."""
        most = self._limits.rooms_open_per_address
        if address in self._rooms and len(self._rooms[address]) >= most:
            self.put_to_sleep(tuple(self._rooms[address]))
        return address in self._rooms and len(self._rooms[address]) >= most

    def add_room(self, address: str, room: RoomId) -> None:
        """Count an open room for this address, until `remove_room`."""
        self._rooms[address].add(room)
        self._opened_by[room] = address

    def remove_room(self, room: RoomId) -> None:
        """Count a room no longer. Ignored if it does not count for any address."""
        address = self._opened_by.pop(room, None)
        if address is not None:
            self._rooms[address].discard(room)
            if not self._rooms[address]:
                del self._rooms[address]


class _Rates:
    """The rate of each player or address."""

    def __init__(self, at_once: int, seconds: float) -> None:
        self._at_once = at_once
        self._per_second = at_once / seconds
        self._buckets: dict[Hashable, Bucket] = {}

    def of(self, key: Hashable, now: float) -> Bucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= BUCKETS_KEPT:
                self._buckets = {k: b for k, b in self._buckets.items() if not b.is_full(now)}
            bucket = self._buckets[key] = Bucket(self._per_second, self._at_once)
        return bucket
