"""How much one peer or one address may ask for: every limit, and rates as arithmetic.

Nothing here reads the time. Callers pass it in, in seconds.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from noughts import shapes
from noughts.messages import FRAME_LIMIT
from server.core.decide import CLAIM_AFTER, COVER_AFTER
from server.core.search import NODES

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
    patience: float = 10.0
    outbox_frames: int = 64
    outbox_bytes: int = 64 * 1024
    ai_workers: int = max(1, (os.cpu_count() or 2) - 1)
    ai_jobs: int = 64
    ai_nodes: int = NODES
    ai_patience: float = 0.8

    def told(self) -> shapes.Limits:
        """The limits a client can plan with."""
        return shapes.Limits(
            cover_after=COVER_AFTER,
            claim_after=CLAIM_AFTER,
            commands_per_second=int(self.commands_per_second),
            commands_at_once=self.commands_at_once,
            rooms_followed=self.rooms_followed,
        )

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
