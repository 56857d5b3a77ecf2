"""Every message on the socket, in both directions. docs/protocol.md says what each one means.

A peer sends a `Request`, the server sends a `Frame`. Both are closed unions: a `match` over either
can end with `assert_never`. A request with an unknown field is an error. In a frame, unknown fields
are ignored, so that a server may add some.

>>> decode_request(b'{"type":"watch","id":7,"room":"Jx3kQ9aTnB2mWc7L"}')
Watch(room='Jx3kQ9aTnB2mWc7L', id=7)
>>> encode(Pong(re=7, now=1794700800000))
b'{"type":"pong","re":7,"now":1794700800000}'
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import cache
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.json import Decoder, Encoder

from noughts.shapes import (
    CellValue,
    Clock,
    Id,
    Limits,
    ListedRoom,
    Mark,
    OfferedVariant,
    Outcome,
    Owner,
    Player,
    Reason,
    Score,
    Seats,
    Server,
    Status,
    Variant,
    WantedClock,
    WantedSeats,
    Whose,
)

PROTOCOL = 1
REQUEST_LIMIT = 4096  # bytes of one request; more closes with TOO_LARGE
PHRASES = ("hello", "good_luck", "nice_move", "oops", "wow", "thanks", "good_game", "bye")

Short = Annotated[str, Meta(max_length=64)]


class Close(IntEnum):
    """Why a socket was closed."""

    DONE = 1000
    BROKEN_FRAMING = 1002
    NOT_TEXT = 1003
    NOT_UTF8 = 1007
    POLICY = 1008
    TOO_LARGE = 1009
    OUR_FAULT = 1011
    RESTARTING = 1012


# --------------------------------------------------------------------------------- requests


class _Request(Struct, tag_field="type", forbid_unknown_fields=True, kw_only=True):
    id: Short | int | UnsetType = UNSET

    @property
    def re(self) -> Id:
        """The id as its answer repeats it."""
        return None if self.id is UNSET else self.id


class Hello(_Request, tag="hello"):
    protocol: int
    token: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{43}$", max_length=43)] | UnsetType = UNSET
    name: str | UnsetType = UNSET
    bot: bool | UnsetType = UNSET


class Create(_Request, tag="create"):
    variant: str = "3x3"
    seats: WantedSeats = WantedSeats(X="me", O="open")
    public: bool = True
    clock: WantedClock | None = None
    moves: tuple[int, ...] = ()
    nonce: Short | UnsetType = UNSET


class InRoom(_Request):
    """A request that names a room."""

    room: str


class Watch(InRoom, tag="watch"):
    pass


class Unwatch(InRoom, tag="unwatch"):
    pass


class Sit(InRoom, tag="sit"):
    seat: Mark
    name: str | UnsetType = UNSET


class Leave(InRoom, tag="leave"):
    seat: Mark


class SeatAI(InRoom, tag="seat_ai"):
    seat: Mark
    level: str


class DismissAI(InRoom, tag="dismiss_ai"):
    seat: Mark


class Play(InRoom, tag="play"):
    cell: int
    ply: int
    game: int | UnsetType = UNSET


class Resign(InRoom, tag="resign"):
    game: int | UnsetType = UNSET


class Rematch(InRoom, tag="rematch"):
    game: int | UnsetType = UNSET


class Claim(InRoom, tag="claim"):
    game: int | UnsetType = UNSET


class Say(InRoom, tag="say"):
    phrase: str


class Lobby(_Request, tag="lobby"):
    on: bool


class Quick(_Request, tag="quick"):
    on: bool
    variant: str = "3x3"


class Meet(_Request, tag="meet"):
    player: str


class Analyse(InRoom, tag="analyse"):
    ply: int | UnsetType = UNSET
    game: int | UnsetType = UNSET


class Ping(_Request, tag="ping"):
    pass


Request = (
    Hello
    | Create
    | Watch
    | Unwatch
    | Sit
    | Leave
    | SeatAI
    | DismissAI
    | Play
    | Resign
    | Rematch
    | Claim
    | Say
    | Lobby
    | Quick
    | Meet
    | Analyse
    | Ping
)


# ----------------------------------------------------------------------------------- frames


class _Frame(Struct, tag_field="type", gc=False):
    pass


class Welcome(_Frame, tag="welcome"):
    re: Id
    protocol: int
    player: Player
    token: str
    now: int
    variants: list[OfferedVariant]
    phrases: list[str]
    limits: Limits
    server: Server


class Accepted(_Frame, tag="accepted"):
    re: Id
    room: str | UnsetType = UNSET
    seq: int | UnsetType = UNSET


class Refused(_Frame, tag="refused"):
    re: Id
    reason: Reason
    text: str
    whose: Whose | UnsetType = UNSET


class Pong(_Frame, tag="pong"):
    re: Id
    now: int


class State(_Frame, tag="state"):
    """The last four are present only where they apply; docs/protocol.md says where."""

    room: str
    public: bool
    variant: Variant
    seq: int
    game: int
    board: list[Mark | None]
    moves: list[int]
    turn: Mark | None
    status: Status
    outcome: Outcome | None
    seats: Seats
    score: Score
    rematch: list[Mark]
    clock: Clock | None
    playable: list[int] | UnsetType = UNSET
    fading: int | UnsetType | None = UNSET
    boards: list[Owner | None] | UnsetType = UNSET
    opening: int | UnsetType = UNSET

    @property
    def choices(self) -> list[int]:
        """The cells that the side to move may play, in order, in every variant."""
        if self.turn is None:
            return []
        if self.playable is not UNSET:
            return self.playable
        return [cell for cell, mark in enumerate(self.board) if mark is None]


class Presence(_Frame, tag="presence"):
    room: str
    online: list[Mark]
    watchers: int


class LobbyFrame(_Frame, tag="lobby"):
    complete: bool
    rooms: list[ListedRoom]
    gone: list[str]


class QuickFrame(_Frame, tag="quick"):
    on: bool
    partner: Player | None
    asks: bool
    room: str | None


class Said(_Frame, tag="said"):
    room: str
    player: Player
    phrase: str
    now: int


class Analysis(_Frame, tag="analysis"):
    re: Id
    room: str
    ply: int
    turn: Mark | None
    cells: list[CellValue | None]


class Notice(_Frame, tag="notice"):
    """What the operator announces. `at`: when the server restarts, if it does."""

    text: str
    at: int | None


class Closed(_Frame, tag="closed"):
    """The operator has removed a room."""

    room: str
    text: str


Frame = (
    Welcome
    | Accepted
    | Refused
    | Pong
    | State
    | Presence
    | LobbyFrame
    | QuickFrame
    | Said
    | Analysis
    | Notice
    | Closed
)

# Names for methods of msgspec, which saves a call for each message. Decoding raises
# `msgspec.DecodeError` or UnicodeDecodeError.
encode: Callable[[Request | Frame], bytes] = Encoder().encode
decode_request: Callable[[bytes], Request] = Decoder(Request).decode


def decode_frame(data: bytes) -> Frame:
    return _frame_decoder().decode(data)


@cache
def _frame_decoder() -> Decoder[Frame]:
    """Made on the first use: a server decodes no frames, and it takes a while."""
    return Decoder(Frame)
