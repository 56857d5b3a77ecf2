"""What a fleet needs from the engine that all of its nodes share: logs, and a bus.

The engine keeps a log of messages for each room, under rising sequences that all rooms of the
engine share. It knows nothing of events. `server/fleet/store.py` makes a store of it, and knows how
to live with what an engine does not promise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import NamedTuple, Protocol

from server.bus import Bus
from server.core.room import RoomId


class Message(NamedTuple):
    sequence: int
    data: bytes


class Refusal(Enum):
    """Why a message was not stored."""

    CONFLICT = auto()  # the last message of the room is not the one that was named
    AGAIN = auto()  # nothing is wrong with the message: send it again


Answer = int | Refusal  # the sequence of the stored message
Follow = Callable[[int, bytes], None]  # gets the sequence and the data


class Engine(Bus, Protocol):
    """Whatever waits raises `Unavailable` if the engine does not answer in time."""

    def append(
        self, room: RoomId, last: int, data: bytes, answer: Callable[[Answer], None]
    ) -> None:
        """Store a message if the sequence of the room's last one is `last` (0 if it has none).

        `answer` may be called late, more than once, or never, whether or not it was stored.
        """

    async def last(self, room: RoomId) -> Message | None:
        """The last message of a room, as the leader of the engine knows it."""

    async def read(self, room: RoomId, after: int) -> list[Message]:
        """The messages of a room behind this sequence. The newest ones may be missing."""

    async def lasts(self, rooms: Sequence[RoomId]) -> dict[RoomId, Message]:
        """The last messages of these rooms. The newest ones may be missing."""

    async def replace(self, room: RoomId, last: int, data: bytes) -> None:
        """Remove all messages of a room, and leave this one for an hour; `Conflict` as above."""

    async def rooms(self) -> list[RoomId]:
        """Every room with a message, in the order of their ids."""

    def follow(self, room: RoomId, hear: Follow) -> None:
        """Call `hear` with every message that is stored for a room. Some may be missed."""

    def unfollow(self, room: RoomId) -> None: ...

    async def probe(self) -> None:
        """Store something that does not matter."""

    def on_doubt(self, look: Callable[[], None]) -> None:
        """Call `look` whenever messages may have been missed: after a new connection or leader."""

    async def close(self) -> None: ...
