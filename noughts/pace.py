"""How fast a program may ask: some commands at once, then so many per second. Knows no clock.

>>> pace = Pace(rate=10, at_once=2, now=0.0)
>>> [round(pace.take(now=0.0), 1) for _ in range(4)]
[0.0, 0.0, 0.1, 0.2]
"""

from __future__ import annotations

RESERVE = 0.1  # of what the server allows: a bad network brings commands closer together


class Pace:
    """Callers pass the time in, in seconds."""

    def __init__(self, rate: float, at_once: float, now: float) -> None:
        self._rate = rate
        self._at_once = at_once
        self._left = at_once
        self._at = now

    @classmethod
    def within(cls, rate: int, at_once: int, now: float) -> Pace:
        """A pace that stays below these limits of a server."""
        return cls(rate * (1 - RESERVE), max(1, at_once * (1 - RESERVE)), now)

    def take(self, now: float) -> float:
        """The seconds to wait before the next command may be sent."""
        self._left = min(self._at_once, self._left + (now - self._at) * self._rate) - 1
        self._at = now
        return max(0.0, -self._left / self._rate)
