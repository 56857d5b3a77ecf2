"""How long the AI may take for a move on a clock, as plain arithmetic.

It spends a small share of what its clock has left, and keeps a reserve for what it cannot plan: the
way to a worker and back, and a machine that is busy. A share of what is left never uses it up, so
the AI does not lose on time however long the game is.

>>> pace = pace_of(Clock.new(5_000).press(now=0), now=0)
>>> pace.seconds, pace.fewer(120_000)
(0.2, 30000)
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from server.core.clock import Clock

SHARE = 20  # a move takes the twentieth part of what can be spent
RESERVE = 1_000  # ms of a clock that are not spent
NODES_PER_SECOND = 240_000  # usually
LEAST = 500  # nodes; with fewer, an answer would come hardly sooner
ANSWER_WITHIN = 2.7  # seconds for a move, so that it is made within 3


class Pace(NamedTuple):
    """`seconds`: how long a move should take at most, its pause included.

    `within`: how many seconds an answer is waited for, on a machine that is too busy for that.
    """

    seconds: float
    within: float

    def fewer(self, nodes: int) -> int:
        """These nodes, or half of them again and again until a search takes no longer.

        Halves and not a proportion, so that the same positions have the same answers more often.
        """
        while nodes > self.seconds * NODES_PER_SECOND and nodes >= 2 * LEAST:
            nodes //= 2
        return nodes


UNHURRIED = Pace(inf, ANSWER_WITHIN)


def pace_of(clock: Clock | None, now: int) -> Pace:
    """The pace of the side to move. While its clock stands, it need not hurry."""
    if clock is None or clock.since is None:
        return UNHURRIED
    left = clock.left(clock.turn, now=now)
    spent = max(0, left - RESERVE) / SHARE + clock.increment
    return Pace(min(spent, left / 4) / 1000, min(ANSWER_WITHIN, left / 8 / 1000))
