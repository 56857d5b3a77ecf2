"""What happened in a room. Its log is a list of these and nothing else; `room.evolve` folds them.

Every event carries `at`, the instant the server decided it, so that the fold needs no clock.
The shapes on disk are in `server/codec.py`.
"""

from __future__ import annotations

from typing import NewType

from server.core.record import Record
from server.core.rules import Cell, Ending, Mark, Variant

PlayerId = NewType("PlayerId", str)


class Person(Record):
    """Somebody with a token: a public id and the name they go by."""

    id: PlayerId
    name: str


class TimeControl(Record):
    """What each side's clock starts with, and what a move earns."""

    budget: int
    increment: int = 0


class RoomOpened(Record):
    at: int
    variant: Variant
    public: bool
    time: TimeControl | None = None


class SeatTaken(Record):
    """A person sat down: on an open seat, on their own that an AI covered, or under a new name."""

    at: int
    mark: Mark
    person: Person


class SeatLeft(Record):
    """The person gave the seat up. If an AI covered it, the AI now plays for itself."""

    at: int
    mark: Mark


class AISeated(Record):
    """The AI sat down: on an open seat, or to cover for the absent person who holds it."""

    at: int
    mark: Mark
    level: str


class AIDismissed(Record):
    """The AI stood up: the seat is its owner's again, or open."""

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
    """The next game: the board is empty and the two have swapped marks."""

    at: int


class ClockResumed(Record):
    """The room is back with a running clock, after nobody had kept it from `since` until `at`.

    The side to move pays for its time up to `since`; nobody pays for the time away. Without `since`
    (events of earlier versions) nobody pays for any of the time since the last move.
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
