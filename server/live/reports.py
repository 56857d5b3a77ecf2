"""What the nodes that have the same room awake tell each other about it.

>>> read_message(b'["node",{"type":"ask"}]')
('node', Ask())
"""

from __future__ import annotations

from msgspec import Struct

from server.core.events import Person, PlayerId
from server.core.room import RoomId
from server.live.nodes import Read, reader


class Report(Struct, tag="report"):
    """Who follows a room on one node. `seen`: when owners of seats who do not were last here.

    `asleep`: the node has put the room to sleep.
    """

    online: list[PlayerId]
    watchers: int
    seen: dict[PlayerId, int]
    asleep: bool = False


class Said(Struct, tag="said"):
    """A phrase that somebody has said on another node."""

    person: Person
    phrase: str
    at: int


class Ask(Struct, tag="ask"):
    """Does anybody have this room awake? The answer is a `Report`."""


RoomMessage = Report | Said | Ask

read_message: Read[RoomMessage] = reader(RoomMessage)  # type: ignore[arg-type]
read_report = reader(Report)


def topic_of(room: RoomId) -> str:
    """Where these messages are sent."""
    return f"room.{room}"
