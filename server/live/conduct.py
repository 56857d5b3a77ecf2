"""How one peer behaves: how fast it may ask, and how often it may break the rules."""

from __future__ import annotations

from noughts.messages import Close
from server.live.limits import Bucket, Limits, Strikes
from server.wire.closing import Closing


class Conduct:
    """`rate` counts every text, malformed or not. Callers pass the time in, in seconds."""

    __slots__ = ("_malformed", "_too_fast", "rate")

    def __init__(self, limits: Limits) -> None:
        self.rate = Bucket(limits.commands_per_second, limits.commands_at_once)
        self._malformed = Strikes(limits.malformed_per_minute)
        self._too_fast = Strikes(limits.too_fast_per_minute)

    def strike_malformed(self, now: float) -> None:
        """Count a malformed text. Raises `Closing` once the limit is reached."""
        if self._malformed.add(now):
            raise Closing(Close.POLICY, "too many malformed frames")

    def strike_too_fast(self, now: float) -> None:
        """Count a text that came too fast. Raises `Closing` once the limit is reached."""
        if self._too_fast.add(now):
            raise Closing(Close.POLICY, "too many frames")
