"""What people, bots, the AI and fallen flags ask of a room, and how it is declined.

What the core cannot know (who is absent for how long, who follows) the host puts into the command.
"""

from __future__ import annotations

from noughts.shapes import Reason as Reason  # raised with `Refused`, so found beside it
from server.core.events import Person, PlayerId, TimeControl
from server.core.record import Record
from server.core.rules import Cell, Mark, Variant

AI_PLAYER = PlayerId("ai")  # who the AI is when it plays; no token hashes to so short an id


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
    """Resume the clock of a room that nobody has kept from `since` until now.

    Only a process that brings a room back from sleep or from a restart sends this. If another
    process keeps the room, its clock is running already.
    """

    since: int


Command = (
    Create | Sit | Leave | SeatAI | DismissAI | Play | Resign | Rematch | Claim | Expire | Wake
)
