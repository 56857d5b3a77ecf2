"""The values inside the messages: reasons, seats, clocks, scores and the like.

Shapes that only a server sends ignore unknown fields, so that an older program can read a newer
server. Shapes that a peer sends forbid them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

Id = str | int | None
Mark = Literal["X", "O"]
MARKS: tuple[Mark, Mark] = ("X", "O")
Status = Literal["waiting", "playing", "over"]
Ending = Literal["line", "full", "limit", "resignation", "time", "absence"]
Value = Literal["win", "draw", "loss", "unknown"]
Owner = Literal["X", "O", "draw"]


class Shape(Struct, gc=False):
    """Holds no cycles, so the garbage collector need not track it."""


# ------------------------------------------------------------------------------- in requests


class WantedHolder(Struct, forbid_unknown_fields=True, frozen=True):
    """The AI at this level, or I under this name: one of the two."""

    ai: str | UnsetType = UNSET
    me: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.ai is UNSET) == (self.me is UNSET):
            raise ValueError("a seat is taken by `ai` or by `me`")


WantedSeat = Literal["me", "open"] | WantedHolder


class WantedSeats(Struct, forbid_unknown_fields=True, frozen=True):
    X: WantedSeat
    O: WantedSeat


class WantedClock(Struct, forbid_unknown_fields=True):
    budget: Annotated[int, Meta(ge=5_000, le=3_600_000)]
    increment: Annotated[int, Meta(ge=0, le=60_000)] = 0


# --------------------------------------------------------------------------------- in frames


class Reason(StrEnum):
    """Why a request was refused."""

    NO_SUCH_VARIANT = "no_such_variant"
    NO_SUCH_LEVEL = "no_such_level"
    NO_SUCH_ROOM = "no_such_room"
    NO_SUCH_GAME = "no_such_game"
    NO_SUCH_CELL = "no_such_cell"
    NO_SUCH_PHRASE = "no_such_phrase"
    TOO_MANY_ROOMS = "too_many_rooms"
    SEAT_TAKEN = "seat_taken"
    NOT_SEATED = "not_seated"
    NOT_HERE = "not_here"
    WAITING = "waiting"
    NOT_YOUR_TURN = "not_your_turn"
    CELL_TAKEN = "cell_taken"
    NOT_PLAYABLE = "not_playable"
    STALE = "stale"
    GAME_OVER = "game_over"
    GAME_NOT_OVER = "game_not_over"
    TOO_EARLY = "too_early"
    PLAYERS_MAY_NOT = "players_may_not"
    MALFORMED = "malformed"
    HELLO_FIRST = "hello_first"
    UNSUPPORTED_PROTOCOL = "unsupported_protocol"
    TOO_FAST = "too_fast"
    RETRY = "retry"
    DRAINING = "draining"


class Whose(StrEnum):
    """Whose limit has been reached. A limit of the connection lasts; the others pass."""

    CONNECTION = "connection"
    PLAYER = "player"
    ADDRESS = "address"
    SERVER = "server"


class Player(Shape):
    id: str
    name: str
    bot: bool | UnsetType = UNSET


class Server(Shape):
    version: str


class Variant(Shape, kw_only=True):
    """A game, by its board and its flags. A flag that is not set is absent."""

    name: str
    rows: int
    columns: int
    line: int
    falls: bool | UnsetType = UNSET
    avoid: bool | UnsetType = UNSET
    keep: int | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    nested: bool | UnsetType = UNSET


class OfferedVariant(Variant, kw_only=True):
    levels: list[str]


class Limits(Shape):
    """Limits a client can plan with. Times are milliseconds."""

    cover_after: int
    claim_after: int
    commands_per_second: int
    commands_at_once: int
    rooms_followed: int


class OpenSeat(Shape, tag_field="kind", tag="open"):
    pass


class HumanSeat(Shape, tag_field="kind", tag="human"):
    """`bot`: a program holds it, which has said so."""

    player: str
    name: str
    bot: bool | UnsetType = UNSET


class Covered(Shape):
    """The player whose seat an AI covers."""

    player: str
    name: str
    bot: bool | UnsetType = UNSET


class AISeat(Shape, tag_field="kind", tag="ai"):
    level: str
    covers: Covered | UnsetType = UNSET


Seat = OpenSeat | HumanSeat | AISeat


class Seats(Shape):
    X: Seat
    O: Seat

    def __getitem__(self, mark: Mark) -> Seat:
        return self.X if mark == "X" else self.O

    @property
    def open(self) -> list[Mark]:
        """The seats that anybody may take."""
        return [mark for mark in MARKS if isinstance(self[mark], OpenSeat)]


class Outcome(Shape):
    """`boards`: on nested boards, the three small boards that have won."""

    winner: Mark | None
    by: Ending
    line: list[int] | None
    boards: list[int] | UnsetType = UNSET


class Score(Shape):
    X: int
    O: int
    draws: int


class TimeLeft(Shape):
    X: int
    O: int


class Clock(Shape):
    """`left` is as of `since`. If `since` is null, the clock stands."""

    budget: int
    increment: int
    left: TimeLeft
    since: int | None


class CellValue(Shape):
    """Where a move leads under best play, and in how many plies, if these are known.

    `estimate`: of a value that is unknown, from -100 to 100 for the side to move.
    """

    value: Value
    plies: int | None = field(name="in")
    estimate: int | UnsetType = UNSET


class ReviewedMove(Shape):
    """What a move led to for its side, the best that could be had, and the cells that keep it."""

    ply: int
    mark: Mark
    cell: int
    value: Value
    plies: int | None = field(name="in")
    best: Value
    cells: list[int]
    estimate: int | UnsetType = UNSET


class ListedHuman(Shape, tag_field="kind", tag="human"):
    name: str
    bot: bool | UnsetType = UNSET


class ListedAI(Shape, tag_field="kind", tag="ai"):
    level: str


ListedSeat = OpenSeat | ListedHuman | ListedAI


class ListedSeats(Shape):
    X: ListedSeat
    O: ListedSeat

    def __getitem__(self, mark: Mark) -> ListedSeat:
        return self.X if mark == "X" else self.O

    @property
    def open(self) -> list[Mark]:
        """The seats that anybody may take."""
        return [mark for mark in MARKS if isinstance(self[mark], OpenSeat)]


class PlayedGame(Shape):
    """One game of a room, as HTTP tells it.

    `times`: the instant of each move; moves that were given count as made when the game began.
    """

    room: str
    game: int
    variant: Variant
    players: ListedSeats
    opening: int
    moves: list[int]
    times: list[int]
    outcome: Outcome | None
    began: int
    ended: int | None


class ListedRoom(Shape):
    """One entry of the lobby. `board` has one character for each cell: X, O or a full stop.

    `online`: how many of the seats that people hold are connected. `winner`: once it is over.
    """

    room: str
    variant: str
    game: int
    board: str
    status: Status
    turn: Mark | None
    seats: ListedSeats
    watchers: int
    online: int
    winner: Mark | UnsetType | None = UNSET
