"""A state's board as lines of text, in the largest size that fits.

What matters shows without colour, too: the last mark is `‹X›`, a mark about to vanish `(X)`, the
cells that won `*X*`, and the cell that the cursor is on `[ ]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import UNSET

from noughts.messages import State
from noughts.shapes import Variant
from noughts.terminal.styled import Canvas, Line

X_ART = ("╲ ╱", " ╳ ", "╱ ╲")
O_ART = ("╭─╮", "│ │", "╰─╯")
ARTS = {"X": X_ART, "O": O_ART}
# The sides of a cell three rows high, for each sign that a cell can have beside its mark.
SIDES = {
    "[]": ("┌┐", "  ", "└┘"),
    "()": ("╭╮", "││", "╰╯"),
    "‹›": ("  ", "‹›", "  "),
    "**": ("**", "**", "**"),
}


class Size(NamedTuple):
    """A cell's columns and rows, and whether there are rules between cells, and labels outside."""

    columns: int
    rows: int
    rules: bool
    labels: bool = False


LARGE, SMALL, TINY = Size(7, 3, True), Size(3, 1, True), Size(2, 1, False)
SIZES = (LARGE, SMALL, TINY)
SIZES_WITH_LABELS = (LARGE._replace(labels=True), SMALL._replace(labels=True), SMALL, TINY)
SIZES_OF_FALLING = (Size(5, 3, False), Size(3, 1, False), TINY)


class Sight(NamedTuple):
    """What is to be seen on a board besides its marks.

    `cursor`: the cell that would be played. `numbers`: whether empty cells show their digit.
    """

    cursor: int | None = None
    numbers: bool = False


def sizes_of(variant: Variant) -> tuple[Size, ...]:
    """The sizes of a board that is not nested, largest first."""
    if variant.falls:
        return SIZES_OF_FALLING
    return SIZES if variant.rows * variant.columns == 9 else SIZES_WITH_LABELS


def measure(variant: Variant, size: Size) -> tuple[int, int]:
    """The columns and rows of a board in this size."""
    rule = int(size.rules)
    width = variant.columns * (size.columns + rule) - rule
    height = variant.rows * (size.rows + rule) - rule
    if variant.falls:
        return width + 2, height + 2
    return width + 2 * size.labels, height + size.labels


def draw(state: State, size: Size, sight: Sight) -> list[Line]:
    """The board of a game that is not nested."""
    variant = state.variant
    canvas = Canvas(*measure(variant, size))
    top, left = int(size.labels), 2 * size.labels
    if variant.falls:
        top, left = 1, 1
        _draw_walls(canvas, state, size, sight)
    elif size.rules:
        _draw_rules(canvas, variant, size, top, left)
    if size.labels:
        _draw_labels(canvas, variant, size)
    rule = int(size.rules)
    for cell in range(len(state.board)):
        row, column = divmod(cell, variant.columns)
        place = (top + row * (size.rows + rule), left + column * (size.columns + rule))
        draw_cell(canvas, place, size, state, cell, sight)
    return canvas.lines()


def draw_cell(
    canvas: Canvas, place: tuple[int, int], size: Size, state: State, cell: int, sight: Sight
) -> None:
    """One cell: its mark or its digit in the middle, and its sign at the sides."""
    row, column = place
    mark, sign = state.board[cell], sign_of(state, cell, sight)
    style = _style(mark, sign)
    if size.rows == 3:
        art = ARTS[mark] if mark else ("", f" {_filling(state, cell, sight)}", "")
        canvas.put_lines(row, column + (size.columns - 3) // 2, art, style)
        for down, sides in enumerate(SIDES.get(sign, ("  ",) * 3)):
            canvas.put(row + down, column, sides[0], style)
            canvas.put(row + down, column + size.columns - 1, sides[1], style)
        return
    middle = mark or _filling(state, cell, sight)
    canvas.put(row, column, f"{sign[:1] or ' '}{middle}{sign[1:] or ' '}"[: size.columns], style)


def sign_of(state: State, cell: int, sight: Sight) -> str:
    """What stands at the two sides of a cell, or nothing."""
    if cell == sight.cursor:
        return "[]"
    if state.outcome is not None and cell in (state.outcome.line or ()):
        return "**"
    if state.status != "over" and state.fading is not UNSET and cell == state.fading:
        return "()"
    return "‹›" if state.moves and cell == state.moves[-1] else ""


def playable(state: State) -> set[int]:
    """The cells that the side to move may play; none unless the game is being played."""
    if state.playable is not UNSET:
        return set(state.playable)
    return {cell for cell, mark in enumerate(state.board) if not mark and state.turn}


def _filling(state: State, cell: int, sight: Sight) -> str:
    """What an empty cell shows."""
    if sight.numbers and len(state.board) == 9 and state.status == "playing":
        return str(cell + 1)
    if state.variant.nested:
        return "·" if cell in playable(state) else " "
    return "·" if state.variant.falls or state.variant.rows > 3 else " "


def _style(mark: str | None, sign: str) -> str:
    if sign == "[]":
        return "bold"
    if mark is None:
        return "dim"
    weight = {"**": "bold reverse", "()": "dim"}.get(sign, "bold")
    return f"{mark.lower()} {weight}"


def _draw_rules(canvas: Canvas, variant: Variant, size: Size, top: int, left: int) -> None:
    across = "┼".join(["─" * size.columns] * variant.columns)
    for row in _inner(top, variant.rows, size.rows):
        canvas.put(row, left, across, "dim")
    height = variant.rows * (size.rows + 1) - 1
    for row in set(range(top, top + height)) - set(_inner(top, variant.rows, size.rows)):
        for column in _inner(left, variant.columns, size.columns):
            canvas.put(row, column, "│", "dim")


def _inner(begin: int, count: int, span: int) -> Iterator[int]:
    """Where the rules between so many cells are."""
    return (begin + each * (span + 1) - 1 for each in range(1, count))


def _draw_labels(canvas: Canvas, variant: Variant, size: Size) -> None:
    middle = size.columns // 2
    for column in range(variant.columns):
        canvas.put(0, 2 + column * (size.columns + 1) + middle, str(column + 1), "dim")
    for row in range(variant.rows):
        canvas.put(1 + row * (size.rows + 1) + size.rows // 2, 0, str(row + 1), "dim")


def _draw_walls(canvas: Canvas, state: State, size: Size, sight: Sight) -> None:
    """Where marks fall: the digits of the columns on top, walls, and a floor."""
    width, height = measure(state.variant, size)
    for row in range(1, height - 1):
        canvas.put(row, 0, "│", "dim")
        canvas.put(row, width - 1, "│", "dim")
    canvas.put(height - 1, 0, f"╰{'─' * (width - 2)}╯", "dim")
    aimed = None if sight.cursor is None else sight.cursor % state.variant.columns
    for column in range(state.variant.columns):
        at = 1 + column * size.columns + size.columns // 2
        is_aimed = column == aimed
        canvas.put(0, at, str(column + 1), "bold" if is_aimed else "dim")
        if is_aimed and size.columns > 2:
            canvas.put(0, at - 1, "▼", "bold")
