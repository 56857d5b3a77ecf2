"""Reads the rooms of any store, and changes none.

A file is read as it is at one moment (`store/reading.py`), also while a server uses it. Rooms in
NATS are read one after the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from server import codec
from server.backend import open_backend
from server.copy import list_rooms
from server.core.events import Event, MovePlayed
from server.core.evolve import evolve
from server.core.room import Room, RoomId
from server.metrics import Times
from server.store import BadAddress, Store, Unavailable
from server.store.reading import Reading, reading

T = TypeVar("T")


class Unreplayable(Exception):
    """A log that cannot be read or replayed; the text says why."""


class Logs(Protocol):
    """The rooms of a store."""

    def rooms(self) -> list[RoomId]: ...

    def log(self, room: RoomId) -> list[Event]:
        """All events of a room. Raises `Unreplayable`."""


@contextmanager
def open_logs(url: str) -> Iterator[Logs]:
    """Open a store to read it. Raises `CannotOpen` and `Unavailable`."""
    if url.startswith("nats:"):
        with asyncio.Runner() as runner:
            store, _ = runner.run(open_backend(url, Times()))
            try:
                yield _Shared(store, runner)
            finally:
                runner.run(store.close())
    else:
        with reading(path_of(url)) as opened:
            yield _InFile(opened)


def path_of(url: str) -> Path:
    """The file of a store. Raises `BadAddress`."""
    scheme, colon, path = url.partition(":")
    if not colon or scheme != "sqlite" or not path:
        raise BadAddress(f"{url!r} cannot be read: use sqlite:PATH or nats://HOST:PORT")
    return Path(path)


def states(events: list[Event]) -> Iterator[tuple[Event, Room]]:
    """Each event, and the room after it. Raises `Unreplayable`."""
    room: Room | None = None
    for number, event in enumerate(events, 1):
        if room is not None and isinstance(event, MovePlayed) and not _is_legal(room, event):
            raise Unreplayable(f"event {number} is no legal move: {event!r}")
        try:
            room = evolve(room, event)
        except Exception as problem:  # an event that the rules do not allow can fail anywhere
            raise Unreplayable(f"event {number} cannot follow those before it: {problem}") from None
        yield event, room


def _is_legal(room: Room, move: MovePlayed) -> bool:
    is_playable = move.cell >= 0 and room.position.playable() >> move.cell & 1
    return bool(is_playable) and move.mark is room.turn


def replay(events: list[Event]) -> Room:
    """The room that a log leads to. Raises `Unreplayable`."""
    found = [room for _, room in states(events)][-1:]
    if not found:
        raise Unreplayable("it has no events")
    return found[0]


class _InFile(Logs):
    def __init__(self, opened: Reading) -> None:
        self._opened = opened

    def rooms(self) -> list[RoomId]:
        return self._opened.rooms()

    def log(self, room: RoomId) -> list[Event]:
        try:
            return self._opened.log(room)
        except codec.Unreadable as problem:
            raise Unreplayable(str(problem)) from problem


class _Shared(Logs):
    def __init__(self, store: Store, runner: asyncio.Runner) -> None:
        self._store = store
        self._runner = runner

    def rooms(self) -> list[RoomId]:
        return [entry.room for entry in self._runner.run(list_rooms(self._store))]

    def log(self, room: RoomId) -> list[Event]:
        try:
            return self._runner.run(self._store.load(room))
        except Unavailable as problem:
            raise Unreplayable(str(problem)) from problem
