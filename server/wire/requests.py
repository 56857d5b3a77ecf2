"""Text frame → request, checked and typed, and from there → command.

A frame that is not a well-formed request raises `Malformed`, which says where and why.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from server.core import commands
from server.core.commands import Reason
from server.core.events import Person, TimeControl
from server.core.levels import LEVELS
from server.core.room import RoomId
from server.core.rules import VARIANTS, Mark

PROTOCOL = 1
FRAME_LIMIT = 4096  # bytes in; more closes with 1009

Id = str | int | None
Text = Annotated[str, Meta(max_length=64)]
Seat = Literal["X", "O"]


class Malformed(Exception):
    """The peer's program is wrong; the text says where, and `re` which command it was."""

    def __init__(self, text: str, re: Id = None) -> None:
        super().__init__(text)
        self.text = text
        self.re = re


class _Request(msgspec.Struct, tag_field="type", forbid_unknown_fields=True, kw_only=True):
    id: Text | int | UnsetType = UNSET

    @property
    def re(self) -> Id:
        return None if self.id is UNSET else self.id


class Hello(_Request, tag="hello"):
    protocol: int
    token: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{43}\Z")] | UnsetType = UNSET
    name: str | UnsetType = UNSET


class AISeat(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    ai: str


class Seats(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    X: Literal["me", "open"] | AISeat
    O: Literal["me", "open"] | AISeat


class ClockSetting(msgspec.Struct, forbid_unknown_fields=True):
    budget: Annotated[int, Meta(ge=5_000, le=3_600_000)]
    increment: Annotated[int, Meta(ge=0, le=60_000)] = 0


class Create(_Request, tag="create"):
    variant: str = "3x3"
    seats: Seats = Seats(X="me", O="open")
    public: bool = True
    clock: ClockSetting | None = None
    nonce: Text | UnsetType = UNSET

    def command(self, by: Person) -> commands.Create:
        variant = VARIANTS.get(self.variant)
        if variant is None:
            raise commands.Refused(Reason.NO_SUCH_VARIANT)
        time = TimeControl(self.clock.budget, self.clock.increment) if self.clock else None
        seats = (_holder(self.seats.X, by), _holder(self.seats.O, by))
        return commands.Create(variant, seats, self.public, time)


def _holder(seat: str | AISeat, by: Person) -> Person | str | None:
    if isinstance(seat, AISeat):
        if seat.ai not in LEVELS:
            raise commands.Refused(Reason.NO_SUCH_LEVEL)
        return seat.ai
    return by if seat == "me" else None


class InRoom(_Request):
    """A request that names a room."""

    room: RoomId


class Watch(InRoom, tag="watch"):
    pass


class Unwatch(InRoom, tag="unwatch"):
    pass


class Sit(InRoom, tag="sit"):
    seat: Seat

    def command(self, by: Person) -> commands.Sit:
        return commands.Sit(by, Mark[self.seat])


class Leave(InRoom, tag="leave"):
    seat: Seat

    def command(self, by: Person) -> commands.Leave:
        return commands.Leave(by.id, Mark[self.seat])


class SeatAI(InRoom, tag="seat_ai"):
    seat: Seat
    level: str

    def command(self, by: Person) -> commands.SeatAI:
        return commands.SeatAI(by.id, Mark[self.seat], self.level)


class DismissAI(InRoom, tag="dismiss_ai"):
    seat: Seat

    def command(self, by: Person) -> commands.DismissAI:
        return commands.DismissAI(by.id, Mark[self.seat])


class Play(InRoom, tag="play"):
    cell: int
    ply: int
    game: int | UnsetType = UNSET

    def command(self, by: Person) -> commands.Play:
        game = None if self.game is UNSET else self.game
        return commands.Play(by.id, self.cell, self.ply, game)


class Resign(InRoom, tag="resign"):
    game: int | UnsetType = UNSET

    def command(self, by: Person) -> commands.Resign:
        return commands.Resign(by.id, _optional(self.game))


class Rematch(InRoom, tag="rematch"):
    game: int | UnsetType = UNSET

    def command(self, by: Person) -> commands.Rematch:
        return commands.Rematch(by.id, _optional(self.game))


class Claim(InRoom, tag="claim"):
    game: int | UnsetType = UNSET

    def command(self, by: Person) -> commands.Claim:
        return commands.Claim(by.id, _optional(self.game))


class Say(InRoom, tag="say"):
    phrase: str


class Lobby(_Request, tag="lobby"):
    on: bool


class Quick(_Request, tag="quick"):
    on: bool


class Meet(_Request, tag="meet"):
    player: str


class Analyse(InRoom, tag="analyse"):
    ply: int | UnsetType = UNSET


class Ping(_Request, tag="ping"):
    pass


# Those that may change a room: each becomes a command.
RoomRequest = Sit | Leave | SeatAI | DismissAI | Play | Resign | Rematch | Claim
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
_decoder: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)


def _optional(value: int | UnsetType) -> int | None:
    return None if value is UNSET else value


def read(frame: bytes) -> Request:
    """The request in a text frame. `Malformed` says what is wrong; UnicodeDecodeError: not text."""
    try:
        return _decoder.decode(frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _read_slowly(frame.decode("utf-8"))


def _read_slowly(text: str) -> Request:
    """Find the `id` of a frame that is not plainly right, and the words for what is wrong.

    The standard decoder also lets the last of doubled keys count where the fast one gives up.
    """
    try:
        plain: object = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Malformed("This is not JSON.") from None
    if not isinstance(plain, dict):
        raise Malformed("A command is a JSON object.")
    id_ = plain.get("id")
    is_id = type(id_) is int or (isinstance(id_, str) and len(id_) <= 64 and _is_text(id_))
    re_: Id = id_ if is_id else None
    if "id" in plain and not is_id:
        raise Malformed("id: expected a string of up to 64 characters or an integer.")
    protocol = plain.get("protocol")
    if plain.get("type") == "hello" and type(protocol) is int and protocol != PROTOCOL:
        plain = {"type": "hello", "protocol": protocol}  # what else it says is not ours to judge
        plain |= {} if re_ is None else {"id": re_}
    try:
        request: Request = msgspec.convert(plain, Request)
    except msgspec.ValidationError as problem:
        raise Malformed(_sentence(str(problem)), re_) from None
    except UnicodeEncodeError:
        raise Malformed("Half of a surrogate pair is not text.", re_) from None
    return request


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _is_text(text: str) -> bool:
    """Whether it can be sent back: half a surrogate pair cannot."""
    return not re.search("[\ud800-\udfff]", text)


def _sentence(problem: str) -> str:
    """msgspec's words, with the field in front.

    >>> _sentence("Expected `int`, got `str` - at `$.cell`")
    'cell: expected int, got str.'
    """
    what, _, where = problem.partition(" - at ")
    what = what.replace("Object missing", "missing").replace("Object contains", "contains")
    what = what.replace("`", "").rstrip(".")
    field = where.strip("`").removeprefix("$").removeprefix(".")
    return f"{field}: {what[0].lower()}{what[1:]}." if field else f"{what[0].upper()}{what[1:]}."
