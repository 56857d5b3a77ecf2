"""The rules once more, slow and obvious: lists of letters, and one function for each game.

Written from the table of rules alone, to be compared with `server/core/rules.py`. The two share
nothing but the names of the games.
"""

from __future__ import annotations

from collections.abc import Callable

Board = list[list[str]]
Result = tuple[str, str]  # the winner or "", and how the game ended

WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))
SIZES = {
    "3x3": (3, 3),
    "reverse": (3, 3),
    "vanishing": (3, 3),
    "5x5": (5, 5),
    "drop": (6, 7),
    "ultimate": (9, 9),
}


class PlainGame:
    """A game from its beginning, as the list of its moves."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows, self.columns = SIZES[name]
        self.moves: list[int] = []
        self.owners = [""] * 9  # of the small boards: who took each, "draw" if nobody can any more

    def play(self, cell: int) -> None:
        assert cell in self.legal()
        mark = self.turn
        self.moves.append(cell)
        if self.name == "ultimate":
            down, right = cell // 27, cell % 9 // 3
            small = small_board(self.board(), down, right)
            if has_line(small, 3, mark):
                self.owners[3 * down + right] = mark
            elif not any("." in row for row in small):
                self.owners[3 * down + right] = "draw"

    @property
    def turn(self) -> str:
        return "XO"[len(self.moves) % 2]

    def drawing(self) -> str:
        return "\n".join("".join(row) for row in self.board())

    def board(self) -> Board:
        """What stands there now."""
        board = [["."] * self.columns for _ in range(self.rows)]
        marked = list(enumerate(self.moves))
        if self.name == "vanishing":
            marked = marked[-6:]  # three of each side, since the two take turns
        for ply, cell in marked:
            board[cell // self.columns][cell % self.columns] = "XO"[ply % 2]
        return board

    def legal(self) -> list[int]:
        """All cells that may be played now, in order."""
        if self.result() is not None:
            return []
        board = self.board()
        return [
            row * self.columns + column
            for row in range(self.rows)
            for column in range(self.columns)
            if board[row][column] == "." and self._may_play(board, row, column)
        ]

    def _may_play(self, board: Board, row: int, column: int) -> bool:
        if self.name == "drop":
            return row == 5 or board[row + 1][column] != "."
        if self.name == "ultimate":
            return (row // 3, column // 3) in self._open_to_play()
        return True

    def result(self) -> Result | None:
        return RESULTS[self.name](self)

    # -------------------------------------------------------------------------------- ultimate

    def _open_to_play(self) -> list[tuple[int, int]]:
        """The small boards on which the next move may be made."""
        if self.moves:
            row, column = divmod(self.moves[-1], 9)
            if not self.owners[row % 3 * 3 + column % 3]:
                return [(row % 3, column % 3)]
        return [divmod(number, 3) for number in range(9) if not self.owners[number]]


def small_board(board: Board, down: int, right: int) -> Board:
    return [row[3 * right : 3 * right + 3] for row in board[3 * down : 3 * down + 3]]


def has_line(board: Board, length: int, mark: str) -> bool:
    """Walk from every cell in every direction."""
    rows, columns = len(board), len(board[0])
    for row in range(rows):
        for column in range(columns):
            for down, right in WAYS:
                walk = [(row + down * i, column + right * i) for i in range(length)]
                if all(0 <= r < rows and 0 <= c < columns and board[r][c] == mark for r, c in walk):
                    return True
    return False


def _lines(length: int) -> Callable[[PlainGame], Result | None]:
    def result(game: PlainGame) -> Result | None:
        board = game.board()
        for mark in "XO":
            if has_line(board, length, mark):
                return mark, "line"
        return None if any("." in row for row in board) else ("", "full")

    return result


def _reverse(game: PlainGame) -> Result | None:
    ended = _lines(3)(game)
    if ended is None or not ended[0]:
        return ended
    return ("O" if ended[0] == "X" else "X"), "line"


def _vanishing(game: PlainGame) -> Result | None:
    for mark in "XO":
        if has_line(game.board(), 3, mark):
            return mark, "line"
    return ("", "limit") if len(game.moves) >= 100 else None


def _ultimate(game: PlainGame) -> Result | None:
    owners = game.owners
    great = [owners[:3], owners[3:6], owners[6:]]
    for mark in "XO":
        if has_line(great, 3, mark):
            return mark, "line"
    return None if "" in owners else ("", "full")


RESULTS: dict[str, Callable[[PlainGame], Result | None]] = {
    "3x3": _lines(3),
    "reverse": _reverse,
    "vanishing": _vanishing,
    "5x5": _lines(4),
    "drop": _lines(4),
    "ultimate": _ultimate,
}
