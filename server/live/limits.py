"""How much one peer or one address may ask for. Arithmetic only: callers pass the time in."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace

from server.core.commands import Reason, Refused
from server.core.room import RoomId
from server.core.search import NODES
from server.live.outbox import BEHIND, PATIENCE, SMALL_FRAMES
from server.wire.requests import FRAME_LIMIT

MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Every bound that protects the server, with its usual value. Times are seconds.

    What happens at each of them is told in docs/hosting.md.
    """

    frame: int = FRAME_LIMIT
    commands_per_second: float = 10.0
    commands_at_once: int = 20
    malformed_per_minute: int = 10
    too_fast_per_minute: int = 100
    rooms_followed: int = 64
    connections: int = 10_000
    descriptors: float = 0.8
    connections_per_address: int = 50
    rooms_per_minute: int = 20
    rooms_open_per_address: int = 100
    rooms_awake: int = 20_000
    idle: float = 600.0
    unstarted: float = 86_400.0
    finished: float = 30 * 86_400.0
    handshake: float = 10.0
    hello: float = 10.0
    ping: float = 20.0
    patience: float = PATIENCE
    outbox_frames: int = SMALL_FRAMES
    outbox_bytes: int = BEHIND
    ai_workers: int = max(1, (os.cpu_count() or 2) - 1)
    ai_jobs: int = 64
    ai_nodes: int = NODES
    ai_patience: float = 0.8

    def lifted(self) -> Limits:
        """Without rates and counts for each address and connection."""
        none = 1_000_000_000
        return replace(
            self,
            commands_per_second=none,
            commands_at_once=none,
            too_fast_per_minute=none,
            connections_per_address=none,
            rooms_per_minute=none,
            rooms_open_per_address=none,
        )


class Bucket:
    """So many at once, refilled at a steady rate: all it keeps is when it will be full again."""

    __slots__ = ("_each", "_full_at", "_longest")

    def __init__(self, per_second: float, at_once: int) -> None:
        self._each = 1 / per_second
        self._longest = (at_once - 1 + 1e-6) / per_second  # a little for rounding
        self._full_at = 0.0

    def take(self, now: float) -> bool:
        full_at = self._full_at
        if full_at < now:
            full_at = now
        if full_at - now > self._longest:
            return False
        self._full_at = full_at + self._each
        return True

    def is_full(self, now: float) -> bool:
        return self._full_at <= now


class Strikes:
    """Counts what should not happen; true at the one too many within a minute."""

    __slots__ = ("_allowed", "_times")

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._times: list[float] = []

    def add(self, now: float) -> bool:
        self._times = [at for at in self._times if at > now - MINUTE] + [now]
        return len(self._times) >= self._allowed


class Addresses:
    """What each address has open, and how quickly it opens more."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._connections: Counter[str] = Counter()
        self._all_connections = 0
        self._creating: dict[str, Bucket] = {}
        self._rooms: Counter[str] = Counter()
        self._opened_by: dict[RoomId, str] = {}

    @property
    def is_full(self) -> bool:
        """Whether nobody else may connect, from wherever."""
        return self._all_connections >= self._limits.connections

    def connect(self, address: str) -> bool:
        """Whether one more connection is welcome; if so it is counted until `disconnect`."""
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
        """Refuse a room too many; `room_opened` counts it once it is open."""
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
        """Keep the table as small as the last minute: a full bucket is as good as none."""
        if len(self._creating) >= 1_000:
            self._creating = {a: b for a, b in self._creating.items() if not b.is_full(now)}
