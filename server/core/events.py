"""What happened in a room. The log of a room is a list of these; `evolve` folds it into a `Room`.

Every event has `at`, the instant the server decided it, so the fold needs no clock. How events look
on disk is in `server/codec.py`.
"""

from __future__ import annotations

from typing import NewType

from server.core.record import Record
from server.core.rules import Cell, Ending, Mark, Variant

PlayerId = NewType("PlayerId", str)


class Person(Record, omit_defaults=True):
    """A player with a token: the public id derived from it, and a name.

    `bot`: a program, which has said so. Events of earlier versions know no bots.
    """

    id: PlayerId
    name: str
    bot: bool = False


class TimeControl(Record):
    """The milliseconds each side starts with, and those that a move earns."""

    budget: int
    increment: int = 0


class RoomOpened(Record):
    """`opening`: the moves after which the first game begins."""

    at: int
    variant: Variant
    public: bool
    time: TimeControl | None = None
    opening: tuple[Cell, ...] = ()


class SeatTaken(Record):
    """A person took an open seat, took back a seat that an AI covered, or changed their name."""

    at: int
    mark: Mark
    person: Person


class SeatLeft(Record):
    """A person gave up their seat. If an AI covers it, the AI now plays for itself."""

    at: int
    mark: Mark


class AISeated(Record):
    """The AI took an open seat, or covers for the absent person who owns it."""

    at: int
    mark: Mark
    level: str


class AIDismissed(Record):
    """The AI left the seat, which is now its owner's again, or open."""

    at: int
    mark: Mark


class MovePlayed(Record):
    at: int
    mark: Mark
    cell: Cell


class GameForfeited(Record):
    """The game ended off the board: by resignation, time or absence."""

    at: int
    loser: Mark
    by: Ending


class RematchAsked(Record):
    at: int
    mark: Mark


class GameStarted(Record):
    """The next game has begun: the board is empty, and the players have swapped marks."""

    at: int


class ClockResumed(Record, omit_defaults=True):
    """The clock runs again after no process had kept the room from `since` until `at`.

    The side to move pays for its time up to `since`, and nobody pays for the time away. Events of
    earlier versions have no `since`: nobody pays for any of the time since the last move.
    """

    at: int
    since: int | None = None


Event = (
    RoomOpened
    | SeatTaken
    | SeatLeft
    | AISeated
    | AIDismissed
    | MovePlayed
    | GameForfeited
    | RematchAsked
    | GameStarted
    | ClockResumed
)
