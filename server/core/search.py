"""Perfect play: the exact value and distance of every free cell, by minimax over bit pairs.

The functions take and return picklable values, start no thread and read no time. A search may try a
limited number of moves (nodes). At the limit it returns the result of the last complete depth.

Inside, a position has one integer rank for the side to move: `WIN - n` for a win in `n` plies,
`n - WIN` for a loss in `n`, 0 for a draw. The highest rank is then the fastest win, else a draw,
else the slowest loss. Proven ranks are cached for the life of the process. Threads can share the
cache, because a proven rank is the same for all of them.

>>> from server.core.rules import read_position
>>> judge(read_position("XX. OO. ..."))[2]
Verdict(value='win', plies=1)
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from server.core.rules import Cell, Position, Variant, cells

WIN = 1_000
NODES = 400_000  # moves tried; a quarter to half a second of search
SEARCHED_AT_ONCE = 9  # free cells; so few are searched to the end without iterative deepening
CACHED = 500_000  # positions for each variant

Value = Literal["win", "draw", "loss", "unknown"]


class Verdict(NamedTuple):
    """The result of a move for the side that makes it, and the plies to it, this move included.

    `unknown` means that the search reached its limit first.
    """

    value: Value
    plies: int


class OutOfNodes(Exception):
    """The search has tried as many moves as it may."""


_proven: dict[Variant, dict[int, int]] = {}


class Search:
    """Searches on one variant that share a limit of nodes."""

    def __init__(self, variant: Variant, limit: int) -> None:
        self._lines_through = variant.lines_through
        self._full = variant.full
        self._size = variant.size
        self._left = limit
        self._proven = _proven.setdefault(variant, {})
        if len(self._proven) > CACHED:
            self._proven.clear()

    def spend(self, nodes: int) -> None:
        """Count other work as so many nodes; raises `OutOfNodes` if there are not as many left."""
        self._left -= nodes
        if self._left < 0:
            raise OutOfNodes

    def best_cells(self, position: Position) -> list[Cell]:
        """All the cells that are equally best: fastest wins, else draws, else slowest losses."""
        found = self.rank_cells(position)
        best = max((rank or 0 for rank in found.values()), default=0)
        return [cell for cell, rank in found.items() if (rank or 0) == best]

    def rank_cells(self, position: Position) -> dict[Cell, int | None]:
        """Each free cell with its rank, None if unknown at the limit; {} once the game is over."""
        if position.outcome() is not None:
            return {}
        own, other = position.to_move
        free = list(cells(position.playable()))
        found: dict[Cell, int | None] = dict.fromkeys(free)
        first = len(free) if len(free) <= SEARCHED_AT_ONCE else 1
        try:
            for depth in range(first, len(free) + 1):
                found = {cell: self._rank_move(own, other, cell, depth) for cell in free}
                if None not in found.values() or max(rank or 0 for rank in found.values()) > 0:
                    break
        except OutOfNodes:
            pass
        return found

    def _rank_move(self, own: int, other: int, cell: Cell, depth: int) -> int | None:
        """The rank of marking `cell`, or None if `depth` plies are too few to know it."""
        self._left -= 1  # not by `spend`: this is the inner loop
        if self._left < 0:
            raise OutOfNodes
        own |= 1 << cell
        for line in self._lines_through[cell]:
            if own & line == line:
                return WIN - 1
        if own | other == self._full:
            return 0
        if depth <= 1:
            return None
        rank = self._rank_position(other, own, depth - 1)
        if not rank:
            return rank
        return 1 - rank if rank > 0 else -1 - rank

    def _rank_position(self, own: int, other: int, depth: int) -> int | None:
        key = own << self._size | other
        known = self._proven.get(key)
        # A rank proven by an earlier, deeper search may lie beyond this depth. If it were used
        # here, it could hide a faster win in another cell.
        if known is not None and (known == 0 or WIN - abs(known) <= depth):
            return known
        best, has_unknown = -WIN, False
        free = self._full & ~(own | other)
        while free:
            bit = free & -free
            free ^= bit
            rank = self._rank_move(own, other, bit.bit_length() - 1, depth)
            if rank is None:
                has_unknown = True
            elif rank > best:
                best = rank
                if best == WIN - 1:
                    break
        # A win found at this depth is the fastest: a move still unknown could only win later.
        if has_unknown and best <= 0:
            return None
        self._proven[key] = best
        return best


def best_cells(position: Position, limit: int = NODES) -> list[Cell]:
    """`Search.best_cells`, with all the nodes for this one position."""
    return Search(position.variant, limit).best_cells(position)


def best_cell(position: Position, limit: int = NODES) -> Cell | None:
    """One of the best cells, always the same one; None once the game is over."""
    return next(iter(best_cells(position, limit)), None)


def judge(position: Position, limit: int = NODES) -> dict[Cell, Verdict]:
    """Each free cell with its verdict."""
    left = position.variant.size - position.ply
    found = Search(position.variant, limit).rank_cells(position)
    return {cell: _verdict(rank, left) for cell, rank in found.items()}


def _verdict(rank: int | None, left: int) -> Verdict:
    if rank is None:
        return Verdict("unknown", left)
    if rank == 0:
        return Verdict("draw", left)  # a draw always fills the board
    return Verdict("win", WIN - rank) if rank > 0 else Verdict("loss", WIN + rank)
