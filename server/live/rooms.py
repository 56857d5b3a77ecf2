"""All the rooms that are awake: find one or wake it, open a new one, put idle ones to sleep.

A room that sleeps is only its log in the store; waking it is a replay.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from server.core.commands import Create, Reason, Refused, Wake
from server.core.decide import decide
from server.core.events import Event
from server.core.evolve import evolve, replay
from server.core.room import Room, RoomId
from server.live.host import RoomHost, read_room
from server.metrics import Metrics
from server.store import Conflict, Store, Unavailable

JUST_NOW = 1_000  # ms; a room used so lately stays awake, also when space is short

_ROOM_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class Rooms:
    """`stays_awake`: what else, besides the host itself, needs a room to stay awake."""

    def __init__(
        self,
        store: Store,
        metrics: Metrics,
        *,
        now: Callable[[], int],
        idle: int,
        capacity: int,
        stays_awake: Callable[[RoomId], bool] = lambda _: False,
    ) -> None:
        self.on_change: list[Callable[[RoomHost], None]] = []
        self.on_sleep: list[Callable[[RoomHost], None]] = []
        self._store = store
        self._metrics = metrics
        self._now = now
        self._since = now()
        self._idle = idle
        self._capacity = capacity
        self._stays_awake = stays_awake
        self._hosts: dict[RoomId, RoomHost] = {}
        self._used: dict[RoomId, int] = {}
        self._waking: dict[RoomId, asyncio.Task[RoomHost]] = {}

    def __iter__(self) -> Iterator[RoomHost]:
        return iter(self._hosts.values())

    def __len__(self) -> int:
        return len(self._hosts)

    def __contains__(self, id: str) -> bool:
        return id in self._hosts

    def find_awake(self, id: str) -> RoomHost | None:
        """The host of a room, if it is awake. It then stays awake for a while longer."""
        host = self._hosts.get(RoomId(id))
        if host is not None:
            self._used[host.id] = self._now()
        return host

    async def find(self, id: str) -> RoomHost:
        """The host of a room, woken if it sleeps. Raises `Refused` (`no_such_room`, `retry`)."""
        while (host := self.find_awake(id)) is None:
            await self._wake_once(RoomId(id))  # and perhaps it is put to sleep again at once
        return host

    async def peek(self, id: str) -> Room | None:
        """The room as it is now. It is not woken."""
        host = self._hosts.get(RoomId(id))
        return host.room if host is not None else await self._load(RoomId(id))

    async def open(self, id: RoomId, command: Create) -> tuple[RoomHost, bool]:
        """Open a room, and return whether it is new: the same id again finds the same room."""
        if id in self._hosts:
            return await self.find(id), False
        self._make_space()
        events = decide(None, command, self._now())
        try:
            await self._store.append_and_wait(id, 0, events)
        except Conflict:
            with suppress(Refused):  # a search that began before the append finds nothing
                return await self.find(id), False
            return await self.find(id), False
        except Unavailable as problem:
            raise Refused(Reason.RETRY) from problem
        room = replay(events)
        assert room is not None
        return self._hosts.get(id) or self._host(id, room), True

    def sleep_idle(self) -> None:
        """Put rooms to sleep that nobody has used for a while."""
        self._sleep(self._idle)

    def close(self) -> None:
        for task in self._waking.values():
            task.cancel()
        for host in self:
            host.close()

    async def _wake_once(self, room: RoomId) -> RoomHost:
        """Wake a room. Everybody who asks meanwhile waits for the same task."""
        task = self._waking.get(room)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._wake(room))
            self._waking[room] = task
            task.add_done_callback(lambda _: self._waking.pop(room))
        return await asyncio.shield(task)

    async def _wake(self, id: RoomId) -> RoomHost:
        room = await self._load(id)
        if room is None:
            raise Refused(Reason.NO_SUCH_ROOM)
        self._make_space()
        events = self._resume(room)
        try:
            if events:
                await self._store.append_and_wait(id, room.seq, events)
        except Conflict:  # another process resumed it first
            return await self._wake(id)
        except Unavailable as problem:
            raise Refused(Reason.RETRY) from problem
        for event in events:
            room = evolve(room, event)
        return self._hosts.get(id) or self._host(id, room)

    def _resume(self, room: Room) -> tuple[Event, ...]:
        """The events that resume the clock of a room that nobody has kept since its last event.

        If that event is not older than this process, another process keeps the room: here, a room
        whose clock runs does not sleep.
        """
        if room.changed >= self._since:
            return ()
        return decide(room, Wake(room.changed), max(self._now(), room.changed))

    async def _load(self, id: RoomId) -> Room | None:
        return await read_room(self._store, id) if _ROOM_ID.match(id) else None

    def _host(self, id: RoomId, room: Room) -> RoomHost:
        host = RoomHost(
            id,
            room,
            self._store,
            now=self._now,
            # A player who does not follow counts as absent since this process began, or since
            # the room can have gone to sleep.
            since=max(self._since, self._now() - self._idle),
            on_change=self.on_change,
        )
        self._hosts[id] = host
        self._used[id] = self._now()
        self._metrics.rooms = len(self._hosts)
        for notice in self.on_change:
            notice(host)
        return host

    def _make_space(self) -> None:
        if len(self._hosts) >= self._capacity:
            self._sleep(JUST_NOW)
        if len(self._hosts) >= self._capacity:
            raise Refused(Reason.TOO_MANY_ROOMS)

    def _sleep(self, idle: int) -> None:
        before = self._now() - idle
        for host in [host for host in self if self._last_used(host) <= before]:
            if not host.is_busy and not self._stays_awake(host.id):
                self._forget(host)
                for notice in self.on_sleep:
                    notice(host)

    def _last_used(self, host: RoomHost) -> int:
        return max(self._used[host.id], host.room.changed, host.audience.empty_since)

    def _forget(self, host: RoomHost) -> None:
        host.close()
        del self._hosts[host.id], self._used[host.id]
        self._metrics.rooms = len(self._hosts)
