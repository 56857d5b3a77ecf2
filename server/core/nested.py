"""The face of nested boards (ultimate), for the search.

A small board is one number, its code: a digit to the base of three for each spot, 0 if it is free,
1 for X, 2 for O. A closed board has one of three codes of its own, whatever stands on it. A state
is the nine codes, the board to play on (`ANY` if the choice is free), the ply, and for each side
its hopes.

The estimate. For each code a table holds the *chance* of each side to take the board. The *hopes*
of a side are the sum, over the eight great lines, of the product of the three chances. A side
without hopes cannot win; if neither side has any, the game is drawn. A free choice of the board is
worth something, too.

The chance is that of a game in which a coin decides who moves next, and in which a move is half the
time the best one for this board and half the time any. It counts with the power of 1.5. Of a few
such tables, this one fits the results of 500 games by Monte Carlo tree search best. The worth of a
free choice was chosen by matches of the search against itself.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from server.core.engine import LIMIT, WIN, Move, search
from server.core.rules import BOARDS, CLASSIC, SPOT_OF, Bits, Cell, Position, cells, place
from server.core.verdicts import Verdict

ANY = 9  # as the board to play on
CODES = 3**9
WON = (CODES, CODES + 1)  # by X, by O
DRAWN = CODES + 2
SURE = 500  # the chance on a board that is won; eight products of three fit into 30 bits
POWER = 1.5
SCALE = SURE**3 // 2_000  # hopes for each point of a score
FREE_CHOICE = 400  # points

LINES = CLASSIC.lines
POWERS = [3**spot for spot in range(9)]
CELL_AT = [[place(board, spot) for spot in range(9)] for board in BOARDS]
PARTNERS = [
    [tuple(cells(line ^ 1 << board)) for line in LINES if line >> board & 1] for board in BOARDS
]

State = tuple[int, ...]


class Small(NamedTuple):
    """The tables of small boards, by code; those of a pair are for X and for O."""

    moves: tuple[list[list[tuple[int, int]]], ...]  # the free spots, each with the code after it
    chances: tuple[list[int], list[int]]
    can_win: tuple[list[bool], list[bool]]  # with one move


@cache
def small_boards() -> Small:
    """Built on first use, in about a tenth of a second."""
    chances = [[0.0] * (CODES + 3), [0.0] * (CODES + 3)]
    moves: tuple[list[list[tuple[int, int]]], ...] = (
        [[] for _ in range(CODES + 3)],
        [[] for _ in range(CODES + 3)],
    )
    can_win = ([False] * (CODES + 3), [False] * (CODES + 3))
    closed = _closed_codes()
    chances[0][WON[0]] = chances[1][WON[1]] = 1.0
    for code in range(CODES - 1, -1, -1):
        if code in closed:
            continue
        free = [spot for spot in range(9) if not code // POWERS[spot] % 3]
        for side in (0, 1):
            after = [code + (side + 1) * POWERS[spot] for spot in free]
            after = [closed.get(new, new) for new in after]
            moves[side][code] = list(zip(free, after, strict=True))
            can_win[side][code] = WON[side] in after
        for side in (0, 1):
            own = [chances[side][new] for _, new in moves[side][code]]
            other = [chances[side][new] for _, new in moves[1 - side][code]]
            best, any_move = max(own) + min(other), (sum(own) + sum(other)) / len(free)
            chances[side][code] = (best + any_move) / 4
    return Small(moves, (_weigh(chances[0]), _weigh(chances[1])), can_win)


def _closed_codes() -> dict[int, int]:
    """The codes of boards that are won or full, with the code that stands for them."""
    lined = {bits for bits in range(512) if any(bits & line == line for line in LINES)}
    closed = {}
    for code in range(CODES):
        digits = [code // power % 3 for power in POWERS]
        for side in (0, 1):
            if sum(1 << spot for spot in range(9) if digits[spot] == side + 1) in lined:
                closed[code] = WON[side]
        if code not in closed and all(digits):
            closed[code] = DRAWN
    return closed


def _weigh(chances: list[float]) -> list[int]:
    """What each chance counts. None is rounded to 0 or to `SURE`."""
    return [round(SURE * chance**POWER) for chance in chances]


class Nested:
    """Nested boards."""

    def __init__(self) -> None:
        self._moves, self._chances, self._can_win = small_boards()

    def read(self, position: Position) -> State:
        codes = [self._code(position, board) for board in BOARDS]
        target = SPOT_OF[position.last[0]] if position.last else ANY
        if target != ANY and codes[target] >= CODES:
            target = ANY
        hopes = (find_hopes([chances[code] for code in codes]) for chances in self._chances)
        return (*codes, target, position.ply, *hopes)

    def _code(self, position: Position, board: int) -> int:
        owner = position.owner(board)
        if owner is not None:
            return WON[owner]
        if not position.is_open(board):
            return DRAWN
        marks = (position.at(cell) for cell in CELL_AT[board])
        return sum((mark + 1) * POWERS[spot] for spot, mark in enumerate(marks) if mark is not None)

    def expand(self, state: State) -> list[Move[State]]:
        target, ply, hopes_x, hopes_o = state[9:]
        side = ply & 1
        codes = state[:9]
        chances_x, chances_o = self._chances
        on_x = [chances_x[code] for code in codes]
        on_o = [chances_o[code] for code in codes]
        own, other = (on_o, on_x) if side else (on_x, on_o)
        fatal = self._decisive(codes, other, 1 - side)
        boards = [target] if target != ANY else [board for board in BOARDS if codes[board] < CODES]
        moves = []
        next_ply = ply + 1
        can_win = self._can_win[1 - side]
        for board in boards:
            code = codes[board]
            pairs = PARTNERS[board]
            push_x = push_o = 0
            for one, two in pairs:
                push_x += on_x[one] * on_x[two]
                push_o += on_o[one] * on_o[two]
            if self._can_win[side][code] and any(
                own[one] == own[two] == SURE for one, two in pairs
            ):
                return [(WIN - next_ply, 0, state)]
            before, behind = codes[:board], codes[board + 1 :]
            base_x = hopes_x - chances_x[code] * push_x
            base_o = hopes_o - chances_o[code] * push_o
            row = CELL_AT[board]
            for spot, new in self._moves[side][code]:
                new_x = base_x + chances_x[new] * push_x
                new_o = base_o + chances_o[new] * push_o
                is_open = (new if spot == board else codes[spot]) < CODES
                if fatal:
                    rest = fatal if can_win[new] else fatal & ~(1 << board)
                    if rest >> spot & 1 if is_open else rest:
                        continue
                if new_x or new_o:
                    score = (new_o - new_x if side else new_x - new_o) // SCALE
                    if not is_open:
                        score -= FREE_CHOICE
                    if score > LIMIT:
                        score = LIMIT
                    elif score < -LIMIT:
                        score = -LIMIT
                    score |= 1
                else:
                    score = 0
                after = (*before, new, *behind, spot if is_open else ANY, next_ply, new_x, new_o)
                moves.append((score, row[spot], after))
        return moves or [(ply + 2 - WIN, 0, state)]

    def _decisive(self, codes: State, chances: list[int], side: int) -> Bits:
        """The boards where this side wins the game if it may play there."""
        if chances.count(SURE) < 2:
            return 0
        can_win = self._can_win[side]
        return sum(
            1 << board
            for board in BOARDS
            if can_win[codes[board]]
            and any(chances[one] == chances[two] == SURE for one, two in PARTNERS[board])
        )


def find_hopes(chances: list[int]) -> int:
    """The sum over the great lines of the product of three chances."""
    a, b, c, d, e, f, g, h, i = chances
    across = a * b * c + d * e * f + g * h * i
    down = a * d * g + b * e * h + c * f * i
    return across + down + a * e * i + c * e * g


def judge(position: Position, nodes: int) -> dict[Cell, Verdict]:
    """A verdict for each playable cell."""
    return search(Nested(), position, nodes)
