"""The games of a room, as a fold over its log.

>>> from server.core.commands import Create, Play
>>> from server.core.decide import decide
>>> from server.core.events import Person
>>> from server.core.evolve import replay
>>> from server.core.rules import CLASSIC
>>> seats = (Person("ada", "Ada"), Person("bo", "Bo"))
>>> log = [*decide(None, Create(CLASSIC, seats), now=0)]
>>> log += decide(replay(log), Play("ada", cell=4, ply=0), now=900)
>>> [(game.number, game.moves, game.times) for game in games(log)]
[(1, (4,), (900,))]
"""

from __future__ import annotations

from collections.abc import Iterable

from server.core.commands import Reason, Refused
from server.core.events import Event, GameStarted, MovePlayed
from server.core.evolve import evolve
from server.core.record import Record, replace
from server.core.room import Holder, Room
from server.core.rules import Cell, Outcome, Position, Variant, play_all


class Game(Record):
    """One game of a room, from `began` until `ended`.

    `players`: those of X and O as of the last move; before any, those who hold the seats.
    `opening`: how many of `moves` were given when the room was opened.
    `times`: the instant of each move; those that were given count as made when the game began.
    """

    number: int
    variant: Variant
    players: tuple[Holder, Holder]
    opening: int
    moves: tuple[Cell, ...]
    times: tuple[int, ...]
    began: int
    outcome: Outcome | None = None
    ended: int | None = None

    def position_at(self, ply: int) -> Position:
        """The position after the first `ply` moves."""
        return play_all(self.variant, self.moves[:ply])


def games(log: Iterable[Event]) -> list[Game]:
    """Every game of a room, oldest first; the last one may still be played."""
    found: list[Game] = []
    room: Room | None = None
    for event in log:
        room = evolve(room, event)
        if not found or isinstance(event, GameStarted):
            found.append(_begin(room, event.at))
        game = found[-1]
        if isinstance(event, MovePlayed):
            game = replace(game, moves=room.moves, times=(*game.times, event.at))
        has_begun, is_over = len(game.moves) > game.opening, game.outcome is not None
        if isinstance(event, MovePlayed) or not (has_begun or is_over):
            game = replace(game, players=room.seats)
        if room.outcome is not None and game.outcome is None:
            game = replace(game, outcome=room.outcome, ended=event.at)
        found[-1] = game
    return found


def find_game(found: list[Game], number: int) -> Game:
    """The game of this number, from 1. Raises `Refused` (`no_such_game`)."""
    if not 0 < number <= len(found):
        raise Refused(Reason.NO_SUCH_GAME)
    return found[number - 1]


def _begin(room: Room, at: int) -> Game:
    given = (at,) * room.opening
    return Game(room.game, room.variant, room.seats, room.opening, room.moves, given, at)
