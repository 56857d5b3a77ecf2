"""Reads a text into a request, and turns a request about a room into a command.

A text that is not a well-formed request raises `Malformed`, which says where and why.
"""

from __future__ import annotations

import json
import re
from typing import assert_never

import msgspec
from msgspec import UNSET, UnsetType

from noughts import messages
from noughts.messages import PROTOCOL, Request, decode_request
from noughts.shapes import Id, WantedHolder, WantedSeat
from server.core import commands
from server.core.commands import Reason, Refused
from server.core.events import Person, TimeControl
from server.core.levels import levels_of
from server.core.record import replace
from server.core.rules import VARIANTS, Mark, Variant
from server.identity import clean_name

# Requests that may change a room that exists.
RoomRequest = (
    messages.Play
    | messages.Sit
    | messages.Leave
    | messages.SeatAI
    | messages.DismissAI
    | messages.Resign
    | messages.Rematch
    | messages.Claim
)


class Malformed(Exception):
    """The peer's program is wrong. The text says where, and `re` is the id of the request."""

    def __init__(self, text: str, re: Id = None) -> None:
        super().__init__(text)
        self.text = text
        self.re = re


def to_command(request: RoomRequest, by: Person) -> commands.Command:
    """The command that `by` gives with this request."""
    if isinstance(request, messages.Play):  # as nearly all are; a `match` would take longer
        game = None if request.game is UNSET else request.game
        return commands.Play(by.id, request.cell, request.ply, game)
    match request:
        case messages.Rematch():
            return commands.Rematch(by.id, _optional(request.game))
        case messages.Sit():
            return commands.Sit(_named(by, request.name), Mark[request.seat])
        case messages.Leave():
            return commands.Leave(by.id, Mark[request.seat])
        case messages.SeatAI():
            return commands.SeatAI(by.id, Mark[request.seat], request.level)
        case messages.DismissAI():
            return commands.DismissAI(by.id, Mark[request.seat])
        case messages.Resign():
            return commands.Resign(by.id, _optional(request.game))
        case messages.Claim():
            return commands.Claim(by.id, _optional(request.game))
        case _:
            assert_never(request)


def to_create(request: messages.Create, by: Person) -> commands.Create:
    """The command to open a room. `Refused` if the variant or a level does not exist."""
    variant = find_variant(request.variant)
    clock = request.clock
    time = TimeControl(clock.budget, clock.increment) if clock else None
    levels = levels_of(variant)
    seats = (_holder(request.seats.X, by, levels), _holder(request.seats.O, by, levels))
    return commands.Create(variant, seats, request.public, time, request.moves)


def _holder(seat: WantedSeat, by: Person, levels: tuple[str, ...]) -> Person | str | None:
    match seat:
        case "me":
            return by
        case "open":
            return None
        case WantedHolder(ai=str(level)):
            if level not in levels:
                raise Refused(Reason.NO_SUCH_LEVEL)
            return level
        case WantedHolder(me=name):
            return _named(by, name)


def find_variant(name: str) -> Variant:
    """The game of this name. `Refused` if it is not on offer."""
    variant = VARIANTS.get(name)
    if variant is None:
        raise Refused(Reason.NO_SUCH_VARIANT)
    return variant


def _named(by: Person, name: str | UnsetType) -> Person:
    """This player, under another name for one seat. A name with nothing to see is ignored."""
    shown = "" if name is UNSET else clean_name(name)
    return replace(by, name=shown) if shown else by


def _optional(value: int | UnsetType) -> int | None:
    return None if value is UNSET else value


def read(text: bytes) -> Request:
    """The request in `text`.

    Raises `Malformed` if it is none, and UnicodeDecodeError if the bytes are not even UTF-8.
    """
    try:
        return decode_request(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _read_slowly(text.decode("utf-8"))


def _read_slowly(text: str) -> Request:
    """Find the `id` of a text that the fast decoder rejects, and a sentence for what is wrong.

    If a key appears twice, the standard decoder takes the last one where the fast one gives up.
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
        plain = {"type": "hello", "protocol": protocol}  # the other fields may be new
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
    """Whether it can be encoded and sent back: half a surrogate pair cannot."""
    return not re.search("[\ud800-\udfff]", text)


def _sentence(problem: str) -> str:
    """msgspec's message as a sentence, with the field in front.

    >>> _sentence("Expected `int`, got `str` - at `$.cell`")
    'cell: expected int, got str.'
    """
    what, _, where = problem.partition(" - at ")
    what = what.replace("Object missing", "missing").replace("Object contains", "contains")
    what = what.replace("`", "").rstrip(".")
    field = where.strip("`").removeprefix("$").removeprefix(".")
    return f"{field}: {what[0].lower()}{what[1:]}." if field else f"{what[0].upper()}{what[1:]}."
