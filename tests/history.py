"""The history checker: a room's stored log against what every client saw of it.

It takes the log as the store gives it and each client's record, and reports the first thing that
could not be: an illegal or torn log, an accepted command that is missing, a move made twice or by
nobody, a state that no prefix of the log explains, an order that contradicts the clients' own.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from server.core.events import (
    Event,
    GameForfeited,
    GameStarted,
    MovePlayed,
    Person,
    RematchAsked,
    RoomOpened,
    SeatTaken,
)
from server.core.room import Room, RoomId, evolve
from server.metrics import Times
from server.store.sqlite import SqliteStore
from server.wire import frames

Frame = dict[str, Any]


class Broken(AssertionError):
    """A promise that was not kept; the text is the counterexample."""


@dataclass
class Asked:
    """One command of one player: when it was first sent, and its answer, if there was one."""

    player: str
    command: Frame
    sent: float
    answered: float = 0.0
    seq: int | None = None  # of its `accepted`; None if it was refused or never answered
    refused: str = ""


@dataclass
class Record:
    """What one client did and saw in one room, over all its connections."""

    room: str
    asked: list[Asked] = field(default_factory=list)
    states: list[Frame] = field(default_factory=list)


async def read_log(file: Path, room: str) -> list[Event]:
    """The log as a restarted server would read it, after a look at its numbering."""
    with closing(sqlite3.connect(file)) as reader:
        query = "SELECT seq FROM events WHERE room = ? ORDER BY seq"
        numbers = reader.execute(query, (room,)).fetchall()
    store = SqliteStore(file, Times())
    try:
        if [number for (number,) in numbers] != list(range(1, len(numbers) + 1)):
            raise Broken(f"{room}: the log has gaps: {numbers}")
        return await store.load(RoomId(room))
    finally:
        await store.close()


def check(room: str, log: Sequence[Event], records: Sequence[Record]) -> None:
    """Raise `Broken` with the first counterexample."""
    rooms = _replayed(room, log)
    asked = [each for record in records for each in record.asked]
    places = [_place(room, log, rooms, each) for each in asked]
    _check_moves_were_asked(room, log, rooms, asked)
    _check_order(room, [(a, p) for a, p in zip(asked, places, strict=True) if p is not None])
    for record in records:
        _check_sight(room, rooms, record)


def check_convergence(room: str, log: Sequence[Event], last: Sequence[Frame]) -> None:
    """At rest, everybody sees the end of the log."""
    end = _shown(room, _replayed(room, log)[-1])
    for state in last:
        if state != end:
            raise Broken(f"{room}: somebody is left with {state}, but the log says {end}")


def _replayed(room: str, log: Sequence[Event]) -> list[Room]:
    """The room after each event; each event must have been possible."""
    if not log:
        raise Broken(f"{room}: the log is empty")
    rooms: list[Room] = []
    for event in log:
        before = rooms[-1] if rooms else None
        if not _is_legal(before, event):
            raise Broken(f"{room}: event {len(rooms) + 1} is not legal: {event} in {before}")
        rooms.append(evolve(before, event))
    return rooms


def _is_legal(room: Room | None, event: Event) -> bool:
    if room is None or isinstance(event, RoomOpened):
        return room is None and isinstance(event, RoomOpened)
    if event.at < room.changed:
        return False
    match event:
        case MovePlayed():
            free = 0 <= event.cell < room.variant.size and event.cell not in room.moves
            return room.turn is event.mark and free
        case SeatTaken():
            holder = room.seats[event.mark]
            return holder is None or (isinstance(holder, Person) and holder.id == event.person.id)
        case GameForfeited():
            return room.status == "playing"
        case RematchAsked():
            return room.status == "over" and event.mark not in room.asked
        case GameStarted():
            people = [mark for mark in (0, 1) if isinstance(room.seats[mark], Person)]
            return room.status == "over" and all(mark in room.asked for mark in people)
        case _:
            return True


def _place(room: str, log: Sequence[Event], rooms: list[Room], asked: Asked) -> int | None:
    """The number of the event that carried an accepted command out."""
    if asked.seq is None and not asked.refused:
        return None
    for number, event in enumerate(log, 1):
        if _carries_out(event, rooms, number, asked):
            if asked.seq is None:
                raise Broken(f"{room}: {asked} was refused, but happened, at {number}")
            if number > asked.seq:
                raise Broken(f"{room}: {asked} was accepted before it happened, at {number}")
            return number
    if asked.refused:
        return None
    raise Broken(f"{room}: {asked} was accepted, but is not in the log of {len(log)}")


def _carries_out(event: Event, rooms: list[Room], number: int, asked: Asked) -> bool:
    command, before = asked.command, rooms[number - 2] if number > 1 else None
    match command["type"]:
        case "create":
            return isinstance(event, RoomOpened)
        case "sit":
            return isinstance(event, SeatTaken) and event.person.id == asked.player
        case "play" if before is not None and isinstance(event, MovePlayed):
            same_place = (before.game, len(before.moves)) == (command["game"], command["ply"])
            return same_place and event.cell == command["cell"] and _mover(before) == asked.player
        case "rematch" if before is not None and isinstance(event, RematchAsked):
            asker = before.seats[event.mark]
            is_theirs = isinstance(asker, Person) and asker.id == asked.player
            return is_theirs and before.game == command["game"]
        case _:
            return False


def _mover(room: Room) -> str | None:
    holder = None if room.turn is None else room.seats[room.turn]
    return holder.id if isinstance(holder, Person) else None


def _check_moves_were_asked(
    room: str, log: Sequence[Event], rooms: list[Room], asked: list[Asked]
) -> None:
    """Nobody moves who did not ask to."""
    wished = {
        (each.player, each.command["game"], each.command["ply"], each.command["cell"])
        for each in asked
        if each.command["type"] == "play"
    }
    for before, event in zip(rooms, log[1:], strict=False):
        if isinstance(event, MovePlayed):
            move = (_mover(before), before.game, len(before.moves), event.cell)
            if move not in wished:
                raise Broken(f"{room}: nobody asked for {event}")


def _check_order(room: str, placed: list[tuple[Asked, int]]) -> None:
    """If one answer came before another command was sent, the log has them in that order."""
    latest, of = 0, None
    answers = sorted(placed, key=lambda each: each[0].answered)
    for asked, place in sorted(placed, key=lambda each: each[0].sent):
        while answers and answers[0][0].answered < asked.sent:
            earlier, number = answers.pop(0)
            if number > latest:
                latest, of = number, earlier
        if place <= latest and of is not asked:
            raise Broken(f"{room}: {asked} at {place} was sent after {of} at {latest}")


def _check_sight(room: str, rooms: list[Room], record: Record) -> None:
    last = 0
    for state in record.states:
        seq = state["seq"]
        if seq < last:
            raise Broken(f"{room}: somebody saw {seq} after {last}")
        if seq > len(rooms):
            raise Broken(f"{room}: somebody saw {seq}, but the log ends at {len(rooms)}: {state}")
        if state != (shown := _shown(room, rooms[seq - 1])):
            raise Broken(f"{room}: somebody saw {state}, but the log says {shown}")
        last = seq


def _shown(room: str, at: Room) -> Frame:
    frame: Frame = json.loads(frames.state_text(RoomId(room), at))
    return frame
