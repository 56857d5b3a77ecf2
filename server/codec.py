"""Events as plain dicts and as JSON, and back: the shape that lasts on disk.

Each dict names its version and its type. A shape that was ever written stays readable for good, so
a new field comes with a default and a new meaning with a new version. Sockets have another shape
(`server/wire`), which may change without touching a single stored room.

>>> write(MovePlayed(at=5, mark=Mark.O, cell=4))
'{"v":1,"type":"move_played","at":5,"mark":"O","cell":4}'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from server.core.events import (
    AIDismissed,
    AISeated,
    ClockResumed,
    Event,
    GameForfeited,
    GameStarted,
    MovePlayed,
    Person,
    PlayerId,
    RematchAsked,
    RoomOpened,
    SeatLeft,
    SeatTaken,
    TimeControl,
)
from server.core.rules import MARKS, VARIANTS, Ending, Mark, Variant

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
_FIELDS = {kind: kind.__struct_fields__ for kind in _NAMES}
_ADDED = {"since"}  # added after version 1 was first stored: left out where they are None
_MARKS = tuple(mark.name for mark in MARKS)


class Unreadable(ValueError):
    """A stored event that no version of this program has written."""


def write(event: Event) -> str:
    """An event as JSON; a move, as nearly all are, in a third of the time."""
    if type(event) is MovePlayed:
        at, mark, cell = event.at, _MARKS[event.mark], event.cell
        return f'{{"v":{VERSION},"type":"move_played","at":{at},"mark":"{mark}","cell":{cell}}}'
    return msgspec.json.encode(encode(event)).decode()


def read(text: str) -> Event:
    """The inverse of `write`."""
    try:
        return decode(msgspec.json.decode(text))
    except msgspec.DecodeError as problem:
        raise Unreadable(f"this is not JSON: {text!r}") from problem


def encode(event: Event) -> Plain:
    kind = type(event)
    plain: Plain = {"v": VERSION, "type": _NAMES[kind]}
    for name, write in _SHAPES[kind]:
        value = getattr(event, name)
        if value is None and name in _ADDED:
            continue
        plain[name] = value if write is None else write(value)
    return plain


def decode(plain: Mapping[str, Any]) -> Event:
    try:
        if plain["v"] != VERSION:
            raise ValueError(f"version {plain['v']!r}")
        kind = _TYPES[plain["type"]]
        values = {name: plain[name] for name in _FIELDS[kind] if name in plain}
        for name in values.keys() & _READERS.keys():
            values[name] = _READERS[name](values[name])
        return kind(**values)
    except (KeyError, TypeError, ValueError) as problem:
        raise Unreadable(f"this is not an event: {plain!r}") from problem


def _write_mark(mark: Mark) -> str:
    return _MARKS[mark]


def _read_mark(name: str) -> Mark:
    return Mark[name]


def _write_person(person: Person) -> Plain:
    return {"id": person.id, "name": person.name}


def _read_person(plain: Mapping[str, str]) -> Person:
    return Person(PlayerId(plain["id"]), plain["name"])


def _write_variant(variant: Variant) -> Plain:
    return {
        "name": variant.name,
        "rows": variant.rows,
        "columns": variant.columns,
        "line": variant.line,
    }


def _read_variant(plain: Mapping[str, Any]) -> Variant:
    variant = Variant(plain["name"], plain["rows"], plain["columns"], plain["line"])
    known = VARIANTS.get(variant.name)
    return known if variant == known else variant  # which knows its lines already


def _write_time(time: TimeControl | None) -> Plain | None:
    return {"budget": time.budget, "increment": time.increment} if time else None


def _read_time(plain: Mapping[str, int] | None) -> TimeControl | None:
    return TimeControl(plain["budget"], plain["increment"]) if plain else None


# By the name of the field: whatever is missing here is a plain value already.
_WRITERS: dict[str, Callable[[Any], object]] = {
    "mark": _write_mark,
    "loser": _write_mark,
    "by": str,
    "person": _write_person,
    "variant": _write_variant,
    "time": _write_time,
}
_SHAPES = {
    kind: tuple((name, _WRITERS.get(name)) for name in names) for kind, names in _FIELDS.items()
}
_READERS: dict[str, Callable[[Any], object]] = {
    "mark": _read_mark,
    "loser": _read_mark,
    "by": Ending,
    "person": _read_person,
    "variant": _read_variant,
    "time": _read_time,
}
