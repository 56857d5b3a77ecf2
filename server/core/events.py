"""What happened in a room. Its log is a list of these and nothing else; `room.evolve` folds them.

Every event carries `at`, the instant the server decided it, so that the fold needs no clock.
The shapes on disk are in `server/codec.py`.
"""

from __future__ import annotations

from typing import NewType

from server.core.record import record
from server.core.rules import Cell, Ending, Mark, Variant

PlayerId = NewType("PlayerId", str)


@record
class Person:
    """Somebody with a token: a public id and the name they go by."""

    id: PlayerId
    name: str


@record
class TimeControl:
    """What each side's clock starts with, and what a move earns."""

    budget: int
    increment: int = 0


@record
class RoomOpened:
    at: int
    variant: Variant
    public: bool
    time: TimeControl | None = None


@record
class SeatTaken:
    """A person sat down: on an open seat, on their own that an AI covered, or under a new name."""

    at: int
    mark: Mark
    person: Person


@record
class SeatLeft:
    """The person gave the seat up. If an AI covered it, the AI now plays for itself."""

    at: int
    mark: Mark


@record
class AISeated:
    """The AI sat down: on an open seat, or to cover for the absent person who holds it."""

    at: int
    mark: Mark
    level: str


@record
class AIDismissed:
    """The AI stood up: the seat is its owner's again, or open."""

    at: int
    mark: Mark


@record
class MovePlayed:
    at: int
    mark: Mark
    cell: Cell


@record
class GameForfeited:
    """The game ended off the board: by resignation, time or absence."""

    at: int
    loser: Mark
    by: Ending


@record
class RematchAsked:
    at: int
    mark: Mark


@record
class GameStarted:
    """The next game: the board is empty and the two have swapped marks."""

    at: int


@record
class ClockResumed:
    """The room woke with a running clock: the time it was away is charged to nobody."""

    at: int


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
