"""A room as a whole screen: the board in the largest size that fits, and what goes with it.

In a wide window the players and the sentences stand beside the board, in a narrow one above and
below. Where even the smallest board does not fit, the screen says how large a window it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from noughts.games import game_name
from noughts.messages import State
from noughts.shapes import Clock, HumanSeat, Mark
from noughts.terminal.board import Sight, draw, measure, sizes_of
from noughts.terminal.nested import NESTS, draw_nest, measure_nest
from noughts.terminal.styled import Line, Span, fit, line, width_of, wrap
from noughts.terminal.words import (
    OTHER,
    duration,
    is_bot,
    rematch_note,
    seat_name,
    seat_of,
    status,
    title,
)

PANEL = 26  # columns beside the board, at least
PANEL_AT_MOST = 44
GAP = 3  # columns between the board and what is beside it
LEAST, COMFORT = 3, 6  # lines besides the smallest board, and besides any other
HINT_GAP = " · "
NOTHING = Sight()

Drawing = tuple[tuple[int, int], Callable[[Sight], list[Line]]]


@dataclass(frozen=True)
class Table:
    """All that a screen shows of a room.

    `mine`: the seats of the person at this terminal. `online`: the seats of people who are
    connected, None if that is not known. `now`: the server's time, for running clocks. `note`: what
    has just happened. `invitation`: lines with the link, while somebody is waited for. `hints`: the
    keys of the moment. `is_live`: whether the moment counts, or the game has been left.
    """

    state: State
    mine: tuple[Mark, ...] = ()
    sight: Sight = NOTHING
    online: Collection[Mark] | None = None
    now: int = 0
    note: str = ""
    invitation: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    is_live: bool = True


def draw_table(table: Table, width: int, height: int) -> list[Line]:
    """The screen for a window of this size."""
    drawings = list(drawings_of(table.state))
    for number, ((columns, rows), draw_board) in enumerate(drawings, 1):
        needed = LEAST if number == len(drawings) else COMFORT
        beside = min(width - columns - GAP - 2, PANEL_AT_MOST)
        if beside >= PANEL:
            panel = _panel(table, beside)
            below = _below(table, width)
            if max(rows, len(panel)) + 2 + len(below) <= height:
                board = draw_board(table.sight)
                return _side_by_side(table, board, columns, panel, below, height)
        if columns <= width and rows + needed <= height:
            return _stacked(table, draw_board(table.sight), columns, width, height)
    return _too_small(table.state, drawings[-1][0], width, height)


def drawings_of(state: State) -> Iterable[Drawing]:
    """The board in every size, largest first, with its columns and rows."""
    if state.variant.nested:
        return ((measure_nest(nest), partial(draw_nest, state, nest)) for nest in NESTS)
    sizes = sizes_of(state.variant)
    return ((measure(state.variant, size), partial(draw, state, size)) for size in sizes)


def draw_plainly(table: Table) -> list[Line]:
    """A room for a pipe: a line about the players, the board, and a line about the moment."""
    state = table.state
    players = " · ".join(f"{mark} {_name(table, mark)}" for mark in OTHER)
    score = f"{state.score.X}:{state.score.O}"
    *_, (_, draw_board) = list(drawings_of(state))[:2]
    told = [status(state, table.mine), rematch_note(state, table.mine)] if table.is_live else []
    return [
        line(f"{title(state)} · {players} · {score}"),
        *draw_board(table.sight),
        *(line(text) for text in told if text),
    ]


def _side_by_side(
    table: Table,
    board: list[Line],
    columns: int,
    panel: list[Line],
    below: list[Line],
    height: int,
) -> list[Line]:
    empty: Line = line(" " * columns)
    rows = max(len(board), len(panel))
    board = board + [empty] * (rows - len(board))
    panel = panel + [[]] * (rows - len(panel))
    middle = [
        [Span("  "), *left, Span(" " * GAP), *right]
        for left, right in zip(board, panel, strict=True)
    ]
    room = height - rows - 1 - len(below)  # for empty lines
    return [
        line(f"  {title(table.state)}", "bold"),
        *([line("")] if room > 0 else []),
        *middle,
        *([line("")] if room > 1 else []),
        *below,
    ]


def _below(table: Table, width: int) -> list[Line]:
    """What is under everything else. A link is not beside the board: it is copied from one line."""
    hints = [line(f"  {text}", "dim") for text in _pack(table.hints, width - 2)]
    invitation = [line(f"  {text}") for text in table.invitation]
    return [*invitation, *([line("")] if invitation else []), *hints]


def _panel(table: Table, width: int) -> list[Line]:
    return [
        *_players(table, width),
        line(""),
        *_moment(table, width),
        line(""),
        *_note(table, width),
    ]


def _stacked(table: Table, board: list[Line], columns: int, width: int, height: int) -> list[Line]:
    """The board with all that there is room for, the important first."""
    margin = min(2, (width - columns) // 2)
    drawn: list[Line] = [[Span(" " * margin), *each] for each in board]
    players, moment = _players(table, width), _moment(table, width)
    room = height - len(drawn) - len(players)
    moment = moment[:room]
    room -= len(moment)
    invitation = [line(text) for each in table.invitation for text in wrap(each, width)]
    notes = [*invitation, *_note(table, width)][:room]
    room -= len(notes)
    hints = [line(text, "dim") for text in _pack(table.hints, width)]
    hints = hints if len(hints) <= room else hints[: min(room, 1)]
    room -= len(hints)
    heading = [line(title(table.state), "bold")] if room > 0 else []
    gaps = [[line("")] if room > 1 + gap else [] for gap in range(3)]
    return [*heading, *players, *gaps[0], *drawn, *gaps[1], *moment, *notes, *gaps[2], *hints]


def _moment(table: Table, width: int) -> list[Line]:
    state, mine = table.state, table.mine
    is_ours = state.turn in mine or state.status == "over"
    style = "bold" if is_ours else ""
    if state.outcome is not None and len(mine) == 1 and state.outcome.winner is not None:
        style = "bold good" if state.outcome.winner in mine else "bold bad"
    told = [line(text, style) for text in wrap(status(state, mine), width)]
    return told + [line(text) for text in wrap(rematch_note(state, mine), width) if text]


def _note(table: Table, width: int) -> list[Line]:
    return [line(text, "warn") for text in wrap(table.note, width) if text]


def _players(table: Table, width: int) -> list[Line]:
    """One line for each player: whose turn, mark, name, clock and score."""
    return [_player(table, mark, width) for mark in OTHER]


def _player(table: Table, mark: Mark, width: int) -> Line:
    state = table.state
    score = state.score.X if mark == "X" else state.score.O
    clock = "" if state.clock is None else duration(left_of(state, mark, table.now))
    numbers = f" {clock}  {score}" if clock else f" {score}"
    turn = "▸" if state.turn == mark else " "
    name = fit(_name(table, mark), max(1, width - 5 - width_of(numbers)))
    style = "bold" if mark in table.mine else ""
    return [
        Span(f"{turn} ", "bold"),
        Span(mark, f"{mark.lower()} bold"),
        Span(f"  {name}", style),
        Span(numbers, "bold" if state.turn == mark and clock else ""),
    ]


def _name(table: Table, mark: Mark) -> str:
    """A player's name with what is to be known about them."""
    seat = seat_of(table.state, mark)
    is_away = isinstance(seat, HumanSeat) and table.online is not None and mark not in table.online
    marks = ["bot"] * is_bot(seat) + ["away"] * (is_away and mark not in table.mine)
    if [mark] == list(table.mine) and seat_name(seat) != "You":
        marks.append("you")
    covers = getattr(seat, "covers", None)
    if covers:
        marks.append(f"for {covers.name}")
    return seat_name(seat) + (f" ({', '.join(marks)})" if marks else "")


def _pack(hints: Sequence[str], width: int) -> list[str]:
    """The hints in as few lines as they fit in."""
    lines: list[str] = []
    for hint in hints:
        longer = f"{lines[-1]}{HINT_GAP}{hint}" if lines else hint
        if lines and width_of(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(hint)
    return lines


def left_of(state: State, mark: Mark, now: int) -> int:
    """What a side has left on its clock."""
    clock: Clock | None = state.clock
    if clock is None:
        return 0
    left = clock.left.X if mark == "X" else clock.left.O
    spent = now - clock.since if clock.since is not None and state.turn == mark else 0
    return max(0, left - max(0, spent))


def _too_small(state: State, smallest: tuple[int, int], width: int, height: int) -> list[Line]:
    columns, rows = smallest[0], smallest[1] + LEAST
    text = (
        f"This window is too small: {game_name(state.variant.name)} needs {columns} columns and "
        f"{rows} rows, and there are {width} and {height}."
    )
    lines: Sequence[str] = wrap(text, max(1, width))
    return [line(each) for each in lines[:height]]
