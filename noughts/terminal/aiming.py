"""Choosing a cell: by arrows, which lead from one playable cell to the next, or by digits.

Digits count from 1. One names a cell of nine, a column where marks fall, or a place on the only
small board that may be played. Elsewhere it takes two: row and column, or small board and place.
"""

from __future__ import annotations

import re

from noughts.messages import State
from noughts.terminal.board import playable
from noughts.terminal.nested import board_of, cell_in

WAYS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def nearest(state: State, cell: int | None) -> int | None:
    """The playable cell nearest to this one, or to the middle; None if there is none."""
    rows, columns = state.variant.rows, state.variant.columns
    start = rows // 2 * columns + columns // 2 if cell is None else cell

    def distance(other: int) -> tuple[int, int]:
        if state.variant.falls:
            return abs(other % columns - start % columns), 0
        down, right = (
            abs(other // columns - start // columns),
            abs(other % columns - start % columns),
        )
        return down + right, other

    return min(playable(state), key=distance, default=None)


def step(state: State, cell: int, way: str) -> int:
    """The next playable cell this way; the same one if there is none.

    Where marks fall, only left and right lead anywhere.
    """
    columns = state.variant.columns
    down, right = WAYS[way]
    if state.variant.falls and down:
        return cell

    def distance(other: int) -> tuple[int, int] | None:
        by_row, by_column = other // columns - cell // columns, other % columns - cell % columns
        along, aside = (by_row * down, by_column) if down else (by_column * right, by_row)
        if along <= 0:
            return None
        return along + (0 if state.variant.falls else 2 * abs(aside)), other

    found = [(far, other) for other in playable(state) if (far := distance(other)) is not None]
    return min(found)[1] if found else cell


def digits_needed(state: State) -> int:
    """How many digits name a cell now."""
    variant = state.variant
    if variant.nested:
        return 1 if len({board_of(cell) for cell in playable(state)}) == 1 else 2
    return 1 if variant.falls or len(state.board) == 9 else 2


def cell_of(state: State, digits: str) -> int | None:
    """The cell that these digits name; None if they name none.

    In a full column it is the top cell, so that the answer can say that it is taken.
    """
    variant = state.variant
    numbers = [int(digit) - 1 for digit in digits]
    if min(numbers, default=-1) < 0:
        return None
    match numbers:
        case [column] if variant.falls and column < variant.columns:
            there = [cell for cell in playable(state) if cell % variant.columns == column]
            return there[0] if there else column
        case [spot] if variant.nested and digits_needed(state) == 1:
            return cell_in(next(board_of(cell) for cell in playable(state)), spot)
        case [board, spot] if variant.nested:
            return cell_in(board, spot)
        case [cell] if len(state.board) == 9:
            return cell
        case [row, column] if len(state.board) > 9 and not variant.falls:
            inside = row < variant.rows and column < variant.columns
            return row * variant.columns + column if inside else None
        case _:
            return None


def read_cell(state: State, text: str) -> int | None:
    """The cell that a line such as `5`, `2 3` or `23` names; None if it names none."""
    digits = re.sub(r"[\s,]+", "", text)
    return cell_of(state, digits) if digits.isascii() and digits.isdigit() else None


def name_of(state: State, cell: int) -> str:
    """The digits that name a cell, as `read_cell` reads them.

    A small board is always named, since others may be playable when this is read.
    """
    columns = state.variant.columns
    if state.variant.falls:
        return str(cell % columns + 1)
    if state.variant.nested:
        board = board_of(cell)
        return f"{board + 1} {cell // 9 % 3 * 3 + cell % 3 + 1}"
    if len(state.board) == 9:
        return str(cell + 1)
    return f"{cell // columns + 1} {cell % columns + 1}"


def how_to_name(state: State) -> str:
    """How a cell is named with digits, in a few words."""
    if state.variant.falls:
        return f"1–{state.variant.columns} column"
    if state.variant.nested:
        return "1–9 place" if digits_needed(state) == 1 else "1–9 board, then place"
    if len(state.board) == 9:
        return "1–9 cell"
    return f"1–{state.variant.rows} row, then column"
