"""Everybody who is connected to this process, as the operator sees them.

A `Peer` registers itself here for as long as its connection lasts (`live/peer.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from server.live.host import RoomHost
from server.live.outbox import Outbox
from server.wire.closing import Closing


class Connected(Protocol):
    """One peer. `since`: when it has connected. `following`: the rooms that it follows."""

    @property
    def address(self) -> str: ...

    @property
    def since(self) -> int: ...

    @property
    def outbox(self) -> Outbox: ...

    @property
    def following(self) -> int: ...

    def forget(self, host: RoomHost) -> None:
        """Follow a room no longer, because it has been removed."""

    def close(self, closing: Closing) -> None:
        """End the connection soon."""


class Peers:
    def __init__(self) -> None:
        self._all: dict[Connected, None] = {}

    def __iter__(self) -> Iterator[Connected]:
        return iter(tuple(self._all))

    def __len__(self) -> int:
        return len(self._all)

    def add(self, peer: Connected) -> None:
        self._all[peer] = None

    def remove(self, peer: Connected) -> None:
        self._all.pop(peer, None)

    def send(self, frame: bytes) -> None:
        """Send a frame to every peer that has said hello."""
        for peer in self._all:
            if peer.outbox.person is not None:
                peer.outbox.send(frame)

    def forget(self, host: RoomHost) -> None:
        """Let nobody follow a room that has been removed."""
        for peer in self._all:
            peer.forget(host)
