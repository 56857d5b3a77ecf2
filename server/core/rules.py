"""The rules of every game on offer: boards, moves, and how a game ends on the board.

A `Variant` describes a game by its board and a few flags. A `Position` is two bit sets, one for
each mark: bit `c` is cell `c`, counted row by row. Nothing else is kept about a game of lines, so
the same marks are the same position, in whatever order they were made. Where more matters,
`Position.last` has the latest moves: six where marks vanish, one where boards are nested.

Nested boards are nine small boards on one grid. Who owns small board `b` is bit `81 + b` of a side,
so the whole game is a line on a tenth board.

This module imports no library: the classic exercise and the search processes load quickly.

>>> position = Position(CLASSIC).play(4).play(0)
>>> print(position)
O..
.X.
...
>>> position.turn, list(cells(position.playable()))
(<Mark.X: 0>, [1, 2, 3, 5, 6, 7, 8])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum, StrEnum
from functools import cache, cached_property
from typing import Any, ClassVar, NamedTuple

Cell = int
Bits = int  # a set of cells


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
    LIMIT = "limit"
    RESIGNATION = "resignation"
    TIME = "time"
    ABSENCE = "absence"


class Outcome(NamedTuple):
    """The winner (None for a draw), how the game ended, and the cells that decided it.

    `boards`: on nested boards, the three small boards that these cells fill.
    """

    winner: Mark | None
    by: Ending
    line: tuple[Cell, ...] | None = None
    boards: tuple[int, ...] | None = None

    @property
    def loser(self) -> Mark | None:
        return None if self.winner is None else self.winner.other


class Variant:
    """A game on `rows` × `columns` cells, about `line` marks in a row. The flags:

    `falls`: only the lowest empty cell of a column may be played.
    `avoid`: whoever completes a line loses.
    `keep`: a side has at most so many marks; one more, and its oldest vanishes.
    `limit`: the game is drawn after so many moves.
    `nested`: nine boards of 3×3; a move on place `p` of its board sends the other side to board
    `p`, and three own boards in a row win.

    Variants with the same fields are the same object.
    """

    _known: ClassVar[dict[tuple[object, ...], Variant]] = {}

    name: str
    rows: int
    columns: int
    line: int
    falls: bool
    avoid: bool
    keep: int
    limit: int
    nested: bool
    is_plain: bool  # a move adds a mark, and that is all
    is_narrow: bool  # not every free cell may be played
    is_simple: bool  # the marks say it all, also to whoever looks on

    def __new__(
        cls,
        name: str,
        rows: int,
        columns: int,
        line: int,
        *,
        falls: bool = False,
        avoid: bool = False,
        keep: int = 0,
        limit: int = 0,
        nested: bool = False,
    ) -> Variant:
        fields = (name, rows, columns, line, falls, avoid, keep, limit, nested)
        known = cls._known.get(fields)
        if known is None:
            known = cls._known[fields] = super().__new__(cls)
            known.name, known.rows, known.columns, known.line = name, rows, columns, line
            known.falls, known.avoid, known.nested = falls, avoid, nested
            known.keep, known.limit = keep, limit
            known.is_plain = not keep and not nested
            known.is_narrow = falls or nested
            known.is_simple = known.is_plain and not falls
        return known

    def __reduce__(self) -> tuple[object, ...]:
        return _variant, (self.fields,)

    def __repr__(self) -> str:
        return f"<Variant {self.name}>"

    @property
    def fields(self) -> dict[str, Any]:
        """What makes this variant, by name; without the flags that are not set."""
        board = {"name": self.name, "rows": self.rows, "columns": self.columns, "line": self.line}
        flags = ("falls", "avoid", "keep", "limit", "nested")
        return board | {flag: getattr(self, flag) for flag in flags if getattr(self, flag)}

    @cached_property
    def size(self) -> int:
        return self.rows * self.columns

    @cached_property
    def full(self) -> Bits:
        """Every cell."""
        return (1 << self.size) - 1

    @cached_property
    def shortest(self) -> int:
        """The fewest moves after which a game can be over."""
        if self.nested:
            return 2 * 3 * self.line - 1
        return min(2 * self.line - 1, self.size)

    @cached_property
    def lines(self) -> tuple[Bits, ...]:
        """The lines that decide the game; on nested boards, those of the tenth board."""
        if self.nested:
            return tuple(line << self.size for line in _lines(3, 3, 3))
        return tuple(_lines(self.rows, self.columns, self.line))

    @cached_property
    def lines_through(self) -> tuple[tuple[Bits, ...], ...]:
        """For each cell, the lines that a move there can complete."""
        if self.nested:
            return tuple(_through(self.lines, self.size + BOARD_OF[c]) for c in range(self.size))
        return tuple(_through(self.lines, cell) for cell in range(self.size))

    @cached_property
    def small_lines_through(self) -> tuple[tuple[Bits, ...], ...]:
        """For each cell of nested boards, the lines of its small board that contain it."""
        small = tuple(_spread(board, line) for board in BOARDS for line in _lines(3, 3, 3))
        return tuple(_through(small, cell) for cell in range(self.size))


def _variant(fields: dict[str, Any]) -> Variant:
    return Variant(**fields)


def _lines(rows: int, columns: int, length: int) -> Iterator[Bits]:
    """Every row, column and diagonal of this length."""
    reach = length - 1
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_column = row + down * reach, column + right * reach
                if last_row < rows and 0 <= last_column < columns:
                    step = down * columns + right
                    first = row * columns + column
                    yield sum(1 << first + i * step for i in range(length))


def _through(lines: tuple[Bits, ...], cell: int) -> tuple[Bits, ...]:
    return tuple(line for line in lines if line >> cell & 1)


CLASSIC = Variant("3x3", rows=3, columns=3, line=3)
REVERSE = Variant("reverse", rows=3, columns=3, line=3, avoid=True)
VANISHING = Variant("vanishing", rows=3, columns=3, line=3, keep=3, limit=100)
FIVE = Variant("5x5", rows=5, columns=5, line=4)
DROP = Variant("drop", rows=6, columns=7, line=4, falls=True)
ULTIMATE = Variant("ultimate", rows=9, columns=9, line=3, nested=True)
_OFFERED = (CLASSIC, REVERSE, VANISHING, FIVE, DROP, ULTIMATE)
VARIANTS = {variant.name: variant for variant in _OFFERED}


def cells(bits: Bits) -> Iterator[Cell]:
    """The members of a bit set, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


