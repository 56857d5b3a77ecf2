"""Any game, by its rules alone: one ply deeper each time, until the nodes run out.

It is slow, has no estimate and keeps nothing. It serves the boards that have no expert of their
own, such as those in old logs.
"""

from __future__ import annotations

from server.core.rules import Cell, Position, cells
from server.core.verdicts import Verdict

_WIN = 1_000  # a win in `n` plies has the rank `_WIN - n`, a loss `n - _WIN`, a draw 0


def judge(position: Position, nodes: int) -> dict[Cell, Verdict]:
    """Each playable cell with its verdict, after at most so many moves on the board."""
    search = _Search(nodes)
    free = list(cells(position.playable()))
    ranks: dict[Cell, int | None] = dict.fromkeys(free)
    try:
        depth = 0
        while None in ranks.values() and max(rank or 0 for rank in ranks.values()) <= 0:
            depth += 1
            ranks = {cell: search.rank_move(position, cell, depth) for cell in free}
    except _OutOfNodes:
        pass
    variant = position.variant
    left = None if variant.nested or variant.keep else variant.size - position.ply
    return {cell: _verdict(rank, left) for cell, rank in ranks.items()}


def _verdict(rank: int | None, left: int | None) -> Verdict:
    if rank is None:
        return Verdict("unknown", None)
    if rank == 0:
        return Verdict("draw", left)
    return Verdict("win", _WIN - rank) if rank > 0 else Verdict("loss", _WIN + rank)


class _OutOfNodes(Exception):
    """The search has tried as many moves as it may."""


class _Search:
    def __init__(self, nodes: int) -> None:
        self._left = nodes

    def rank_move(self, position: Position, cell: Cell, depth: int) -> int | None:
        """The rank of this move for the side that makes it; None if `depth` plies do not tell."""
        self._left -= 1
        if self._left < 0:
            raise _OutOfNodes
        after = position.play(cell)
        outcome = after.outcome_after(cell)
        if outcome is not None:
            if outcome.winner is None:
                return 0
            return _WIN - 1 if outcome.winner is position.turn else 1 - _WIN
        rank = self._rank_position(after, depth - 1) if depth > 1 else None
        if not rank:
            return rank
        return 1 - rank if rank > 0 else -1 - rank

    def _rank_position(self, position: Position, depth: int) -> int | None:
        best, has_unknown = -_WIN, False
        for cell in cells(position.playable()):
            rank = self.rank_move(position, cell, depth)
            if rank is None:
                has_unknown = True
            elif rank > best:
                best = rank
                if best == _WIN - 1:
                    break
        # A win found at this depth is the fastest: a move still unknown could only win later.
        return None if has_unknown and best <= 0 else best
