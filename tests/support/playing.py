"""Rooms without a server, built from commands: for tests of the core and of drafts."""

from __future__ import annotations

from random import Random

from server.core.commands import AI_PLAYER, Command, Create, Play, Reason, Refused
from server.core.decide import decide
from server.core.events import Event, Person, PlayerId, TimeControl
from server.core.evolve import evolve
from server.core.room import AI, Holder, Room
from server.core.rules import CLASSIC, Cell, Variant, cells
from tests.support.people import ADA, BO

Seat = Person | str | None  # a person, the AI's level, or nobody

X_WINS = "0 3 1 4 2"  # the first row
DRAW = "0 1 2 4 3 5 7 6 8"


def a_room(
    x: Seat = ADA,
    o: Seat = BO,
    *,
    variant: Variant = CLASSIC,
    time: TimeControl | None = None,
    opening: tuple[Cell, ...] = (),
    now: int = 0,
) -> Room:
    return after(None, Create(variant, (x, o), time=time, opening=opening), now=now)


def play_out(room: Room, dice: Random) -> Room:
    """The room after a random game to its end, in which nobody makes a line that could wait."""
    while room.finished is None:
        position = room.position
        after_each = {cell: position.play(cell) for cell in cells(position.playable())}
        quiet = [cell for cell, it in after_each.items() if it.outcome_after(cell) is None]
        room = played(room, str(dice.choice(quiet or list(after_each))))
    return room


def after(room: Room | None, *commands: Command, now: int = 0) -> Room:
    """The room once every one of `commands` has been carried out."""
    for command in commands:
        for event in decide(room, command, now):
            room = evolve(room, event)
    assert room is not None
    return room


def played(room: Room, cells: str, *, now: int = 0) -> Room:
    """The room after these moves, each by the side to move."""
    for cell in map(int, cells.split()):
        assert room.turn is not None
        by = mover(room.seats[room.turn])
        room = after(room, Play(by, cell, len(room.moves)), now=now)
    return room


def mover(holder: Holder) -> PlayerId:
    assert holder is not None
    return AI_PLAYER if isinstance(holder, AI) else holder.id


def refusal(room: Room | None, command: Command, *, now: int = 0) -> Reason:
    """The reason for which `command` is refused."""
    answer = answered(room, command, now=now)
    assert isinstance(answer, Reason), f"{command} is carried out: {answer}"
    return answer


def answered(room: Room | None, command: Command, *, now: int = 0) -> tuple[Event, ...] | Reason:
    """The events of `command`, or the reason to refuse it. Anything else is a bug and raises."""
    try:
        return decide(room, command, now)
    except Refused as refused:
        return refused.reason
