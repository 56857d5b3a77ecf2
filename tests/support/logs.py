"""Room ids and events for tests of the stores."""

from __future__ import annotations

from server.core.events import Event, MovePlayed, Person, PlayerId, RoomOpened, SeatTaken
from server.core.room import RoomId
from server.core.rules import CLASSIC, Mark

ROOM, OTHER, THIRD = RoomId("room"), RoomId("other"), RoomId("third")
OPENED = RoomOpened(1, CLASSIC, True)
SEATED = SeatTaken(2, Mark.X, Person(PlayerId("ada"), "Ada ✓ \U0001f642"))


def move(cell: int) -> Event:
    return MovePlayed(10 + cell, Mark(cell % 2), cell)
