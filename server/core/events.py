"""What happened in a room. Its log is a list of these and nothing else; `room.evolve` folds them.

Every event carries `at`, the instant the server decided it, so that the fold needs no clock.
The shapes on disk are in `server/codec.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

from server.core.rules import Cell, Ending, Mark, Variant

PlayerId = NewType("PlayerId", str)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a token: a public id and the name they go by."""

    id: PlayerId
    name: str


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What each side's clock starts with, and what a move earns."""

    budget: int
    increment: int = 0


@dataclass(frozen=True, slots=True)
class RoomOpened:
    at: int
    variant: Variant
    public: bool
    time: TimeControl | None = None


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A person sat down: on an open seat, on their own that an AI covered, or under a new name."""

    at: int
    mark: Mark
    person: Person


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """The person gave the seat up. If an AI covered it, the AI now plays for itself."""

    at: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class AISeated:
    """The AI sat down: on an open seat, or to cover for the absent person who holds it."""

    at: int
    mark: Mark
    level: str


@dataclass(frozen=True, slots=True)
class AIDismissed:
    """The AI stood up: the seat is its owner's again, or open."""

    at: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class MovePlayed:
    at: int
    mark: Mark
    cell: Cell


@dataclass(frozen=True, slots=True)
class GameForfeited:
    """The game ended off the board: by resignation, time or absence."""

    at: int
    loser: Mark
    by: Ending


@dataclass(frozen=True, slots=True)
class RematchAsked:
    at: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The next game: the board is empty and the two have swapped marks."""

    at: int


@dataclass(frozen=True, slots=True)
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
