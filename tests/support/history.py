"""The history checker: compares a room's stored log with what every client saw of it.

It takes the log from the store and a record from each client, and reports the first contradiction:
an illegal or torn log, an accepted command that is missing, a move that was made twice or that
nobody asked for, a state that no prefix of the log explains, or an order of events that the clients
cannot have seen.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
)
from server.core.evolve import evolve
from server.core.levels import levels_of
from server.core.room import AI, Holder, Room, RoomId, owner_of
from server.core.rules import MARKS, Ending, Mark
from server.store import events_table
from server.wire import snapshots

Frame = dict[str, Any]
Deed = tuple[object, ...]  # an action, its player and its place: equal for a command and its event
Deeds = dict[Deed, list[int]]  # the numbers of the events in which it happened

STANDING = ("sit", "leave", "seat_ai", "dismiss_ai")  # may happen several times, and name no game


class Broken(AssertionError):
    """A broken promise. The text is the counterexample."""


@dataclass
class Asked:
    """One command of one player, when it was first sent, and its answer, if there was one.

    `again`: how many more times it was sent. The room may have changed in between.
    """

    player: str
    command: Frame
    sent: float
    answered: float = 0.0
    seq: int | None = None  # of its `accepted`; None if it was refused or never answered
    refused: str = ""
    again: int = 0


@dataclass
class Record:
    """The commands and states of one client in one room, over all its connections."""

    room: str
    asked: list[Asked] = field(default_factory=list)
    states: list[Frame] = field(default_factory=list)


async def read_log(file: Path, room: str) -> list[Event]:
    """The log as a restarted server would read it. A server may be using the file."""
    with closing(sqlite3.connect(file)) as reader:
        query = "SELECT seq FROM log WHERE room = ? ORDER BY seq"
        numbers = reader.execute(query, (room,)).fetchall()
        if [number for (number,) in numbers] != list(range(1, len(numbers) + 1)):
            raise Broken(f"{room}: the log has gaps: {numbers}")
        return events_table.read_log(reader, RoomId(room))


def check(
    room: str, log: Sequence[Event], records: Sequence[Record], *, whole: bool = False
) -> list[tuple[Asked, int]]:
    """Raise `Broken` with the first counterexample, or return each command with its event's number.

    `whole`: the records hold every command ever sent, so every event needs a command. Without it,
    only moves need one.
    """
    rooms = _replayed(room, log)
    deeds = _deeds(log, rooms)
    asked = [each for record in records for each in record.asked]
    granted = {_wish(each) for each in asked if not each.refused}
    for each in asked:
        if each.refused and _wish(each) not in granted:
            _check_refusal(room, rooms, deeds, each)
    placed = [
        (each, place)
        for each in asked
        if (place := _place(room, log, rooms, deeds, each)) is not None
    ]
    _check_all_was_asked(room, log, deeds, asked, whole)
    _check_order(room, placed)
    known: dict[int, Frame] = {}
    for record in records:
        _check_sight(room, rooms, record, known)
    return placed


def check_convergence(room: str, log: Sequence[Event], last: Sequence[Frame]) -> None:
    """Check that every client's last state is the end of the log."""
    end = _shown(room, _replayed(room, log)[-1])
    for state in last:
        if state != end:
            raise Broken(f"{room}: a client is left with {state}, but the log says {end}")


def _replayed(room: str, log: Sequence[Event]) -> list[Room]:
    """The room after each event. Raises `Broken` if an event was not possible."""
    if not log:
        raise Broken(f"{room}: the log is empty")
    rooms: list[Room] = []
    for event in log:
        before = rooms[-1] if rooms else None
        if not _is_legal(before, event):
            raise Broken(f"{room}: event {len(rooms) + 1} is not legal: {event} in {before}")
        rooms.append(evolve(before, event))
    return rooms


def playable(state: Frame) -> list[int]:
    """The cells that a client knows to be playable."""
    if "playable" in state:
        return list(state["playable"])
    return [cell for cell, mark in enumerate(state["board"]) if mark is None]


def _is_legal(room: Room | None, event: Event) -> bool:
    if room is None or isinstance(event, RoomOpened):
        return room is None and isinstance(event, RoomOpened)
    if event.at < room.changed:
        return False
    match event:
        case MovePlayed():
            is_on_board = 0 <= event.cell < room.variant.size
            is_playable = is_on_board and room.position.playable() >> event.cell & 1
            return room.turn is event.mark and bool(is_playable)
        case GameForfeited():
            return room.status == "playing" and _is_ending(room, event)
        case RematchAsked():
            return room.status == "over" and event.mark not in room.rematch_asked
        case GameStarted():
            people = [mark for mark in MARKS if isinstance(room.seats[mark], Person)]
            return room.status == "over" and all(mark in room.rematch_asked for mark in people)
        case ClockResumed():
            return room.deadline() is not None
        case SeatTaken() | SeatLeft() | AISeated() | AIDismissed():
            return _is_seating(room.seats[event.mark], event)


