"""Events as they are stored: JSON on disk, and plain dicts in tests and transcripts.

A stored event is an object with its version `v`, its `type` and its fields. Every shape that was
ever written stays readable:

- A field added later has a default. An event without that field gets the default.
- A field that this program does not know is ignored, at any depth.
- A change of meaning needs a new version. An unknown version or type is `Unreadable`.

The shapes on the socket are separate (`server/wire`) and can change without touching a stored room.

>>> from server.core.rules import Mark
>>> write(MovePlayed(at=5, mark=Mark.O, cell=4))
'{"v":1,"type":"move_played","at":5,"mark":"O","cell":4}'
>>> read('{"v":1,"type":"move_played","at":5,"mark":"O","cell":4,"mood":"calm"}')
MovePlayed(at=5, mark=<Mark.O: 1>, cell=4)
"""

from __future__ import annotations

import msgspec

from server.core.events import (
    AIDismissed,
    AISeated,
    ClockResumed,
    Event,
    GameForfeited,
    GameStarted,
    MovePlayed,
    RematchAsked,
    RoomOpened,
    SeatLeft,
    SeatTaken,
)
from server.core.rules import MARKS, Variant

VERSION = 1

Plain = dict[str, object]

_TYPES: dict[str, type[Event]] = {
    "room_opened": RoomOpened,
    "seat_taken": SeatTaken,
    "seat_left": SeatLeft,
    "ai_seated": AISeated,
    "ai_dismissed": AIDismissed,
    "move_played": MovePlayed,
    "game_forfeited": GameForfeited,
    "rematch_asked": RematchAsked,
    "game_started": GameStarted,
    "clock_resumed": ClockResumed,
}
_NAMES = {kind: name for name, kind in _TYPES.items()}
_MARKS = tuple(mark.name for mark in MARKS)  # on disk a mark is its letter, not its number
_MARK_FIELDS = ("mark", "loser")
_read_object = msgspec.json.Decoder(Plain).decode


class _StoredVariant(msgspec.Struct):
    """A variant on disk; a flag that is not set is absent."""

    name: str
    rows: int
    columns: int
    line: int
    falls: bool = False
    avoid: bool = False
    keep: int = 0
    limit: int = 0
    nested: bool = False


class Unreadable(ValueError):
    """A stored event that this program cannot read; the text says why."""


def write(event: Event) -> str:
    """An event as JSON. Moves, the common case, have a shortcut that takes a third of the time."""
    if type(event) is MovePlayed:
        at, mark, cell = event.at, _MARKS[event.mark], event.cell
        return f'{{"v":{VERSION},"type":"move_played","at":{at},"mark":"{mark}","cell":{cell}}}'
    return msgspec.json.encode(encode(event)).decode()


def read(text: str) -> Event:
    """The inverse of `write`."""
    try:
        plain = _read_object(text)
    except msgspec.DecodeError as problem:
        raise Unreadable(f"this is not a JSON object: {text!r}") from problem
    return decode(plain)


def encode(event: Event) -> Plain:
    plain: Plain = {"v": VERSION, "type": _NAMES[type(event)], **_to_builtins(event)}
    for name in _MARK_FIELDS:
        if name in plain:
            plain[name] = _MARKS[getattr(event, name)]
    return plain


def decode(plain: Plain) -> Event:
    """The inverse of `encode`."""
    try:
        return _decode(plain)
    except (msgspec.ValidationError, ValueError) as problem:
        raise Unreadable(f"cannot read the event {plain!r}: {problem}") from problem


def _decode(plain: Plain) -> Event:
    if plain.get("v") != VERSION:
        raise ValueError("its version is unknown")
    kind = _TYPES.get(str(plain.get("type")))
    if kind is None:
        raise ValueError("its type is unknown")
    for name in _MARK_FIELDS:
        if name in plain and name in kind.__struct_fields__:
            plain = {**plain, name: _read_mark(plain[name])}
    return msgspec.convert(plain, kind, dec_hook=_read_variant)


def _to_builtins(event: Event) -> Plain:
    plain: Plain = msgspec.to_builtins(event, enc_hook=_write_variant)
    if isinstance(event, RoomOpened):
        del plain["opening"]
        if event.opening:
            plain["opening"] = list(event.opening)
    return plain


def _write_variant(variant: object) -> Plain:
    if not isinstance(variant, Variant):
        raise NotImplementedError(f"{variant!r} has no shape on disk")
    return variant.fields


def _read_variant(kind: type, plain: object) -> Variant:
    if kind is not Variant:
        raise NotImplementedError(f"{kind!r} has no shape on disk")
    return Variant(**msgspec.structs.asdict(msgspec.convert(plain, _StoredVariant)))


def _read_mark(letter: object) -> int:
    if letter not in _MARKS:
        raise ValueError("its mark is neither X nor O")
    return _MARKS.index(letter)
