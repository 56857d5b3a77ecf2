"""Nine boards in one as lines of text: who owns which, and where the side to move may play."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import UNSET

from noughts.messages import State
from noughts.shapes import Owner
from noughts.terminal.board import Sight, Size, draw_cell, playable
from noughts.terminal.styled import Canvas, Line

SMALL_ART = {
    "X": ("╲   ╱", "  ╳  ", "╱   ╲"),
    "O": ("╭───╮", "│   │", "╰───╯"),
    "draw": ("", "draw", ""),
}
LARGE_ART = {
    "X": ("╲     ╱", "  ╲ ╱  ", "   ╳   ", "  ╱ ╲  ", "╱     ╲"),
    "O": ("╭─────╮", "│     │", "│     │", "│     │", "╰─────╯"),
    "draw": ("", "", " draw ", "", ""),
}


class Nest(NamedTuple):
    """The size of one small board, and of its cells."""

    cell: Size
    width: int
    height: int


NESTS = (
    Nest(Size(3, 1, True), 11, 5),
    Nest(Size(3, 1, False), 9, 3),
    Nest(Size(2, 1, False), 6, 3),
)


def cell_in(board: int, spot: int) -> int:
    """The cell at this spot of a small board.

    >>> cell_in(8, 0), cell_in(8, 8)
    (60, 80)
    """
    row, column = divmod(spot, 3)
    return 9 * (board // 3 * 3 + row) + board % 3 * 3 + column


def board_of(cell: int) -> int:
    """The small board that a cell is on.

    >>> board_of(60)
    8
    """
    return cell // 27 * 3 + cell % 9 // 3


def measure_nest(nest: Nest) -> tuple[int, int]:
    return 3 * nest.width + 2, 3 * nest.height + 2


def draw_nest(state: State, nest: Nest, sight: Sight) -> list[Line]:
    canvas = Canvas(*measure_nest(nest))
    _draw_frame(canvas, nest)
    owners = [None] * 9 if state.boards is UNSET else state.boards
    for board, owner in enumerate(owners):
        row, column = divmod(board, 3)
        corner = (row * (nest.height + 1), column * (nest.width + 1))
        if owner is None:
            _draw_open(canvas, corner, nest, state, board, sight)
        else:
            _draw_owned(canvas, corner, nest, state, board, owner)
    return canvas.lines()


def _draw_frame(canvas: Canvas, nest: Nest) -> None:
    for row in range(3 * nest.height + 2):
        for column in (nest.width, 2 * nest.width + 1):
            canvas.put(row, column, "║", "dim")
    for row in (nest.height, 2 * nest.height + 1):
        canvas.put(row, 0, "╬".join(["═" * nest.width] * 3), "dim")


def _draw_open(
    canvas: Canvas, corner: tuple[int, int], nest: Nest, state: State, board: int, sight: Sight
) -> None:
    top, left = corner
    size, rule = nest.cell, int(nest.cell.rules)
    is_playable = any(board_of(cell) == board for cell in playable(state))
    style = "bold" if is_playable else "dim"
    if rule:
        for row in range(nest.height):
            across = "───┼───┼───" if row % 2 else "   │   │   "
            canvas.put_lines(top + row, left, [across], style)
    for spot in range(9):
        row, column = divmod(spot, 3)
        place = (top + row * (1 + rule), left + column * (size.columns + rule))
        draw_cell(canvas, place, size, state, cell_in(board, spot), sight)


def _draw_owned(
    canvas: Canvas, corner: tuple[int, int], nest: Nest, state: State, board: int, owner: Owner
) -> None:
    """A board that is closed: its owner's mark all over it, with a sign at its sides."""
    top, left = corner
    art = (LARGE_ART if nest.height > 3 else SMALL_ART)[owner]
    outcome = state.outcome
    has_won = outcome is not None and outcome.boards is not UNSET and board in outcome.boards
    style = "dim" if owner == "draw" else f"{owner.lower()} bold"
    canvas.put_lines(top, left + (nest.width - max(map(len, art))) // 2, art, style)
    middle = nest.height // 2
    if has_won:
        _put_sides(canvas, corner, nest, range(nest.height), "**", style)
    elif state.moves and board_of(state.moves[-1]) == board:
        _put_sides(canvas, corner, nest, range(middle, middle + 1), "‹›", style)


def _put_sides(
    canvas: Canvas, corner: tuple[int, int], nest: Nest, rows: range, sign: str, style: str
) -> None:
    """A sign at the sides of a closed board; on the smallest, there is room on the right only."""
    top, left = corner
    for row in rows:
        if nest.width > len(SMALL_ART["X"][0]) + 1:
            canvas.put(top + row, left, sign[0], style)
        canvas.put(top + row, left + nest.width - 1, sign[1], style)