def _is_ending(room: Room, event: GameForfeited) -> bool:
    deadline = room.deadline()
    match event.by:
        case Ending.TIME:
            return event.loser is room.turn and deadline is not None and event.at >= deadline
        case Ending.ABSENCE:
            return event.loser is room.turn and _person_in(room, event.loser) is not None
        case _:
            return event.by is Ending.RESIGNATION


def _is_seating(holder: Holder, event: SeatTaken | SeatLeft | AISeated | AIDismissed) -> bool:
    """A seat has one holder. An AI may cover a person, and only that person gets the seat back."""
    match event:
        case SeatTaken():
            is_own = not isinstance(holder, AI) or holder.covers is not None
            return holder is None or (is_own and owner_of(holder) == event.person.id)
        case SeatLeft():
            return isinstance(holder, Person) or (isinstance(holder, AI) and bool(holder.covers))
        case AISeated():
            return not isinstance(holder, AI)
        case AIDismissed():
            return isinstance(holder, AI)


def _deeds(log: Sequence[Event], rooms: list[Room]) -> Deeds:
    deeds: Deeds = defaultdict(list)
    for number, (event, before) in enumerate(zip(log, [None, *rooms], strict=False), 1):
        deed = _deed(event, before)
        if deed is not None:
            deeds[deed].append(number)
    return deeds


def _deed(event: Event, before: Room | None) -> Deed | None:
    """The deed that a player must have asked for; None for events of the server or the AI."""
    if before is None:
        return ("create",)
    match event:
        case MovePlayed():
            mover = _person_in(before, event.mark)
            ply = len(before.moves)
            return None if mover is None else ("play", mover, before.game, ply, event.cell)
        case RematchAsked():
            return ("rematch", _person_in(before, event.mark), before.game)
        case GameStarted() if before.is_exhibition():
            return ("rematch", None, before.game)
        case GameForfeited(by=Ending.RESIGNATION):
            return ("resign", _person_in(before, event.loser), before.game)
        case GameForfeited(by=Ending.ABSENCE):
            return ("claim", _person_in(before, event.loser.other), before.game)
        case SeatTaken():
            return ("sit", event.person.id, event.mark.name)
        case SeatLeft():
            return ("leave", owner_of(before.seats[event.mark]), event.mark.name)
        case AISeated():
            return ("seat_ai", event.mark.name)
        case AIDismissed():
            return ("dismiss_ai", event.mark.name)
        case _:
            return None


def _wish(asked: Asked) -> Deed:
    """The deed a command asks for. All but `create` and the `STANDING` ones name a game."""
    command, kind = asked.command, asked.command["type"]
    match kind:
        case "play":
            return (kind, asked.player, command["game"], command["ply"], command["cell"])
        case "rematch" | "resign" | "claim":
            return (kind, asked.player, command["game"])
        case "sit" | "leave":
            return (kind, asked.player, command["seat"])
        case "seat_ai" | "dismiss_ai":
            return (kind, command["seat"])
        case _:
            return (kind,)


def _person_in(room: Room, mark: Mark) -> str | None:
    holder = room.seats[mark]
    return holder.id if isinstance(holder, Person) else None


def _check_refusal(room: str, rooms: list[Room], deeds: Deeds, asked: Asked) -> None:
    """A refused command must not have happened, unless a repeat was refused for a lost seat."""
    numbers = deeds.get(_wish(asked))
    if (
        not numbers or asked.command["type"] in STANDING
    ):  # those are counted in `_check_all_was_asked`
        return
    player = PlayerId(asked.player)
    unseated = any(not after.seats_of(player) for after in rooms[numbers[0] :])
    if not (asked.again and unseated and asked.command["type"] in ("play", "rematch")):
        raise Broken(f"{room}: {asked} was refused, but happened at {numbers}")


