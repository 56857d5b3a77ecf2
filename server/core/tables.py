"""Games that are small enough to know every position: 3x3, reverse and vanishing.

`judge_to_the_end` plays every line of a game that fills a small board. It keeps one rank for each
position, for the side to move: `WIN - n` for a win in `n` plies, `n - WIN` for a loss in `n`, and 0
for a draw. Ranks are cached for the life of the process. Threads can share them: a proven rank is
the same for all.

`judge_vanishing` knows a game that can go on for ever. A position is the ordered marks of both
sides. The table works backwards from the wins: a position is won if a move leads to a lost one, and
lost once every move leads to a won one. The positions left over are drawn, since neither side can
force anything.

>>> judge_vanishing(Position(VANISHING))[1]
Verdict(value='win', plies=13, estimate=0)
"""

from __future__ import annotations

from functools import cache, reduce
from itertools import permutations

from server.core.rules import VANISHING, Bits, Cell, Position, Variant, cells
from server.core.verdicts import Verdict

WIN = 1_000

_ranks: dict[Variant, dict[int, int]] = {}


def judge_to_the_end(position: Position) -> dict[Cell, Verdict]:
    """Each playable cell with its verdict; for small boards on which marks stay."""
    table = _FullTable(position.variant)
    own, other = position.to_move
    left = position.variant.size - position.ply
    ranks = {cell: table.rank_move(own, other, cell) for cell in cells(position.playable())}
    return {cell: _verdict(rank, left) for cell, rank in ranks.items()}


def _verdict(rank: int, left: int) -> Verdict:
    if rank == 0:
        return Verdict("draw", left)  # a draw fills the board
    return Verdict("win", WIN - rank) if rank > 0 else Verdict("loss", WIN + rank)


class _FullTable:
    """The ranks of one variant, found when they are asked for."""

    def __init__(self, variant: Variant) -> None:
        self._lines_through = variant.lines_through
        self._full = variant.full
        self._size = variant.size
        self._line_rank = 1 - WIN if variant.avoid else WIN - 1
        self._ranks = _ranks.setdefault(variant, {})

    def rank_move(self, own: Bits, other: Bits, cell: Cell) -> int:
        """The rank of this move for the side that makes it."""
        own |= 1 << cell
        for line in self._lines_through[cell]:
            if own & line == line:
                return self._line_rank
        if own | other == self._full:
            return 0
        rank = self._ranks.get(other << self._size | own)
        if rank is None:
            rank = self._rank_position(other, own)
        if not rank:
            return 0
        return 1 - rank if rank > 0 else -1 - rank

    def _rank_position(self, own: Bits, other: Bits) -> int:
        best = -WIN
        free = self._full & ~(own | other)
        while free:
            bit = free & -free
            free ^= bit
            rank = self.rank_move(own, other, bit.bit_length() - 1)
            if rank > best:
                best = rank
                if best == WIN - 1:
                    break
        self._ranks[own << self._size | other] = best
        return best


# -------------------------------------------------------------------------------------- vanishing

# The marks of one side are three digits of four bits: cell + 1, the oldest first, 0 for none. A
# move shifts a digit in, and the oldest drops out. A position is the six digits of the side to
# move and of the other side.
_SIDE = 12
_MASK = (1 << _SIDE) - 1


def judge_vanishing(position: Position) -> dict[Cell, Verdict]:
    """Each playable cell with its verdict, in `vanishing`.

    The table knows no limit of moves, and need not: a side that wins in `n` plies cannot be held up
    longer nor win sooner. If the game is drawn by then, the move is a proven draw.
    """
    own = other = 0
    for cell in position.last:
        own, other = other, _shift(own, cell)
    left = VANISHING.limit - position.ply
    table = _vanishing()
    found = {}
    for cell in cells(position.playable()):
        after = _shift(own, cell)
        plies = 1 if after in _lines() else table.get(other << _SIDE | after, left) + 1
        if plies > left:
            found[cell] = Verdict("draw", left)
        else:
            found[cell] = Verdict("win" if plies & 1 else "loss", plies)
    return found


def _shift(marks: int, cell: Cell) -> int:
    """The marks of a side after its move on this cell."""
    return (marks << 4 | cell + 1) & _MASK


@cache
def _lines() -> frozenset[int]:
    """The marks of a side that are a line, in whatever order they were made."""
    return frozenset(
        _shift(_shift(_shift(0, a), b), c)
        for line in map(list, map(cells, VANISHING.lines))
        for a, b, c in permutations(line)
    )


@cache
def _vanishing() -> dict[int, int]:
    """Every decided position with its plies to the end: odd if it is won, even if it is lost."""
    won, before, escapes = _explore()
    table = dict.fromkeys(won, 1)
    layer, plies = won, 1
    while layer:
        plies += 1
        reached, layer = layer, []
        for after in reached:
            for position in before[after]:
                if position in table:
                    continue
                if not plies & 1:  # this move loses; the position is lost if it was the last hope
                    escapes[position] -= 1
                    if escapes[position]:
                        continue
                table[position] = plies
                layer.append(position)
    return table


def _explore() -> tuple[list[int], dict[int, list[int]], dict[int, int]]:
    """Every position of a game in progress, in three parts.

    The positions that are won by the next move; for every position, those that lead to it, except
    from a win; and how many moves each of the others has.
    """
    lines, bits = _lines(), _bits_of_marks()
    digits = [[cell + 1 for cell in cells(VANISHING.full & ~taken)] for taken in range(512)]
    won: list[int] = []
    before: dict[int, list[int]] = {0: []}
    escapes: dict[int, int] = {}
    for position in (edge := [0]):  # which grows
        own, other = position >> _SIDE, position & _MASK
        kept, following = own << 4 & _MASK, other << _SIDE
        marks = [kept | digit for digit in digits[bits[own] | bits[other]]]
        moves = [following | mark for mark in marks if mark not in lines]
        is_won = len(moves) < len(marks)
        if is_won:
            won.append(position)
        else:
            escapes[position] = len(moves)
        for after in moves:
            if after not in before:
                before[after] = []
                edge.append(after)
            if not is_won:
                before[after].append(position)
    return won, before, escapes


def _bits_of_marks() -> dict[int, Bits]:
    """The cells of every row of marks that one side can have."""
    return {
        reduce(_shift, chosen, 0): sum(1 << cell for cell in chosen)
        for length in range(VANISHING.keep + 1)
        for chosen in permutations(range(VANISHING.size), length)
    }
