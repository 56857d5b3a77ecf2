"""The list of public rooms: complete at first, then by changes."""

from __future__ import annotations

from noughts.messages import LobbyFrame
from noughts.newest import Newest
from noughts.shapes import ListedRoom


class Listing:
    """`readers`: how many follow it."""

    def __init__(self) -> None:
        self.newest = Newest[list[ListedRoom]]()
        self.readers = 0
        self._rooms: dict[str, ListedRoom] | None = None

    def take(self, frame: LobbyFrame) -> None:
        if frame.complete:
            self._rooms = {}
        if self._rooms is None:
            return  # of an earlier list
        for room in frame.gone:
            self._rooms.pop(room, None)
        self._rooms |= {room.room: room for room in frame.rooms}
        self.newest.put(list(self._rooms.values()))
