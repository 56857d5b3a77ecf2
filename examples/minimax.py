"""Never loses at 3x3 and reverse: looks at every game that can follow. Plays others anywhere."""

import random
from functools import cache

from noughts import State

LINES = (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)


def choose(state: State) -> int:
    if state.variant.name not in ("3x3", "reverse"):
        return random.choice(state.choices)
    board = "".join(mark or "." for mark in state.board)
    avoid = state.variant.avoid is True
    values = {cell: -value(put(board, cell), avoid) for cell in state.choices}
    best = max(values.values())
    return random.choice([cell for cell in values if values[cell] == best])


@cache
def value(board: str, avoid: bool) -> int:
    """1 if the side to move wins, 0 for a draw, -1 if it loses. The other side has just moved."""
    if any(board[a] == board[b] == board[c] != "." for a, b, c in LINES):
        return 1 if avoid else -1
    free = [cell for cell, mark in enumerate(board) if mark == "."]
    return max((-value(put(board, cell), avoid) for cell in free), default=0)


def put(board: str, cell: int) -> str:
    mark = "X" if board.count(".") % 2 else "O"
    return board[:cell] + mark + board[cell + 1 :]