# ---------------------------------------------------------------------------------- nested boards

BOARDS = range(9)


def place(board: int, spot: int) -> Cell:
    """The cell at this spot of a small board.

    >>> place(8, 0), place(8, 8)
    (60, 80)
    """
    row, column = divmod(spot, 3)
    return 9 * (board // 3 * 3 + row) + board % 3 * 3 + column


def _spread(board: int, spots: Bits) -> Bits:
    """The cells of these spots of a small board."""
    return sum(1 << place(board, spot) for spot in cells(spots))


BOARD_OF, SPOT_OF = [0] * 81, [0] * 81  # the small board of a cell, and where it is in there
for _board in BOARDS:
    for _spot in range(9):
        BOARD_OF[place(_board, _spot)], SPOT_OF[place(_board, _spot)] = _board, _spot
CELLS_OF = tuple(_spread(board, 0o777) for board in BOARDS)


# -------------------------------------------------------------------------------------- positions

_new = tuple.__new__  # makes a Position twice as fast as calling `Position`
_DRAWN = Outcome(None, Ending.FULL)
_LIMITED = Outcome(None, Ending.LIMIT)


@cache
def _decided(variant: Variant, mark: Mark, line: Bits) -> Outcome:
    """The outcome when `mark` has completed `line`."""
    winner = mark.other if variant.avoid else mark
    if not variant.nested:
        return Outcome(winner, Ending.LINE, tuple(cells(line)))
    boards = tuple(cells(line >> variant.size))
    filled = sum(CELLS_OF[board] for board in boards)
    return Outcome(winner, Ending.LINE, tuple(cells(filled)), boards)


class Position(NamedTuple):
    """A board with marks on it after `ply` moves. `last`: the latest of these, if they matter."""

    variant: Variant
    x: Bits = 0
    o: Bits = 0
    ply: int = 0
    last: tuple[Cell, ...] = ()

    @property
    def turn(self) -> Mark:
        return MARKS[self.ply & 1]

    @property
    def to_move(self) -> tuple[Bits, Bits]:
        """The marks of the side to move, then those of the other side."""
        return (self.o, self.x) if self.ply & 1 else (self.x, self.o)

    def playable(self) -> Bits:
        """The cells that the side to move may play."""
        variant = self.variant
        free = variant.full & ~(self.x | self.o)
        if variant.falls:
            return free & ~(free >> variant.columns)
        return free & self._open_cells() if variant.nested else free

    def is_free(self, cell: Cell) -> bool:
        """Whether no mark is on this cell. It may be impossible to play all the same."""
        return not (self.x | self.o) >> cell & 1

    def at(self, cell: Cell) -> Mark | None:
        if self.x >> cell & 1:
            return X
        return O if self.o >> cell & 1 else None

    @property
    def fading(self) -> Cell | None:
        """The cell that the next move will empty."""
        keep = self.variant.keep
        return self.last[0] if keep and len(self.last) == 2 * keep else None

    def owner(self, board: int) -> Mark | None:
        """Who has won this small board."""
        return self.at(self.variant.size + board)

    def is_open(self, board: int) -> bool:
        """Whether this small board is neither won nor full."""
        free = CELLS_OF[board] & ~(self.x | self.o)
        return bool(free) and self.owner(board) is None

    def _open_cells(self) -> Bits:
        """The cells of the small board that the last move leads to, or of all that are open."""
        if self.last:
            board = SPOT_OF[self.last[0]]
            if self.is_open(board):
                return CELLS_OF[board]
        return sum(CELLS_OF[board] for board in BOARDS if self.is_open(board))

    def play(self, cell: Cell) -> Position:
        """The position after the side to move has played `cell`, which must be playable."""
        variant, x, o, ply, last = self
        if not variant.is_plain:
            return self._play_otherwise(cell)
        if ply & 1:
            o |= 1 << cell
        else:
            x |= 1 << cell
        return _new(Position, (variant, x, o, ply + 1, last))

    def _play_otherwise(self, cell: Cell) -> Position:
        """A move after which a mark may vanish, or a small board have an owner."""
        variant, ply = self.variant, self.ply
        own, other = self.to_move
        own |= 1 << cell
        if variant.nested:
            last: tuple[Cell, ...] = (cell,)
            if any(own & line == line for line in variant.small_lines_through[cell]):
                own |= 1 << variant.size + BOARD_OF[cell]
        else:
            last = (*self.last, cell)
            if len(last) > 2 * variant.keep:
                own ^= 1 << last[0]
                last = last[1:]
        x, o = (other, own) if ply & 1 else (own, other)
        return Position(variant, x, o, ply + 1, last)

    def outcome(self) -> Outcome | None:
        """The outcome on this board; None while the game goes on."""
        variant, x, o = self.variant, self.x, self.o
        for line in variant.lines:
            if x & line == line or o & line == line:
                return _decided(variant, X if x & line == line else O, line)
        return self._draw()

    def outcome_after(self, cell: Cell) -> Outcome | None:
        """The outcome if the last move was on `cell`; faster than `outcome`."""
        variant, x, o, ply, _ = self
        own = x if ply & 1 else o
        for line in variant.lines_through[cell]:
            if own & line == line:
                return _decided(variant, self.turn.other, line)
        if variant.is_plain:
            return _DRAWN if x | o == variant.full else None
        return self._draw()

    def _draw(self) -> Outcome | None:
        variant = self.variant
        if variant.limit and self.ply >= variant.limit:
            return _LIMITED
        if variant.nested:
            return None if any(map(self.is_open, BOARDS)) else _DRAWN
        return _DRAWN if self.x | self.o == variant.full else None

    def __str__(self) -> str:
        width = self.variant.columns
        marks = (self.at(cell) for cell in range(self.variant.size))
        drawn = "".join("." if mark is None else mark.name for mark in marks)
        return "\n".join(drawn[start : start + width] for start in range(0, len(drawn), width))


def play_all(variant: Variant, moves: Iterable[Cell]) -> Position:
    """The position after these moves from the beginning."""
    position = Position(variant)
    for cell in moves:
        position = position.play(cell)
    return position


def read_position(drawing: str, variant: Variant = CLASSIC) -> Position:
    """The inverse of `str(position)`: X, O and dots. White space is ignored.

    Only for games where the marks say it all.

    >>> read_position("X.. .O. ..X").at(4)
    <Mark.O: 1>
    """
    drawn = "".join(drawing.split())
    if len(drawn) != variant.size or set(drawn) - set("XO.") or not variant.is_plain:
        raise ValueError(f"{drawing!r} is not a {variant.name} board")
    x = sum(1 << cell for cell, mark in enumerate(drawn) if mark == "X")
    o = sum(1 << cell for cell, mark in enumerate(drawn) if mark == "O")
    return from_marks(variant, x, o)


def from_marks(variant: Variant, x: Bits, o: Bits) -> Position:
    """The position with these marks, where they say it all. It is X's turn unless X has more."""
    return Position(variant, x, o, 2 * o.bit_count() + (x.bit_count() > o.bit_count()))
