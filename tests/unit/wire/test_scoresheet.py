"""A game as text: who, when, every move, and the board at the end."""

from __future__ import annotations

import pytest

from server.core.commands import Command, Create, Play, Resign
from server.core.decide import decide
from server.core.events import Event, Person
from server.core.evolve import replay
from server.core.history import Game, games
from server.core.record import replace
from server.core.room import RoomId
from server.core.rules import CLASSIC, VARIANTS, Position, cells
from server.wire.scoresheet import scoresheet, scoresheets
from tests.support.people import ADA, BO

ROOM = RoomId("Jx3kQ9aTnB2mWc7L")
BEGAN = 1_794_700_800_000


def played(variant: str, moves: list[int], o: Person | str = BO) -> list[Event]:
    create = Create(VARIANTS[variant], (ADA, o))
    log: list[Event] = [*decide(None, create, BEGAN)]
    for ply, cell in enumerate(moves):
        give(log, Play((ADA, BO)[ply % 2].id, cell, ply), BEGAN + 1_000 * (ply + 1))
    return log


def give(log: list[Event], command: Command, at: int) -> None:
    log += decide(replay(log), command, at)


def last(log: list[Event]) -> Game:
    return games(log)[-1]


def test_a_finished_game_is_told_whole() -> None:
    log = played("3x3", [0, 3, 1, 4, 2], replace(BO, bot=True))

    assert (
        scoresheet(ROOM, last(log))
        == """\
Room Jx3kQ9aTnB2mWc7L, game 1, 3x3

X  Ada
O  Bo (bot)

Began  2026-11-15 00:00:00 UTC
Ended  2026-11-15 00:00:05 UTC
X won: a whole line

  1  X  row 1, column 1           00:00:01
  2  O  row 2, column 1           00:00:02
  3  X  row 1, column 2           00:00:03
  4  O  row 2, column 2           00:00:04
  5  X  row 1, column 3           00:00:05

* ╲ ╱ *│* ╲ ╱ *│* ╲ ╱ *
*  ╳  *│*  ╳  *│*  ╳  *
* ╱ ╲ *│* ╱ ╲ *│* ╱ ╲ *
───────┼───────┼───────
  ╭─╮  │  ╭─╮  │
  │ │  │  │ │  │
  ╰─╯  │  ╰─╯  │
───────┼───────┼───────
       │       │
       │       │
       │       │
"""
    )


def test_a_game_without_a_move_and_one_that_goes_on_say_so() -> None:
    text = scoresheet(ROOM, last(played("drop", [])))
    assert "Still being played\n\nNo moves\n" in text
    assert "3  X  column 4" in scoresheet(ROOM, last(played("drop", [38, 31, 24])))


def test_the_end_off_the_board_is_named() -> None:
    log = played("ultimate", [40, 39])
    give(log, Resign(ADA.id), BEGAN + 9_000)
    text = scoresheet(ROOM, last(log))

    assert "O won: the other side resigned" in text
    assert "1  X  board 5, row 2, column 2" in text
    assert "2  O  board 5, row 2, column 1" in text


def test_moves_that_were_given_have_no_time() -> None:
    create = Create(CLASSIC, (ADA, "hard"), opening=(4, 0))
    text = scoresheet(ROOM, last([*decide(None, create, BEGAN)]))

    assert "O  the AI, hard" in text
    assert "  2  O  row 1, column 1           given\n" in text


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_is_drawn_at_any_moment(name: str) -> None:
    variant = VARIANTS[name]
    position, moves = Position(variant), list[int]()
    while position.outcome() is None and len(moves) < 40:
        moves.append(min(cells(position.playable())))
        position = position.play(moves[-1])
    board = scoresheet(ROOM, last(played(name, moves))).rpartition("\n\n")[2]

    assert len(board.splitlines()) in {8, 10, 11, 17}
    assert max(map(len, board.splitlines())) < 60


def test_all_games_of_a_room_stand_below_each_other() -> None:
    found = games(played("3x3", [0, 3, 1, 4, 2]))

    assert scoresheets(ROOM, found * 2).count("Room Jx3kQ9aTnB2mWc7L, game 1") == 2
