"""A game as text that a person reads: players, dates, moves with their times, and the board."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import assert_never

from msgspec import UNSET

from noughts.messages import State
from noughts.shapes import OpenSeat, Score, Seats
from noughts.terminal.board import LARGE, SIZES_OF_FALLING, SMALL, Sight, draw
from noughts.terminal.nested import NESTS, board_of, draw_nest
from noughts.terminal.styled import Line, Look
from server.core.events import Person
from server.core.history import Game
from server.core.room import AI, Holder, RoomId
from server.core.rules import BOARDS, MARKS, Cell, Ending, Mark, Variant
from server.wire import snapshots
from server.wire.snapshots import NAMES

LABELLED = SMALL._replace(labels=True)


def scoresheets(id: RoomId, games: list[Game]) -> str:
    """All games of a room, one below the other."""
    return ("\n" + "-" * 60 + "\n\n").join(scoresheet(id, game) for game in games)


def scoresheet(id: RoomId, game: Game) -> str:
    """One game, also if it is not over."""
    began = f"Began  {_date(game.began)} UTC"
    ended = "Still being played" if game.ended is None else f"Ended  {_date(game.ended)} UTC"
    parts = [
        [f"Room {id}, game {game.number}, {game.variant.name}"],
        [f"{NAMES[mark]}  {_holder(game.players[mark])}" for mark in MARKS],
        [began, ended, _result(game)],
        [_move(game, ply) for ply in range(len(game.moves))] or ["No moves"],
        [Look().show(line) for line in _board(id, game)],
    ]
    return "\n\n".join("\n".join(filter(None, part)) for part in parts) + "\n"


def _holder(holder: Holder) -> str:
    match holder:
        case None:
            return "nobody"
        case Person(name=name, bot=bot):
            return f"{name} (bot)" if bot else name
        case AI(level=level, covers=owner):
            return f"the AI, {level}" if owner is None else f"the AI, {level}, for {owner.name}"
        case _:
            assert_never(holder)


def _result(game: Game) -> str:
    if game.outcome is None:
        return ""
    winner, by = game.outcome.winner, game.outcome.by
    how = _HOW[by].format(limit=game.variant.limit)
    return f"A draw: {how}" if winner is None else f"{NAMES[winner]} won: {how}"


_HOW = {
    Ending.LINE: "a whole line",
    Ending.FULL: "nothing is left to play",
    Ending.LIMIT: "after {limit} moves",
    Ending.RESIGNATION: "the other side resigned",
    Ending.TIME: "the other side ran out of time",
    Ending.ABSENCE: "the other side was away too long",
}


def _move(game: Game, ply: int) -> str:
    """`  3  X  row 2, column 2           20:01:04`; those that were given have no time."""
    time = "given" if ply < game.opening else _date(game.times[ply])[11:]
    return (
        f"{ply + 1:>3}  {NAMES[Mark(ply % 2)]}  {_place(game.moves[ply], game.variant):<26}{time}"
    )


def _place(cell: Cell, variant: Variant) -> str:
    row, column = divmod(cell, variant.columns)
    if variant.falls:
        return f"column {column + 1}"
    if variant.nested:
        return f"board {board_of(cell) + 1}, row {row % 3 + 1}, column {column % 3 + 1}"
    return f"row {row + 1}, column {column + 1}"


def _date(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M:%S}"


def _board(id: RoomId, game: Game) -> list[Line]:
    state = _state(id, game)
    if game.variant.nested:
        return draw_nest(state, NESTS[0], Sight())
    size = (
        LARGE if game.variant.size == 9 else SIZES_OF_FALLING[1] if game.variant.falls else LABELLED
    )
    return draw(state, size, Sight())


def _state(id: RoomId, game: Game) -> State:
    """The board at the end, as the drawing wants it. What it does not draw is left empty."""
    position, variant = game.position_at(len(game.moves)), game.variant
    state = State(
        room=id,
        public=False,
        variant=snapshots.variant_shape(variant),
        seq=0,
        game=game.number,
        board=snapshots.board_shape(position.x, position.o, variant.size),
        moves=list(game.moves),
        turn=None,
        status="playing" if game.outcome is None else "over",
        outcome=None if game.outcome is None else snapshots.outcome_shape(game.outcome),
        seats=Seats(OpenSeat(), OpenSeat()),
        score=Score(0, 0, 0),
        rematch=[],
        clock=None,
    )
    state.fading = position.fading if variant.keep else UNSET
    if variant.nested:
        state.boards = [snapshots.owner_shape(position, board) for board in BOARDS]
    return state
