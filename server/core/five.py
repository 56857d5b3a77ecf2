"""The 5×5 game: what each move leads to, exactly or not at all.

While at most three marks are on the board, the answer is in a book. Later it is proven within a
number of nodes: see `five_proofs`. A move is `unknown` if the nodes do not suffice for its proof.

A draw fills the board, so its distance is always known. In the same answer, a win without a
distance is not faster than a win with one. The same goes for losses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache

from server.core.five_book import LINES
from server.core.five_proofs import LONGEST, Prover
from server.core.rules import FIVE, Bits, Cell, Position, cells
from server.core.verdicts import Verdict

BOOK_PLIES = 3
NEAR = 3  # moves of the winner; so near an end is cheap to find
SHARES = (100, 10, 1)  # a move gets so small a part of the nodes at first, then a larger one
DRAW = "-"  # in the book


def judge(position: Position, nodes: int) -> dict[Cell, Verdict]:
    """Each free cell with its verdict; {} once the game is over."""
    if position.ply <= BOOK_PLIES:
        return look_up(position)
    return solve(position, nodes)


def progress_after(position: Position, cell: Cell) -> int:
    """How far the side to move is with its lines once it has played this cell."""
    own, other = position.to_move
    return _progress(own | 1 << cell, other, base=4)


# ------------------------------------------------------------------------------ symmetry, the book


def _symmetries() -> Iterator[tuple[Cell, ...]]:
    """The eight ways to look at the board: for each place of the picture, the cell seen there."""
    size = FIVE.rows
    seen = tuple(range(FIVE.size))
    for _ in range(4):
        seen = tuple(
            seen[size * column + size - 1 - row] for row in range(size) for column in range(size)
        )
        yield seen
        yield tuple(
            cell for row in range(size) for cell in seen[size * row : size * row + size][::-1]
        )


SYMMETRIES = tuple(_symmetries())


def picture(position: Position) -> tuple[str, tuple[Cell, ...]]:
    """A drawing that is the same for all mirror images, and which cell is at each place of it."""
    drawn = str(position).replace("\n", "")
    return min(("".join([drawn[cell] for cell in seen]), seen) for seen in SYMMETRIES)


@cache
def _book() -> dict[str, str]:
    return {"".join([m if m in "XO" else "." for m in line]): line for line in LINES.split()}


def look_up(position: Position) -> dict[Cell, Verdict]:
    """The verdicts of the book."""
    drawn, seen = picture(position)
    results = dict(zip(seen, _book()[drawn], strict=True))
    return {cell: _read(results[cell], position) for cell in cells(position.playable())}


def _read(result: str, position: Position) -> Verdict:
    if result == DRAW:
        return _drawn(position)
    plies = int(result, 36)
    return Verdict("win" if plies % 2 else "loss", plies)


def _drawn(position: Position) -> Verdict:
    """A draw, which fills the board."""
    return Verdict("draw", FIVE.size - position.ply)


# -------------------------------------------------------------------------------------- the search


def solve(position: Position, nodes: int) -> dict[Cell, Verdict]:
    """`judge` without the book.

    Short wins and losses come first, so that they have a distance. Then every other move gets a
    few nodes, then more, so that a hard one takes none from the others. Nodes that are left measure
    the longer wins and losses.
    """
    if position.outcome() is not None:
        return {}
    prover = Prover(nodes)
    pictures = {cell: picture(position.play(cell))[0] for cell in cells(position.playable())}
    moves = {drawn: _Move(position, cell, prover) for cell, drawn in pictures.items()}
    is_measured = _measure(moves.values(), range(1, NEAR + 1))
    for share in SHARES:
        for move in moves.values():
            move.decide(nodes // share)
    if is_measured:
        decided = [move for move in moves.values() if move.wins or move.loses]
        _measure(decided, range(NEAR + 1, LONGEST))
    return {cell: moves[drawn].verdict(position) for cell, drawn in pictures.items()}


def _measure(moves: Collection[_Move], distances: range) -> bool:
    """Find the wins and losses at these distances, nearest first; False if the nodes are spent."""
    return all(move.measure(distance) for distance in distances for move in moves)


class _Move:
    """What is known about one move: whether its side wins, whether it loses, and how soon."""

    def __init__(self, position: Position, cell: Cell, prover: Prover) -> None:
        own, other = position.to_move
        self.own, self.other = own | 1 << cell, other
        self.free = FIVE.size - position.ply - 1
        self.prover = prover
        self.wins: bool | None = None
        self.loses: bool | None = None
        self.plies: int | None = None
        if any(self.own & line == line for line in FIVE.lines_through[cell]):
            self._end(1)

    def measure(self, distance: int) -> bool:
        """Look for an end within so many moves of the winner; False if the nodes are spent.

        Shorter distances have been ruled out before.
        """
        if self.plies is None and not self.wins:
            loses = self._can_lose(distance)
            if loses:
                self._end(2 * distance)
            elif loses is None:
                return False
        if self.plies is None and not self.loses:
            wins = self._can_win(distance)
            if wins:
                self._end(2 * distance + 1)
            return wins is not None
        return True

    def decide(self, nodes: int) -> None:
        """Find out which side wins, if any, with at most so many nodes for each of the two."""
        if self.wins is None:
            self.wins = self._can_win(self.free // 2, nodes)
            self.loses = False if self.wins else self.loses
        if self.loses is None:
            self.loses = self._can_lose((self.free + 1) // 2, nodes)
            self.wins = False if self.loses else self.wins

    def _end(self, plies: int) -> None:
        """The game ends after so many plies, with a line of the side that makes the last."""
        self.wins, self.loses, self.plies = plies % 2 == 1, plies % 2 == 0, plies

    def _can_win(self, moves: int, nodes: int | None = None) -> bool | None:
        return self.prover.can_win(self.own, self.other, moves, is_next=False, nodes=nodes)

    def _can_lose(self, moves: int, nodes: int | None = None) -> bool | None:
        return self.prover.can_win(self.other, self.own, moves, is_next=True, nodes=nodes)

    def verdict(self, position: Position) -> Verdict:
        if self.wins or self.loses:
            return Verdict("win" if self.wins else "loss", self.plies)
        if self.wins is None or self.loses is None:
            return Verdict("unknown", None, self._estimate())
        return _drawn(position)

    def _estimate(self) -> int:
        """Compare how far both sides are with their lines. A side that cannot win is not ahead."""
        own = _progress(self.own, self.other, base=2)
        other = _progress(self.other, self.own, base=2)
        estimate = 100 * (own - other) // max(own + other, 1)
        if self.wins is False:
            return min(estimate, -1)
        return estimate if self.loses is None else max(estimate, 1)


def _progress(own: Bits, other: Bits, base: int) -> int:
    """The sum over the open lines of a side. With each mark, a line counts `base` times as much."""
    return sum(base ** (line & own).bit_count() for line in FIVE.lines if not line & other)
