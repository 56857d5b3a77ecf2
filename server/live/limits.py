"""Every limit of the server, and the arithmetic of rates.

Nothing here reads the time. Callers pass it in, in seconds.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from noughts import shapes
from noughts.messages import REQUEST_LIMIT
from server.core.decide import CLAIM_AFTER, COVER_AFTER
from server.core.search import NODES

MINUTE = 60.0
DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Every bound that protects the server, with its default. Times are in seconds.

    The fields are the names that `--limit` takes. docs/hosting.md explains each of them.
    """

    frame: int = REQUEST_LIMIT
    commands_per_second: float = 10.0
    commands_at_once: int = 20
    malformed_per_minute: int = 10
    too_fast_per_minute: int = 100
    rooms_followed: int = 64
    connections: int = 10_000
    descriptors: float = 0.8
    tcp_per_address: int = 600
    connections_per_address: int = 500
    connections_per_address_crowded: int = 100
    rooms_per_minute_per_player: int = 20
    rooms_per_minute: int = 120
    rooms_per_day: int = 5_000
    rooms_open_per_address: int = 400
    rooms_awake: int = 20_000
    idle: float = 600.0
    unstarted: float = 86_400.0
    finished: float = 30 * 86_400.0
    handshake: float = 10.0
    hello: float = 10.0
    ping: float = 20.0
    quiet: float = 7.0
    pong: float = 4.0
    patience: float = 10.0
    outbox_frames: int = 64
    outbox_bytes: int = 64 * 1024
    ai_workers: int = max(1, (os.cpu_count() or 2) - 1)
    ai_jobs: int = 64
    ai_nodes: int = NODES
    ai_patience: float = 2.0

    def to_shape(self) -> shapes.Limits:
        """The limits that clients need to know, as sent in `welcome`."""
        return shapes.Limits(
            cover_after=COVER_AFTER,
            claim_after=CLAIM_AFTER,
            commands_per_second=int(self.commands_per_second),
            commands_at_once=self.commands_at_once,
            rooms_followed=self.rooms_followed,
        )

    def lift(self) -> Limits:
        """The same limits, without rates and counts for one address or one connection.

        Two of those stay, since the protocol promises them: `malformed_per_minute` and
        `rooms_followed`.
        """
        unlimited = 1_000_000_000
        return replace(
            self,
            commands_per_second=unlimited,
            commands_at_once=unlimited,
            too_fast_per_minute=unlimited,
            tcp_per_address=unlimited,
            connections_per_address=unlimited,
            connections_per_address_crowded=unlimited,
            rooms_per_minute_per_player=unlimited,
            rooms_per_minute=unlimited,
            rooms_per_day=unlimited,
            rooms_open_per_address=unlimited,
        )


class Bucket:
    """A rate: as many as `at_once` together, and `per_second` in the long run.

    All it stores is the time at which it will be full again.
    """

    __slots__ = ("_full_at", "_interval", "_longest")

    def __init__(self, per_second: float, at_once: int) -> None:
        self._interval = 1 / per_second
        self._longest = (at_once - 1 + 1e-6) / per_second  # tolerates rounding
        self._full_at = 0.0

    def take(self, now: float) -> bool:
        """Count one. False, and not counted, if it comes too fast."""
        full_at = self._full_at
        if full_at < now:
            full_at = now
        if full_at - now > self._longest:
            return False
        self._full_at = full_at + self._interval
        return True

    def has_one(self, now: float) -> bool:
        """Whether `take` would count one more now."""
        return self._full_at - now <= self._longest

    def is_full(self, now: float) -> bool:
        """Whether this bucket is as good as a new one."""
        return self._full_at <= now


class Strikes:
    """Counts the offences of the last minute."""

    __slots__ = ("_limit", "_times")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._times: list[float] = []

    def add(self, now: float) -> bool:
        """Count one more. True if the limit is reached."""
        self._times = [at for at in self._times if at > now - MINUTE] + [now]
        return len(self._times) >= self._limit
