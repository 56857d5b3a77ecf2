"""The list of public rooms that are awake. A follower gets the complete list, then changes.

Changes are collected and sent at most four times a second. While nobody follows, a change is only
noted: no room is put in its place, no frame is built, and no timer runs.

If there are other nodes, each publishes its own list as a whole (`listing`), and the newest of each
counts (`hear`). Of a room that several nodes list, the entry with the most events counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from itertools import islice

import msgspec

from noughts.shapes import ListedHuman, ListedRoom
from server.core.room import RoomId, Seq
from server.live.host import RoomHost
from server.live.outbox import Outbox
from server.wire import frames, snapshots

LIST_LIMIT = 200  # rooms
SEND_EVERY = 0.25  # seconds between two frames
ALIVE_FOR = 30_000  # ms after which a room that nobody follows is no longer listed

Summaries = dict[RoomId, msgspec.Raw]
Basis = tuple[Seq, int, int]  # what a summary depends on: seq, watchers, and players online


class Listed(msgspec.Struct, array_like=True):
    """A room in the list of one node. `summary` is what followers are sent."""

    room: RoomId
    seq: Seq
    changed: int
    is_playing: bool
    summary: msgspec.Raw


class Listing(msgspec.Struct):
    """The list of one node."""

    rooms: list[Listed]


class Lobby:
    def __init__(self, *, now: Callable[[], int]) -> None:
        self._now = now
        self._changed: dict[RoomId, RoomHost] = {}  # rooms that may not be in their place
        # Two dicts in the order of each room's last change, so that the list is never sorted.
        self._playing: dict[RoomId, RoomHost] = {}
        self._others: dict[RoomId, RoomHost] = {}
        self._listed_seqs: dict[RoomId, Seq] = {}  # at which each room was last put into a dict
        self._summaries: dict[RoomId, tuple[Basis, msgspec.Raw]] = {}
        self._elsewhere: dict[str, dict[RoomId, Listed]] = {}  # the lists of other nodes
        self._sent: Summaries = {}  # the list as of the last frame
        self._followers: dict[Outbox, None] = {}
        self._stale: set[Outbox] = set()  # followers that have missed changes
        self._timer: asyncio.TimerHandle | None = None

    def follow(self, outbox: Outbox) -> None:
        """Send the complete list now, and changes from now on."""
        if not self._followers:
            self._sent = self._current()
        self._followers[outbox] = None
        outbox.send(self._complete_frame())

    def unfollow(self, outbox: Outbox) -> None:
        self._followers.pop(outbox, None)
        self._stale.discard(outbox)
        if not self._followers:
            self._stop_timer()

    def update(self, host: RoomHost) -> None:
        """List a room that has been opened, woken or changed. Private rooms are ignored."""
        if host.room.public:
            self._changed[host.id] = host
            if self._followers:
                self._send_soon()

    def remove(self, host: RoomHost) -> None:
        """Take a room that sleeps off the list."""
        places = (self._changed, self._playing, self._others, self._listed_seqs, self._summaries)
        for place in places:
            place.pop(host.id, None)
        self._send_soon()

    def refresh(self) -> None:
        """Drop rooms that nobody follows any more. Call it often: no event announces that."""
        self._send_soon()

    def listing(self) -> Listing:
        """The rooms that are awake here, for other nodes."""
        hosts = self._listed_here()
        return Listing([_listed(host, self._summary(host)) for host in hosts])

    def hear(self, node: str, listing: Listing) -> None:
        """Replace the list of another node."""
        known = self._elsewhere.get(node, {})
        rooms = self._elsewhere[node] = {listed.room: listed for listed in listing.rooms}
        for room, listed in rooms.items():
            if room in known and known[room].summary == listed.summary:
                listed.summary = known[room].summary  # the same object: nothing has changed
        self._send_soon()

    def forget(self, node: str, _at: int) -> None:
        """A node is lost, and its list with it."""
        self._elsewhere.pop(node, None)
        self._send_soon()

    def complete_text(self, *, variant: str | None = None, bots: bool | None = None) -> bytes:
        """The complete list as it is now, as JSON. Only rooms with this game, with or without bots,
        if these are given.
        """
        rooms: Iterable[msgspec.Raw] = self._current().values()
        if variant is not None or bots is not None:
            rooms = [raw for raw in rooms if _fits(_read_summary(raw), variant, bots)]
        return frames.lobby_text(True, rooms, ())

    def close(self) -> None:
        self._stop_timer()

    def _complete_frame(self) -> bytes:
        return frames.lobby(True, self._sent.values(), ())

    def _send_soon(self) -> None:
        if self._followers and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SEND_EVERY, self._send_changes)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _send_changes(self) -> None:
        """Send the difference to the last list. A follower that missed one gets the whole list."""
        self._timer = None
        before, self._sent = self._sent, self._current()
        changed = [raw for id, raw in self._sent.items() if before.get(id) is not raw]
        gone = before.keys() - self._sent.keys()
        changes = frames.lobby(False, changed, gone) if changed or gone else None
        for outbox in tuple(self._followers):
            if outbox.is_behind:
                self._stale.add(outbox)
                self._send_soon()
            elif outbox in self._stale:
                self._stale.discard(outbox)
                outbox.send(self._complete_frame())
            elif changes is not None:
                outbox.send(changes)

    def _current(self) -> Summaries:
        """The list as it is now: rooms in play first, then the others, newest first in both."""
        hosts = self._listed_here()
        if self._elsewhere:
            return self._merge(hosts)
        return {host.id: self._summary(host) for host in hosts}

    def _listed_here(self) -> list[RoomHost]:
        self._place_changed()
        oldest = self._now() - ALIVE_FOR
        listed = (
            host
            for group in (self._playing, self._others)
            for host in reversed(group.values())
            if host.audience or host.audience.empty_since > oldest
        )
        return list(islice(listed, LIST_LIMIT))

    def _merge(self, hosts: list[RoomHost]) -> Summaries:
        """The list of all nodes."""
        best = {host.id: _listed(host, self._summary(host)) for host in hosts}
        for rooms in self._elsewhere.values():
            for id, listed in rooms.items():
                if id not in best or best[id].seq < listed.seq:
                    best[id] = listed
        newest = sorted(best.values(), key=lambda it: (it.is_playing, it.changed), reverse=True)
        return {it.room: it.summary for it in newest[:LIST_LIMIT]}

    def _place_changed(self) -> None:
        for host in sorted(self._changed.values(), key=_last_change):
            id, room = host.id, host.room
            if self._listed_seqs.get(id) != room.seq:  # else only its audience has changed
                self._listed_seqs[id] = room.seq
                self._playing.pop(id, None)
                self._others.pop(id, None)
                (self._playing if room.status == "playing" else self._others)[id] = host
        self._changed.clear()

    def _summary(self, host: RoomHost) -> msgspec.Raw:
        """The encoded room. The same object as last time means that nothing has changed."""
        room, audience = host.room, host.audience
        basis = room.seq, audience.watchers, len(audience.online)
        known = self._summaries.get(host.id)
        if known is not None and known[0] == basis:
            return known[1]
        raw = snapshots.summary(host.id, room, audience.watchers, len(audience.online))
        self._summaries[host.id] = (basis, raw)
        return raw


def _listed(host: RoomHost, summary: msgspec.Raw) -> Listed:
    room = host.room
    return Listed(host.id, room.seq, room.changed, room.status == "playing", summary)


def _read_summary(raw: msgspec.Raw) -> ListedRoom:
    return msgspec.json.decode(raw, type=ListedRoom)


def _fits(room: ListedRoom, variant: str | None, bots: bool | None) -> bool:
    has_bot = any(isinstance(it, ListedHuman) and it.bot for it in (room.seats.X, room.seats.O))
    return variant in (None, room.variant) and bots in (None, has_bot)


def _last_change(host: RoomHost) -> int:
    return host.room.changed
