"""What a search says about a move, and which of two verdicts is better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from server.core.rules import Cell

Value = Literal["win", "draw", "loss", "unknown"]


class Verdict(NamedTuple):
    """The result of a move for the side that makes it.

    `plies`: how many plies to the end of the game, this move included; None if that is not known.
    `estimate`: from -100 to 100, how promising an `unknown` move is for the side that makes it.
    """

    value: Value
    plies: int | None
    estimate: int = 0


_FAR = 1_000  # more plies than any game has


def rank_of(verdict: Verdict) -> tuple[int, int]:
    """A higher rank is a better move.

    From the best: the fastest win, a win of unknown distance, a promising unknown move, a draw, an
    unknown move that promises nothing, a loss of unknown distance, the slowest loss.

    >>> rank_of(Verdict("win", 3)) > rank_of(Verdict("win", None)) > rank_of(Verdict("draw", 2))
    True
    """
    value, plies, estimate = verdict
    distance = _FAR if plies is None else plies
    match value:
        case "win":
            return 3, -distance
        case "unknown":
            return (2 if estimate > 0 else 0), estimate
        case "draw":
            return 1, estimate
        case "loss":
            return -1, distance


def best_of(verdicts: Mapping[Cell, Verdict]) -> list[Cell]:
    """All the cells that are equally best; [] if there are none."""
    ranks = {cell: rank_of(verdict) for cell, verdict in verdicts.items()}
    best = max(ranks.values(), default=None)
    return [cell for cell, rank in ranks.items() if rank == best]