def _place(
    room: str, log: Sequence[Event], rooms: list[Room], deeds: Deeds, asked: Asked
) -> int | None:
    """The number of the event that an accepted command led to; None if it changed nothing."""
    if asked.seq is None:
        return None
    wish = _wish(asked)
    numbers = deeds.get(wish) or deeds.get((wish[0], None, *wish[2:]), [])
    done = [number for number in numbers if number <= asked.seq <= len(log)]
    if wish[0] in STANDING:
        if asked.seq > len(log) or not _stands(log, rooms, asked):
            raise Broken(f"{room}: {asked} was accepted, but is not in the log of {len(log)}")
        return done[-1] if done and done[-1] == asked.seq else None
    if done:
        return done[-1]
    if numbers:
        raise Broken(f"{room}: {asked} was accepted before it happened at {numbers}")
    raise Broken(f"{room}: {asked} was accepted, but is not in the log of {len(log)}")


def _stands(log: Sequence[Event], rooms: list[Room], asked: Asked) -> bool:
    """Whether the seat was as asked for at the moment of the answer."""
    mark = Mark[asked.command["seat"]]
    assert asked.seq is not None
    holders = [rooms[asked.seq - 1].seats[mark]]
    if isinstance(
        log[asked.seq - 1], GameStarted
    ):  # the players may have swapped in the same append
        holders.append(rooms[asked.seq - 2].seats[mark])
    match asked.command["type"]:
        case "sit":
            return any(isinstance(h, Person) and h.id == asked.player for h in holders)
        case "leave":
            return any(owner_of(holder) != asked.player for holder in holders)
        case "seat_ai":
            # An AI that covers for somebody may play at the top level instead.
            levels = asked.command["level"], levels_of(rooms[0].variant)[-1]
            return any(isinstance(h, AI) and h.level in levels for h in holders)
        case _:
            return any(not isinstance(holder, AI) for holder in holders)


def _check_all_was_asked(
    room: str, log: Sequence[Event], deeds: Deeds, asked: list[Asked], whole: bool
) -> None:
    """Nothing happens more often than it was asked for."""
    wished = Counter(wish for each in asked for wish in _wishes(each))
    for deed, numbers in deeds.items():
        if not whole and deed[0] != "play":
            continue
        wishes = wished[deed]
        if deed[:2] == ("rematch", None):
            wishes = sum(1 for each in asked if _wish(each)[0::2] == deed[0::2])
        if len(numbers) > wishes:
            raise Broken(f"{room}: nobody asked for {log[numbers[wishes] - 1]}, at {numbers}")


def _wishes(asked: Asked) -> Iterator[Deed]:
    """Every deed that a command may have led to; none if it was refused and sent only once.

    A command that names no game may act each time it arrives: a player whose seat was covered in
    between sits down twice. A player with both seats asks for both rematches with one command.
    """
    kind = asked.command["type"]
    if not asked.refused or (asked.again and kind in ("play", "rematch", *STANDING)):
        times = 1 + asked.again if kind in STANDING else 2 if kind == "rematch" else 1
        yield from [_wish(asked)] * times
    if kind == "create" and not asked.refused:
        for mark, seat in asked.command.get("seats", {"X": "me"}).items():
            if seat == "me":
                yield ("sit", asked.player, mark)
            elif seat != "open":
                yield ("seat_ai", mark)


def _check_order(room: str, placed: list[tuple[Asked, int]]) -> None:
    """If one answer came before another command was sent, the log has them in that order."""
    first: dict[int, Asked] = {}  # later commands with nothing to change have no place of their own
    for asked, place in sorted(placed, key=lambda each: each[0].sent):
        first.setdefault(place, asked)
    placed = [(asked, place) for place, asked in first.items()]
    latest, of = 0, None
    answers = sorted(placed, key=lambda each: each[0].answered)
    for asked, place in sorted(placed, key=lambda each: each[0].sent):
        while answers and answers[0][0].answered < asked.sent:
            earlier, number = answers.pop(0)
            if number > latest:
                latest, of = number, earlier
        is_sure = asked.command["type"] not in STANDING  # those may have had nothing to change
        if is_sure and place <= latest and of is not asked:
            raise Broken(f"{room}: {asked} at {place} was sent after {of} at {latest}")


def _check_sight(room: str, rooms: list[Room], record: Record, known: dict[int, Frame]) -> None:
    last = 0
    for state in record.states:
        seq = state["seq"]
        if seq < last:
            raise Broken(f"{room}: a client saw {seq} after {last}")
        if seq > len(rooms):
            raise Broken(f"{room}: a client saw {seq}, but the log ends at {len(rooms)}: {state}")
        if seq not in known:
            known[seq] = _shown(room, rooms[seq - 1])
        if state != known[seq]:
            raise Broken(f"{room}: a client saw {state}, but the log says {known[seq]}")
        last = seq


def _shown(room: str, at: Room) -> Frame:
    frame: Frame = json.loads(snapshots.state_text(RoomId(room), at))
    return frame
