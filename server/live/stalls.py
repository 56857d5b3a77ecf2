"""Whether our own event loop has just stood still.

A computer was asleep, the process was stopped, the machine had too little time for all: nobody can
be heard meanwhile, and afterwards everything that was sent arrives at once. That is not the peers'
doing. So what is judged by time does not count the time of a stall, nor what arrives just after it.
"""

from __future__ import annotations

from math import inf

MEASURE_EVERY = 0.5  # seconds
LATE = 0.5  # of them; a loop that is merely busy is not as late as this
FORGIVEN = 1.0  # seconds after a stall in which what has waited is worked through


class Stalls:
    """Callers pass the time in, in seconds."""

    def __init__(self) -> None:
        self._measured_at = inf  # not yet
        self._ended_at = -inf

    def measure(self, now: float) -> float:
        """For how long the loop has stood still, mostly 0. Call it every `MEASURE_EVERY`."""
        lost = now - self._measured_at - MEASURE_EVERY
        self._measured_at = now
        if lost < LATE:
            return 0.0
        self._ended_at = now
        return lost

    def is_recent(self, now: float) -> bool:
        """Whether the loop has just stood still, also if that has not been measured yet."""
        is_late = now - self._measured_at > MEASURE_EVERY + LATE
        return is_late or now - self._ended_at < FORGIVEN
