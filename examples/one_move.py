"""Looks one move ahead, in every game: completes a line, else stops the other from doing so."""

import random
from collections.abc import Iterator

from noughts import State

DIRECTIONS = (0, 1), (1, 0), (1, 1), (1, -1)


def choose(state: State) -> int:
    me, other = ("X", "O") if state.turn == "X" else ("O", "X")
    mine = [cell for cell in state.choices if completes(state, cell, me)]
    theirs = [cell for cell in state.choices if completes(state, cell, other)]
    if state.variant.avoid is True:  # whoever completes a line loses
        return random.choice([cell for cell in state.choices if cell not in mine] or mine)
    return random.choice(mine or theirs or state.choices)


def completes(state: State, cell: int, mark: str) -> bool:
    """Whether this mark on this cell would complete a line."""
    board = list(state.board)
    if mark == state.turn and isinstance(state.fading, int):
        board[state.fading] = None  # this move empties it
    for row, column in DIRECTIONS:
        length = 1
        for step in (row, column), (-row, -column):
            for place in ray(state, cell, *step):
                if board[place] != mark:
                    break
                length += 1
        if length >= state.variant.line:
            return True
    return False


def ray(state: State, cell: int, down: int, right: int) -> Iterator[int]:
    """The cells from this one in one direction, up to the edge of its board."""
    rows, columns = state.variant.rows, state.variant.columns
    size = 3 if state.variant.nested is True else max(rows, columns)  # of a small board, if nested
    row, column = divmod(cell, columns)
    home = row // size, column // size
    row, column = row + down, column + right
    while 0 <= row < rows and 0 <= column < columns and (row // size, column // size) == home:
        yield row * columns + column
        row, column = row + down, column + right
