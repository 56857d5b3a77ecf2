"""What the server counts. Every move is counted, so counting is plain arithmetic.

There is no global state: a `Metrics` is passed to each part. `server/web/prometheus.py` formats it.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable

BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0)

# Why a handshake is turned away, with the status it gets.
HANDSHAKES = {
    "origin": 403,
    "banned": 403,
    "draining": 503,
    "full": 503,
    "address": 429,
    "malformed": 400,
}
KINDS = ("people", "person_and_ai", "ais")  # who played a game, by how many AIs there were


class Times:
    """A histogram of durations in seconds: one bucket for each bound, and one for the rest."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds


class Metrics:
    """`finished` counts games by variant, how they ended, and who played (`KINDS`).

    `turned_away` counts handshakes by the reason and the HTTP status (`HANDSHAKES`).
    """

    def __init__(self) -> None:
        self.rooms = 0  # awake
        self.opened: defaultdict[str, int] = defaultdict(int)  # rooms, by variant
        self.connections = 0
        self.accepted: defaultdict[str, int] = defaultdict(int)  # by type of request
        self.refused: defaultdict[tuple[str, str], int] = defaultdict(int)  # by type and reason
        self.finished: defaultdict[tuple[str, str, str], int] = defaultdict(int)
        self.turned_away: defaultdict[tuple[str, int], int] = defaultdict(int)  # reason, status
        self.aborted = 0  # connections that were one too many, closed unread
        self.closed: defaultdict[int, int] = defaultdict(int)  # sockets, by close code
        self.durable = Times()  # per commit, how long its oldest change waited
        self.broadcast = Times()  # one round of the scheduler
        self.ai = Times()  # to choose an AI's move, without the pause
        self.ai_queue = 0  # questions to the search in progress or waiting
        self.ai_hurried = 0  # answers found with fewer nodes than usual, or none in time
        self.ai_replaced = 0  # times that the search processes died or hung and were replaced
        # Asked for only when the metrics are read.
        self.started = time.time()
        self.bans: Callable[[], int] = int
        self.is_refusing: Callable[[], bool] = bool
        self.store_sizes: Callable[[], dict[str, int]] = dict
