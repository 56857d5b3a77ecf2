"""What players, bots, the AI and fallen flags ask of a room, and how it is declined.

A command carries what the core cannot know, such as how long a player has been offline. `game` is
the game the sender has in mind; None means the one on the board.
"""

from __future__ import annotations

from noughts.shapes import Reason as Reason  # raised with `Refused`, so found beside it
from noughts.shapes import Whose as Whose
from server.core.events import Person, PlayerId, TimeControl
from server.core.record import Record
from server.core.rules import Cell, Mark, Variant

AI_PLAYER = PlayerId("ai")  # ids derived from tokens are longer


class Refused(Exception):
    """A command politely declined; nothing has changed. `whose`: the limit that was reached."""

    def __init__(self, reason: Reason, whose: Whose | None = None) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.whose = whose


class Create(Record):
    """Open the room. Each of `seats` (X, O) is a person, the level of an AI, or open.

    `opening`: moves after which the first game begins.
    """

    variant: Variant
    seats: tuple[Person | str | None, Person | str | None]
    public: bool = True
    time: TimeControl | None = None
    opening: tuple[Cell, ...] = ()


class Sit(Record):
    by: Person
    seat: Mark


class Leave(Record):
    by: PlayerId
    seat: Mark


class SeatAI(Record):
    """`absent_for`: how many milliseconds the person in that seat has been offline."""

    by: PlayerId
    seat: Mark
    level: str
    absent_for: int = 0


class DismissAI(Record):
    by: PlayerId
    seat: Mark


class Play(Record):
    """`ply`: the number of moves on the board that the sender saw."""

    by: PlayerId
    cell: Cell
    ply: int
    game: int | None = None


class Resign(Record):
    by: PlayerId
    game: int | None = None


class Rematch(Record):
    """`follows`: whether the sender follows the room. While two AIs play, followers may ask."""

    by: PlayerId
    game: int | None = None
    follows: bool = False


class Claim(Record):
    """Claim the win. `absent_for`: how many milliseconds the player to move has been offline."""

    by: PlayerId
    game: int | None = None
    absent_for: int = 0


class Expire(Record):
    """End the game if the flag of the side to move has fallen."""


class Wake(Record):
    """Resume the clock of a room that no process has kept from `since` until now.

    Only the process that brings a room back, from sleep or after a restart, gives this command.
    While another process keeps the room, its clock runs and must not be resumed.
    """

    since: int


Command = (
    Create | Sit | Leave | SeatAI | DismissAI | Play | Resign | Rematch | Claim | Expire | Wake
)
