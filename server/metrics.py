"""What the server counts. Counting happens at every move, so it is plain arithmetic.

Handed in, never global; `server/web/prometheus.py` writes it down for those who look.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0)


class Times:
    """How long something took, counted in buckets: one for each bound, one for the rest."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds


class Metrics:
    def __init__(self) -> None:
        self.rooms = 0  # awake
        self.connections = 0
        self.accepted: defaultdict[str, int] = defaultdict(int)  # by type of command
        self.refused: defaultdict[tuple[str, str], int] = defaultdict(int)  # by type and reason
        self.durable = Times()  # from a decided command to its events being durable
        self.broadcast = Times()  # to write what one tick has for everybody
        self.ai = Times()  # from an AI's turn to its choice, without the pause
        self.ai_queue = 0  # choices being computed or waiting
        self.ai_replaced = 0  # pools, dead or hanging
