"""The list of public rooms, told to everybody who follows it: complete first, then what changed.

At most four frames a second, however much happens, and none at all while nobody looks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import islice

import msgspec

from server.core.room import RoomId, Seq
from server.live.host import RoomHost
from server.live.outbox import Outbox
from server.wire import frames, snapshots

LISTED = 200  # rooms at most
EVERY = 0.25  # seconds between two frames
OVER_FOR = 300_000  # ms until a room that is over and unwatched is no longer listed

Summaries = dict[RoomId, msgspec.Raw]


class Lobby:
    def __init__(self, *, now: Callable[[], int]) -> None:
        self._now = now
        # Each in the order of their last change, so that nothing is ever sorted.
        self._playing: dict[RoomId, RoomHost] = {}
        self._others: dict[RoomId, RoomHost] = {}
        self._placed: dict[RoomId, Seq] = {}
        self._summaries: dict[RoomId, tuple[int, int, msgspec.Raw]] = {}
        self._shown: Summaries = {}
        self._followers: dict[Outbox, None] = {}
        self._missed: set[Outbox] = set()
        self._telling: asyncio.TimerHandle | None = None

    def follow(self, outbox: Outbox) -> None:
        """Send the complete list now, and changes from now on."""
        if not self._followers:
            self._shown = self._current()
        self._followers[outbox] = None
        outbox.send(self._complete())

    def unfollow(self, outbox: Outbox) -> None:
        self._followers.pop(outbox, None)
        self._missed.discard(outbox)

    def changed(self, host: RoomHost) -> None:
        room = host.room
        if not room.public:
            return
        if self._placed.get(host.id) != room.seq:  # and not only somebody came to watch
            self._take_down(host)
            side = self._playing if room.status == "playing" else self._others
            side[host.id] = host
            self._placed[host.id] = room.seq
        self._tell_soon()

    def slept(self, host: RoomHost) -> None:
        self._summaries.pop(host.id, None)
        self._take_down(host)
        self._tell_soon()

    def refresh(self) -> None:
        """Time passes: rooms that are over and unwatched leave the list without any event."""
        self._tell_soon()

    def complete_text(self) -> bytes:
        return frames.lobby_text(True, self._current().values(), ())

    def close(self) -> None:
        if self._telling is not None:
            self._telling.cancel()

    def _take_down(self, host: RoomHost) -> None:
        for side in (self._playing, self._others, self._placed):
            side.pop(host.id, None)

    def _complete(self) -> bytes:
        return frames.lobby(True, self._shown.values(), ())

    def _tell_soon(self) -> None:
        if self._followers and self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(EVERY, self._tell)

    def _tell(self) -> None:
        self._telling = None
        before, self._shown = self._shown, self._current()
        news = [raw for id, raw in self._shown.items() if before.get(id) is not raw]
        gone = before.keys() - self._shown.keys()
        changes = frames.lobby(False, news, gone) if news or gone else None
        for outbox in tuple(self._followers):
            if not outbox.is_writable:
                self._missed.add(outbox)
                self._tell_soon()
            elif outbox in self._missed:
                self._missed.discard(outbox)
                outbox.send(self._complete())
            elif changes is not None:
                outbox.send(changes)

    def _current(self) -> Summaries:
        """Playing before waiting and over, new before old."""
        oldest = self._now() - OVER_FOR
        listed = (
            host
            for side in (self._playing, self._others)
            for host in reversed(side.values())
            if host.room.status != "over"
            or host.audience
            or max(host.room.changed, host.audience.empty_since) > oldest
        )
        return {host.id: self._summary(host) for host in islice(listed, LISTED)}

    def _summary(self, host: RoomHost) -> msgspec.Raw:
        """Encoded again only when the room has changed: the same object means no news."""
        room, watchers = host.room, host.audience.watchers
        known = self._summaries.get(host.id)
        if known is not None and known[:2] == (room.seq, watchers):
            return known[2]
        raw = snapshots.summary(host.id, room, watchers)
        self._summaries[host.id] = (room.seq, watchers, raw)
        return raw
