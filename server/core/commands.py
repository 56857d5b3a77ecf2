"""What people, bots, the AI and fallen flags ask of a room, and the reasons to decline it.

What the core cannot know (who is absent for how long, who follows) the host puts into the command.
"""

from __future__ import annotations

from enum import StrEnum

from server.core.events import Person, PlayerId, TimeControl
from server.core.record import Record
from server.core.rules import Cell, Mark, Variant

AI_PLAYER = PlayerId("ai")  # who the AI is when it plays; no token hashes to so short an id


class Reason(StrEnum):
    """Why a command was refused."""

    NO_SUCH_VARIANT = "no_such_variant"
    NO_SUCH_LEVEL = "no_such_level"
    NO_SUCH_ROOM = "no_such_room"
    NO_SUCH_CELL = "no_such_cell"
    NO_SUCH_PHRASE = "no_such_phrase"
    TOO_MANY_ROOMS = "too_many_rooms"
    SEAT_TAKEN = "seat_taken"
    NOT_SEATED = "not_seated"
    NOT_HERE = "not_here"
    WAITING = "waiting"
    NOT_YOUR_TURN = "not_your_turn"
    CELL_TAKEN = "cell_taken"
    STALE = "stale"
    GAME_OVER = "game_over"
    GAME_NOT_OVER = "game_not_over"
    TOO_EARLY = "too_early"
    PLAYERS_MAY_NOT = "players_may_not"
    TOO_LARGE = "too_large"
    MALFORMED = "malformed"
    HELLO_FIRST = "hello_first"
    UNSUPPORTED_PROTOCOL = "unsupported_protocol"
    TOO_FAST = "too_fast"
    RETRY = "retry"
    DRAINING = "draining"


class Refused(Exception):
    """A command politely declined; nothing has changed."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Create(Record):
    """Open the room. `seats`: a person, the AI at a level, or nobody, for X and for O."""

    variant: Variant
    seats: tuple[Person | str | None, Person | str | None]
    public: bool = True
    time: TimeControl | None = None


class Sit(Record):
    by: Person
    seat: Mark


class Leave(Record):
    by: PlayerId
    seat: Mark


class SeatAI(Record):
    """`absent_for`: how long the person in that seat has been offline."""

    by: PlayerId
    seat: Mark
    level: str
    absent_for: int = 0


class DismissAI(Record):
    by: PlayerId
    seat: Mark


class Play(Record):
    by: PlayerId
    cell: Cell
    ply: int
    game: int | None = None


class Resign(Record):
    by: PlayerId
    game: int | None = None


class Rematch(Record):
    """`follows`: whether the asker follows the room, which counts while only AIs sit here."""

    by: PlayerId
    game: int | None = None
    follows: bool = False


class Claim(Record):
    """`absent_for`: how long the person to move has been offline."""

    by: PlayerId
    game: int | None = None
    absent_for: int = 0


class Expire(Record):
    """The clock's deadline has come."""


class Wake(Record):
    """The room was asleep, or the server down, until now."""


Command = (
    Create | Sit | Leave | SeatAI | DismissAI | Play | Resign | Rematch | Claim | Expire | Wake
)
