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
from server.core.record import replace
from server.core.rules import MARKS, VARIANTS

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
    plain: Plain = {"v": VERSION, "type": _NAMES[type(event)], **msgspec.to_builtins(event)}
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
    event = msgspec.convert(plain, kind)
    if isinstance(event, RoomOpened):
        known = VARIANTS.get(event.variant.name)
        if event.variant == known:
            return replace(event, variant=known)  # it has computed its lines already
    return event


def _read_mark(letter: object) -> int:
    if letter not in _MARKS:
        raise ValueError("its mark is neither X nor O")
    return _MARKS.index(letter)
