"""Perfect play: the exact value and distance of every free cell, by minimax over bit pairs.

A plain function of picklable values: it starts no thread, reads no time, and is bounded by a number
of nodes. When the bound is reached it answers with what the last complete depth has shown.

Inside, a position is worth one integer to the side to move: `WIN - n` for a win in `n` plies,
`n - WIN` for a loss in `n`, 0 for a draw. The greatest is then the fastest win, else a draw, else
the slowest loss. Proven scores are remembered; threads may share the memory, since all would write
the same.

>>> from server.core.rules import read_position
>>> judge(read_position("XX. OO. ..."))[2]
Verdict(value='win', plies=1)
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from server.core.rules import Cell, Position, Variant

WIN = 1_000
NODES = 400_000  # moves tried; a quarter to half a second of search
DEEP_ENOUGH = 9  # so few free cells are searched to the end at once, without deepening
REMEMBERED = 500_000  # positions, for each variant

Value = Literal["win", "draw", "loss", "unknown"]


class Verdict(NamedTuple):
    """What a move leads to for the side that makes it, in how many plies, this move included.

    `unknown` means that the search was stopped before it could tell.
    """

    value: Value
    plies: int


class _OutOfNodes(Exception):
    pass


_memory: dict[Variant, dict[int, int]] = {}


class _Search:
    def __init__(self, variant: Variant, limit: int) -> None:
        self._through = variant.lines_through
        self._full = variant.full
        self._size = variant.size
        self._left = limit
        self._proven = _memory.setdefault(variant, {})
        if len(self._proven) > REMEMBERED:
            self._proven.clear()

    def move(self, own: int, other: int, cell: Cell, depth: int) -> int | None:
        """The score of marking `cell`, or None if `depth` plies cannot tell."""
        self._left -= 1
        if self._left < 0:
            raise _OutOfNodes
        own |= 1 << cell
        for line in self._through[cell]:
            if own & line == line:
                return WIN - 1
        if own | other == self._full:
            return 0
        if depth <= 1:
            return None
        score = self._best(other, own, depth - 1)
        if not score:
            return score
        return 1 - score if score > 0 else -1 - score

    def _best(self, own: int, other: int, depth: int) -> int | None:
        key = own << self._size | other
        known = self._proven.get(key)
        # What an earlier, deeper search has found may lie beyond this depth: then it would hide
        # faster wins next to it.
        if known is not None and (known == 0 or WIN - abs(known) <= depth):
            return known
        best, unknown = -WIN, False
        free = self._full & ~(own | other)
        while free:
            bit = free & -free
            free ^= bit
            score = self.move(own, other, bit.bit_length() - 1, depth)
            if score is None:
                unknown = True
            elif score > best:
                best = score
                if best == WIN - 1:
                    break
        # A win found at this depth is the fastest: what is still unknown could only win later.
        if unknown and best <= 0:
            return None
        self._proven[key] = best
        return best


def scores(position: Position, limit: int = NODES) -> dict[Cell, int | None]:
    """Each free cell with its score, None where `limit` cannot tell; {} once the game is over."""
    if position.outcome() is not None:
        return {}
    own, other = position.to_move
    free = list(position.free())
    search = _Search(position.variant, limit)
    found: dict[Cell, int | None] = dict.fromkeys(free)
    first = len(free) if len(free) <= DEEP_ENOUGH else 1
    try:
        for depth in range(first, len(free) + 1):
            found = {cell: search.move(own, other, cell, depth) for cell in free}
            if None not in found.values() or max(s or 0 for s in found.values()) > 0:
                break
    except _OutOfNodes:
        pass
    return found


def best_cells(position: Position, limit: int = NODES) -> list[Cell]:
    """All the cells that are equally best: fastest wins, else draws, else slowest losses."""
    found = scores(position, limit)
    best = max((score or 0 for score in found.values()), default=0)
    return [cell for cell, score in found.items() if (score or 0) == best]


def best_cell(position: Position, limit: int = NODES) -> Cell | None:
    """One of the best cells, always the same one; None once the game is over."""
    return next(iter(best_cells(position, limit)), None)


def judge(position: Position, limit: int = NODES) -> dict[Cell, Verdict]:
    """Each free cell with what it leads to."""
    left = position.variant.size - position.ply
    return {cell: _verdict(score, left) for cell, score in scores(position, limit).items()}


def _verdict(score: int | None, left: int) -> Verdict:
    if score is None:
        return Verdict("unknown", left)
    if score == 0:
        return Verdict("draw", left)  # a draw always fills the board
    return Verdict("win", WIN - score) if score > 0 else Verdict("loss", WIN + score)
