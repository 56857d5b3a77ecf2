"""The m,n,k game: boards of any size, lines of any length, and how a game ends on the board.

A position is two bit sets, one for each mark. Bit `c` is cell `c`, counted row by row. This module
imports no library: the classic exercise and the search processes load quickly.

>>> position = Position(CLASSIC).play(4).play(0)
>>> print(position)
O..
.X.
...
>>> position.turn, sorted(position.free())
(<Mark.X: 0>, [1, 2, 3, 5, 6, 7, 8])
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache, cached_property
from typing import NamedTuple

Cell = int


class Mark(IntEnum):
    """The two sides. X moves first."""

    X = 0
    O = 1

    @property
    def other(self) -> Mark:
        return O if self is X else X


X, O = Mark.X, Mark.O  # a global name is ten times as fast as a member of an enum
MARKS = (X, O)


class Ending(StrEnum):
    """How a game ended."""

    LINE = "line"
    FULL = "full"
    RESIGNATION = "resignation"
    TIME = "time"
    ABSENCE = "absence"


class Outcome(NamedTuple):
    """The winner (None for a draw), how the game ended, and the winning cells."""

    winner: Mark | None
    by: Ending
    line: tuple[Cell, ...] | None = None

    @property
    def loser(self) -> Mark | None:
        return None if self.winner is None else self.winner.other


@dataclass(frozen=True)
class Variant:
    """A board of `rows` × `columns` on which `line` marks in a row win."""

    name: str
    rows: int
    columns: int
    line: int

    @cached_property
    def size(self) -> int:
        return self.rows * self.columns

    @cached_property
    def full(self) -> int:
        """The bit set of every cell."""
        return (1 << self.size) - 1

    @cached_property
    def shortest(self) -> int:
        """The fewest moves after which a game can be over."""
        return min(2 * self.line - 1, self.size)

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """Every winning line, as a bit set."""
        return tuple(self._lines())

    @cached_property
    def lines_through(self) -> tuple[tuple[int, ...], ...]:
        """For each cell, the lines that contain it: a move can complete no others."""
        return tuple(
            tuple(line for line in self.lines if line >> cell & 1) for cell in range(self.size)
        )

    def _lines(self) -> Iterator[int]:
        reach = self.line - 1
        for row in range(self.rows):
            for column in range(self.columns):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    last_row, last_column = row + down * reach, column + right * reach
                    if last_row < self.rows and 0 <= last_column < self.columns:
                        step = down * self.columns + right
                        first = row * self.columns + column
                        yield sum(1 << first + i * step for i in range(self.line))


CLASSIC = Variant("3x3", rows=3, columns=3, line=3)
VARIANTS = {variant.name: variant for variant in (CLASSIC,)}


def cells(bits: int) -> Iterator[Cell]:
    """The members of a bit set, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


_DRAWN = Outcome(None, Ending.FULL)


@cache
def _won(mark: Mark, line: int) -> Outcome:
    return Outcome(mark, Ending.LINE, tuple(cells(line)))


class Position(NamedTuple):
    """A board with marks on it. The number of marks tells whose turn it is."""

    variant: Variant
    x: int = 0
    o: int = 0

    @property
    def ply(self) -> int:
        return (self.x | self.o).bit_count()

    @property
    def turn(self) -> Mark:
        return X if self.x.bit_count() <= self.o.bit_count() else O

    @property
    def to_move(self) -> tuple[int, int]:
        """The marks of the side to move, then those of the other side."""
        return (self.x, self.o) if self.turn is X else (self.o, self.x)

    def free(self) -> Iterator[Cell]:
        return cells(self.variant.full & ~(self.x | self.o))

    def is_free(self, cell: Cell) -> bool:
        return not (self.x | self.o) >> cell & 1

    def at(self, cell: Cell) -> Mark | None:
        if self.x >> cell & 1:
            return X
        return O if self.o >> cell & 1 else None

    def play(self, cell: Cell) -> Position:
        """The position after the side to move marks `cell`, which must be free."""
        return self.put(self.turn, cell)

    def put(self, mark: Mark, cell: Cell) -> Position:
        """The position with `mark` on `cell`; faster than `play` if the turn is known."""
        variant, x, o = self
        if mark is X:
            x |= 1 << cell
        else:
            o |= 1 << cell
        return tuple.__new__(Position, (variant, x, o))  # twice as fast as `Position(…)`

    def outcome(self) -> Outcome | None:
        """The outcome on this board; None while the game goes on."""
        x, o = self.x, self.o
        for line in self.variant.lines:
            if x & line == line or o & line == line:
                return _won(X if x & line == line else O, line)
        return _DRAWN if x | o == self.variant.full else None

    def outcome_after(self, mark: Mark, cell: Cell) -> Outcome | None:
        """The outcome if the last move was `mark` on `cell`; faster than `outcome`."""
        own = self.x if mark is X else self.o
        for line in self.variant.lines_through[cell]:
            if own & line == line:
                return _won(mark, line)
        return _DRAWN if self.x | self.o == self.variant.full else None

    def completing(self, own: int) -> list[Cell]:
        """The free cells that complete a line with the marks `own`."""
        through = self.variant.lines_through
        return [
            cell
            for cell in self.free()
            if any((own | 1 << cell) & line == line for line in through[cell])
        ]

    def __str__(self) -> str:
        width = self.variant.columns
        marks = (self.at(cell) for cell in range(self.variant.size))
        drawn = "".join("." if mark is None else mark.name for mark in marks)
        return "\n".join(drawn[start : start + width] for start in range(0, len(drawn), width))


def read_position(drawing: str, variant: Variant = CLASSIC) -> Position:
    """The inverse of `str(position)`: X, O and dots. White space is ignored.

    >>> read_position("X.. .O. ..X").at(4)
    <Mark.O: 1>
    """
    drawn = "".join(drawing.split())
    if len(drawn) != variant.size or set(drawn) - set("XO."):
        raise ValueError(f"{drawing!r} is not a {variant.name} board")
    x = sum(1 << cell for cell, mark in enumerate(drawn) if mark == "X")
    o = sum(1 << cell for cell, mark in enumerate(drawn) if mark == "O")
    return Position(variant, x, o)
