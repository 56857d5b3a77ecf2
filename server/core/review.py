"""A move looked back on: what it led to, and what could have been had.

>>> from server.core.rules import read_position
>>> from server.core.search import judge
>>> position = read_position("XX. OO. ...")
>>> reviewed = review(position, 8, judge(position))
>>> reviewed.verdict.value, reviewed.best, reviewed.cells
('loss', 'win', [2])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from server.core.rules import Cell, Mark, Position
from server.core.verdicts import Value, Verdict, best_of


class Review(NamedTuple):
    """`best`: the best that could be had at this move; `cells`: those that keep it."""

    ply: int
    mark: Mark
    cell: Cell
    verdict: Verdict
    best: Value
    cells: list[Cell]


def review(position: Position, cell: Cell, verdicts: Mapping[Cell, Verdict]) -> Review:
    """Judge the move on `cell`, given the verdicts on all that could be played.

    A win is the best there is. Anything less is proven to be the best only if nothing is unknown.
    """
    values = {verdict.value for verdict in verdicts.values()}
    best: Value = next(value for value in ("win", "unknown", "draw", "loss") if value in values)
    if best == "unknown":
        keeping = best_of(verdicts)
    else:
        keeping = [cell for cell, verdict in verdicts.items() if verdict.value == best]
    return Review(position.ply, position.turn, cell, verdicts[cell], best, keeping)
