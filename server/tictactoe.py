"""The classic exercise: tic-tac-toe as eight functions over a board of three lists.

The functions only translate between plain lists and the core. They never modify a board.

>>> board = result(initial_state(), (1, 1))
>>> board[1], player(board)
([None, 'X', None], 'O')
"""

from __future__ import annotations

from server.core.rules import CLASSIC, Position, cells, from_marks
from server.core.tables import judge_to_the_end
from server.core.verdicts import best_of

X = "X"
O = "O"
EMPTY = None

Board = list[list[str | None]]
Action = tuple[int, int]


def initial_state() -> Board:
    """The empty board."""
    return [[EMPTY, EMPTY, EMPTY], [EMPTY, EMPTY, EMPTY], [EMPTY, EMPTY, EMPTY]]


def player(board: Board) -> str:
    """The mark to move next; X begins."""
    return _position(board).turn.name


def actions(board: Board) -> set[Action]:
    """Every `(i, j)` that is still empty."""
    return {divmod(cell, 3) for cell in cells(_position(board).playable())}


def result(board: Board, action: Action) -> Board:
    """A new board with `action` made; raises ValueError unless that cell is empty."""
    i, j = _pair(action)
    if not (0 <= i < 3 and 0 <= j < 3):
        raise ValueError(f"{action!r} is not on the board")
    if board[i][j] is not EMPTY:
        raise ValueError(f"{action!r} is already taken")
    after = [list(row) for row in board]
    after[i][j] = player(board)
    return after


def winner(board: Board) -> str | None:
    """The mark that has three in a row; None if neither has."""
    outcome = _position(board).outcome()
    return None if outcome is None or outcome.winner is None else outcome.winner.name


def terminal(board: Board) -> bool:
    """Whether the game is over."""
    return _position(board).outcome() is not None


def utility(board: Board) -> int:
    """1 if X has won, -1 if O has, else 0."""
    return {X: 1, O: -1, None: 0}[winner(board)]


def minimax(board: Board) -> Action | None:
    """An optimal action for the player to move; None once the game is over.

    It wins as fast as possible and loses as slowly as possible.
    """
    position = _position(board)
    if position.outcome() is not None:
        return None
    return divmod(best_of(judge_to_the_end(position))[0], 3)


def _pair(action: object) -> Action:
    """Check an action that may be anything: a list, floats, booleans, three numbers."""
    match action:
        case (i, j) if isinstance(action, tuple) and type(i) is int and type(j) is int:
            return i, j
    raise ValueError(f"{action!r} is not a pair of whole numbers")


def _position(board: Board) -> Position:
    x = o = 0
    for i, row in enumerate(board):
        for j, mark in enumerate(row):
            if mark == X:
                x |= 1 << 3 * i + j
            elif mark == O:
                o |= 1 << 3 * i + j
    return from_marks(CLASSIC, x, o)
