"""The face of four in a row under gravity, for the search.

A state is two bit sets: the side to move, then the other side. Each column has seven bits, the
lowest cell first; the seventh is always empty, so that no line runs from one column into the next.

>>> from server.core.rules import DROP, play_all
>>> judge(play_all(DROP, [38, 37, 31, 30, 24, 23]), nodes=1000)[17]
Verdict(value='win', plies=1, estimate=0)
"""

from __future__ import annotations

from server.core.engine import WIN, Move, search
from server.core.rules import Bits, Cell, Position, cells
from server.core.verdicts import Verdict

ROWS, COLUMNS = 6, 7
TALL = ROWS + 1  # bits of a column

BOTTOM = sum(1 << TALL * column for column in range(COLUMNS))
BOARD = BOTTOM * ((1 << ROWS) - 1)
ODD = BOTTOM * 0b010101  # the first, third and fifth row from below
EVEN = BOTTOM * 0b101010
CENTRE = ((1 << ROWS) - 1) << 3 * TALL
INNER = CENTRE | CENTRE << TALL | CENTRE >> TALL

BIT_OF = [1 << column * TALL + ROWS - 1 - row for row in range(ROWS) for column in range(COLUMNS)]
CELL_OF = {bit: cell for cell, bit in enumerate(BIT_OF)}

Stones = tuple[Bits, Bits]


def find_wins(stones: Bits) -> Bits:
    """The cells of the board, taken or not, where one more stone completes a line."""
    found = stones << 1 & stones << 2 & stones << 3
    for step in (TALL - 1, TALL, TALL + 1):
        one, two = stones << step, stones >> step
        pair = one & one << step
        found |= pair & (pair << step | two)
        pair = two & two >> step
        found |= pair & (pair >> step | one)
    return found & BOARD  # a cell above the board would shift onto its top row


class Falling:
    """Four in a row under gravity on one question. Remembers where stones win."""

    def __init__(self) -> None:
        self._wins: dict[Bits, Bits] = {}

    def read(self, position: Position) -> Stones:
        own, other = position.to_move
        own = sum(BIT_OF[cell] for cell in cells(own))
        other = sum(BIT_OF[cell] for cell in cells(other))
        for stones in (own, other):
            self._wins[stones] = find_wins(stones)
        return own, other

    def expand(self, state: Stones) -> list[Move[Stones]]:
        own, other = state
        taken = own | other
        playable = taken + BOTTOM & BOARD
        wins, losses = self._wins[own], self._wins[other]
        ply = taken.bit_count()
        if wins & playable:
            return [(WIN - ply - 1, 0, state)]
        threats = losses & playable
        if threats:
            if threats & threats - 1:
                return [(ply + 2 - WIN, 0, state)]
            playable = threats
        safe = playable & ~(losses >> 1)
        if not safe:
            return [(ply + 2 - WIN if playable else 0, 0, state)]
        return self._expand(own, other, ply, safe, losses & ~taken)

    def _expand(
        self, own: Bits, other: Bits, ply: int, safe: Bits, losses: Bits
    ) -> list[Move[Stones]]:
        """The safe moves, or one that makes two threats at once."""
        known = self._wins
        taken = own | other
        good, bad = (EVEN, ODD) if ply & 1 else (ODD, EVEN)
        weak = losses & bad
        base = (
            6 * ((own & INNER).bit_count() - (other & INNER).bit_count())
            + 6 * ((own & CENTRE).bit_count() - (other & CENTRE).bit_count())
            - 30 * (losses & good).bit_count()
        )
        moves = []
        while safe:
            bit = safe & -safe
            safe ^= bit
            mine = own | bit
            wins = known.get(mine)
            if wins is None:
                wins = known[mine] = find_wins(mine)
            full = taken | bit
            wins &= ~full
            ready = full + BOTTOM & wins
            if ready and (ready & ready - 1 or ready << 1 & wins):
                return [(WIN - ply - 3, 0, (other, mine))]
            score = base
            if bit & INNER:
                score += 6
            if bit & CENTRE:
                score += 6
            if wins:
                strong = wins & good
                score += 30 * (wins ^ strong).bit_count()
                if strong:
                    score += 100 * (strong & ~(weak << 1 | weak << 3)).bit_count()
                    score -= 100 * (weak & ~(strong << 1 | strong << 3)).bit_count()
                elif weak:
                    score -= 100 * weak.bit_count()
            elif weak:
                score -= 100 * weak.bit_count()
            moves.append((score | 1, CELL_OF[bit], (other, mine)))
        return moves


def judge(position: Position, nodes: int) -> dict[Cell, Verdict]:
    """A verdict for each playable cell."""
    verdicts = search(Falling(), position, nodes)
    draw = Verdict("draw", ROWS * COLUMNS - position.ply)  # a draw fills the board
    return {cell: draw if v.value == "draw" else v for cell, v in verdicts.items()}
