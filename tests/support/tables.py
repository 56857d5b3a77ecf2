"""States of rooms as a terminal gets them, made by the core from a list of moves."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent

from noughts.messages import State, decode_frame
from noughts.terminal.styled import Line, Look
from server.core.commands import Create, Play, Resign
from server.core.decide import decide
from server.core.events import Person, PlayerId
from server.core.evolve import evolve, replay
from server.core.room import Room, RoomId
from server.core.rules import VARIANTS, cells
from server.wire.snapshots import state_text

ADA, BO = Person(PlayerId("ada"), "Ada"), Person(PlayerId("bo"), "Bo")


def room_after(variant: str, moves: Sequence[int], *, waits: bool = False) -> Room:
    seats = (ADA, None if waits else BO)
    room = replay(decide(None, Create(VARIANTS[variant], seats), 0))
    assert room is not None
    for number, cell in enumerate(moves):
        if VARIANTS[variant].falls:  # a column, counted from 0
            [cell] = [each for each in cells(room.position.playable()) if each % 7 == cell]
        player = (ADA, BO)[number % 2].id
        for event in decide(room, Play(player, cell, number), number):
            room = evolve(room, event)
    return room


def as_state(room: Room) -> State:
    state = decode_frame(state_text(RoomId("Jx3kQ9aTnB2mWc7L"), room))
    assert isinstance(state, State)
    return state


def state_after(variant: str, moves: Sequence[int], *, waits: bool = False) -> State:
    """The state after these moves; where marks fall, they are columns."""
    return as_state(room_after(variant, moves, waits=waits))


def state_resigned() -> State:
    """Ada has resigned."""
    room = room_after("3x3", [4])
    for event in decide(room, Resign(ADA.id), 9):
        room = evolve(room, event)
    return as_state(room)


def seen(lines: Sequence[Line], look: Look | None = None) -> str:
    """Lines as plain text, without spaces at their ends."""
    return "\n".join((look or Look()).show(line) for line in lines)


def drawing(text: str) -> str:
    """A drawing in a test, without its indent."""
    return "\n".join(line.rstrip() for line in dedent(text).strip("\n").splitlines())
