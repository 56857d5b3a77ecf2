"""The rooms that are awake: find a room or wake it, open a new one, put idle ones to sleep.

A room that is awake has a host in memory. A room that sleeps is only a log in the store, and is
woken by replaying it. Several nodes may have the same room awake: each follows its log, and hears
from the others who is there.

The clock of a room runs while any node has the room awake. A node that wakes it therefore asks the
others first, and resumes the clock only if none of them has it. If two wake it at the same moment,
one appends and the other gets a conflict; it asks again, and now hears of the first.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from server.core.commands import Create, Reason, Refused, Wake, Whose
from server.core.decide import decide
from server.core.events import Event
from server.core.evolve import evolve, replay
from server.core.history import Game, games
from server.core.room import Room, RoomId
from server.live.host import RoomHost, fold_log
from server.live.nodes import Nodes
from server.live.reports import Ask, Report, RoomMessage, read_message, read_report, topic_of
from server.metrics import KINDS, Metrics
from server.store import Conflict, Store, Unavailable

SLICE = 100  # rooms that are reported before the event loop runs again
REMOVALS = 10  # attempts to remove a room in which people move on other nodes
GONE = -1  # the length of a log that was removed
JUST_USED = 1_000  # ms; a room used so recently stays awake even if space is short

_ROOM_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class Rooms:
    """`idle`: milliseconds after which an unused room may be put to sleep. `capacity`: how many
    rooms may be awake. `is_needed`: whether something besides its host needs a room awake.

    The callbacks in `on_change` are called with the host of a room that has been opened, woken or
    changed, those in `on_sleep` with the host of a room that has been put to sleep or removed, and
    those in `on_remove`, before that, with the host of a room that has been removed.
    """

    def __init__(
        self,
        store: Store,
        nodes: Nodes,
        metrics: Metrics,
        *,
        now: Callable[[], int],
        idle: int,
        capacity: int,
        is_needed: Callable[[RoomId], bool] = lambda _: False,
    ) -> None:
        self.on_change: list[Callable[[RoomHost], None]] = []
        self.on_sleep: list[Callable[[RoomHost], None]] = []
        self.on_remove: list[Callable[[RoomHost], None]] = []
        self._store = store
        self._nodes = nodes
        self._metrics = metrics
        self._now = now
        self._started_at = now()
        self._idle = idle
        self._capacity = capacity
        self._is_needed = is_needed
        self._hosts: dict[RoomId, RoomHost] = {}
        self._used_at: dict[RoomId, int] = {}
        self._waking: dict[RoomId, asyncio.Task[None]] = {}
        self._followed: Counter[RoomId] = Counter()  # by how many of wakings, openings and a host
        self._missed: dict[RoomId, int] = {}  # rooms without a host yet: how long their log is
        nodes.on_lost.append(self._forget_node)

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
            self._used_at[host.id] = self._now()
        return host

    async def find(self, id: str) -> RoomHost:
        """The host of a room, woken if it sleeps.

        Raises `Refused` (`no_such_room`, `too_many_rooms`, `retry`).
        """
        while (host := self.find_awake(id)) is None:  # it may be put to sleep again at once
            await self._wake_once(RoomId(id))
        return host

    async def peek(self, id: str) -> Room | None:
        """The room as it is now, or None if there is none. A room that sleeps is not woken."""
        host = self._hosts.get(RoomId(id))
        return host.room if host is not None else await self._load(RoomId(id))

    async def games(self, id: str) -> list[Game]:
        """Every game of a room. Raises `Refused` (`no_such_room`, `retry`)."""
        found = await fold_log(self._store, RoomId(id), games) if _ROOM_ID.match(id) else []
        if not found:
            raise Refused(Reason.NO_SUCH_ROOM)
        return found

    async def open(self, id: RoomId, command: Create) -> tuple[RoomHost, bool]:
        """Open a room, or find it if the id is taken. Returns the host, and whether it is new.

        Raises `Refused` (`too_many_rooms`, `retry`).
        """
        if id in self._hosts:
            return await self.find(id), False
        self._make_space()
        events = decide(None, command, self._now())
        with self._following(id):
            try:
                await self._store.append_and_wait(id, 0, events)
            except Conflict:
                with suppress(Refused):  # we may join a task that looked for it before the append
                    return await self.find(id), False
                return await self.find(id), False
            except Unavailable as problem:
                raise Refused(Reason.RETRY) from problem
            self._metrics.opened[command.variant.name] += 1
            room = replay(events)
            assert room is not None
            return self._hosts.get(id) or self._add_host(id, room), True

    async def remove(self, id: str) -> None:
        """Remove a room for good, whether it is awake, here or elsewhere, or asleep.

        Everybody who follows it is notified. Raises `Refused` (`no_such_room`, `retry`).
        """
        room = RoomId(id)
        host = self._hosts.get(room)
        try:
            await self._remove_log(room, host)
            if (waking := self._waking.get(room)) is not None:  # it may have read the log before
                with suppress(Refused):
                    await asyncio.shield(waking)
            self._drop(room)
        finally:
            if host is not None:
                host.release()

    async def _remove_log(self, id: RoomId, host: RoomHost | None) -> None:
        """Remove the log while the host, if there is one here, holds all commands back."""
        if host is not None:
            await host.hold()
        for attempt in range(REMOVALS):
            if host is not None and attempt == 0:
                length = host.room.seq  # unless another node has appended
            else:
                length = await fold_log(self._store, id, len) if _ROOM_ID.match(id) else 0
            if not length:
                raise Refused(Reason.NO_SUCH_ROOM)
            try:
                await self._store.remove(id, length)
                return
            except Conflict:  # somebody has just moved on another node
                continue
            except Unavailable as problem:
                raise Refused(Reason.RETRY) from problem
        raise Refused(Reason.RETRY)

    async def is_awake_elsewhere(self, id: RoomId) -> bool:
        """Whether another node has the room awake; `Refused` (`retry`) if that is unknown."""
        try:
            return await self._nodes.ask(topic_of(id), Ask(), read_report) is not None
        except Unavailable as problem:
            raise Refused(Reason.RETRY) from problem

    async def report(self) -> None:
        """Tell the other nodes again who follows here. Call it every few seconds."""
        for number, host in enumerate(tuple(self), 1):
            if host.id in self._hosts:
                host.audience.report_again()
            if number % SLICE == 0:
                await asyncio.sleep(0)  # nobody has to wait for this

    def sleep_idle(self) -> None:
        """Put rooms to sleep that nobody has used for a while."""
        before = self._now() - self._idle
        for host in tuple(self):
            if self._last_used(host) <= before and not host.is_busy:
                self._put_to_sleep(host)

    def sleep_unfollowed(self, ids: Iterable[RoomId]) -> None:
        """Put those of these rooms to sleep that nobody follows, because a limit needs their place.

        A clock that runs in one stands still until the room is woken.
        """
        for id in ids:
            host = self._hosts.get(id)
            if host is not None and not host.is_in_use:
                self._put_to_sleep(host)

    def close(self) -> None:
        for task in self._waking.values():
            task.cancel()
        for host in self:
            self._nodes.ignore(topic_of(host.id))
            host.close()

    async def _wake_once(self, id: RoomId) -> None:
        """Wake a room. All callers that ask for it at the same time share one task."""
        task = self._waking.get(id)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._wake(id))
            self._waking[id] = task
            task.add_done_callback(lambda _: self._waking.pop(id))
        await asyncio.shield(task)

    async def _wake(self, id: RoomId) -> None:
        if not _ROOM_ID.match(id):  # a store may give some characters a meaning
            raise Refused(Reason.NO_SUCH_ROOM)
        with self._following(id):  # before it is loaded, so that nothing is missed
            room = await self._load(id)
            if room is None:
                raise Refused(Reason.NO_SUCH_ROOM)
            self._make_space()
            report = await self._ask_others(id, room)
            if id in self._hosts:  # it was opened meanwhile
                return
            if self._missed.get(id) == GONE:
                raise Refused(Reason.NO_SUCH_ROOM)
            if report is None and room.deadline() is not None:
                try:
                    room = await self._resume(id, room)
                except Conflict:  # another node resumed it first
                    await self._wake(id)
                    return
            if id not in self._hosts:
                host = self._add_host(id, room)
                if report is not None:
                    host.audience.hear(*report)

    async def _ask_others(self, id: RoomId, room: Room) -> tuple[str, Report] | None:
        """What a node that has the room awake reports; None if no other has it.

        If a clock runs, it must be known. Raises `Refused` (`retry`) if it is not.
        """
        try:
            return await self._nodes.ask(topic_of(id), Ask(), read_report)
        except Unavailable as problem:
            if room.deadline() is None:
                return None
            raise Refused(Reason.RETRY) from problem

    async def _resume(self, id: RoomId, room: Room) -> Room:
        """Restart the clock of a room that no node has kept awake. Raises `Conflict`."""
        self._nodes.listen(topic_of(id), read_message, _answer_while_waking)
        events = decide(room, Wake(room.changed), max(self._now(), room.changed))
        try:
            await self._store.append_and_wait(id, room.seq, events)
        except BaseException as problem:
            self._nodes.ignore(topic_of(id))
            if isinstance(problem, Unavailable):
                raise Refused(Reason.RETRY) from problem
            raise
        for event in events:
            room = evolve(room, event)
        return room

    @contextmanager
    def _following(self, id: RoomId) -> Iterator[None]:
        """Follow the log of a room that has no host yet; if it gets one, until that is closed."""
        self._followed[id] += 1
        self._store.follow(id, partial(self._hear_log, id))
        try:
            yield
        finally:
            self._unfollow(id)

    def _unfollow(self, id: RoomId) -> None:
        self._followed[id] -= 1
        if not self._followed[id]:
            del self._followed[id]
            self._missed.pop(id, None)
            self._store.unfollow(id)

    def _hear_log(self, id: RoomId, length: int, events: Sequence[Event]) -> None:
        host = self._hosts.get(id)
        if host is None:
            self._missed[id] = length or GONE
        elif length:
            host.hear_log(length, events)
        else:  # another node has removed it
            self._drop(id)

    def _forget_node(self, node: str, at: int) -> None:
        for host in self:
            host.audience.forget(node, at)

    async def _load(self, id: RoomId) -> Room | None:
        return await fold_log(self._store, id, replay) if _ROOM_ID.match(id) else None

    def _add_host(self, id: RoomId, room: Room) -> RoomHost:
        host = RoomHost(
            id,
            room,
            self._store,
            self._nodes,
            now=self._now,
            since=self._absent_since(),
            on_change=self.on_change,
            on_finished=self._count_finished,
        )
        self._hosts[id] = host
        self._followed[id] += 1
        self._nodes.listen(topic_of(id), read_message, host.hear)
        host.hear_log(self._missed.pop(id, 0), ())
        self._used_at[id] = self._now()
        self._metrics.rooms = len(self._hosts)
        for notify in self.on_change:
            notify(host)
        return host

    def _count_finished(self, before: Room, after: Room) -> None:
        for game in after.finished_since(before):
            kind = KINDS[sum(player is None for player in game.players)]
            self._metrics.finished[after.variant.name, game.outcome.by.value, kind] += 1

    def _absent_since(self) -> int:
        """Since when a player who does not follow counts as absent.

        Since this process started, or since the earliest time at which the room can have been put
        to sleep. If there are other nodes, somebody may have followed on one that has just died.
        """
        if any(self._nodes.others):
            return self._now()
        return max(self._started_at, self._now() - self._idle)

    def _make_space(self) -> None:
        if len(self._hosts) >= self._capacity:
            before = self._now() - JUST_USED
            unused = [host.id for host in self if self._last_used(host) <= before]
            self.sleep_unfollowed(unused)
        if len(self._hosts) >= self._capacity:
            raise Refused(Reason.TOO_MANY_ROOMS, Whose.SERVER)

    def _last_used(self, host: RoomHost) -> int:
        return max(self._used_at[host.id], host.room.changed, host.audience.empty_since)

    def _put_to_sleep(self, host: RoomHost) -> None:
        """Put a room to sleep, unless something besides its host needs it awake."""
        if self._is_needed(host.id):
            return
        self._nodes.ignore(topic_of(host.id))
        if host.audience.elsewhere:
            host.audience.on_report(host.audience.report(asleep=True))
        host.close()
        self._forget(host)

    def _drop(self, id: RoomId) -> None:
        """Close the host of a room that has been removed, if it has one."""
        host = self._hosts.get(id)
        if host is not None:
            self._nodes.ignore(topic_of(id))
            host.remove()
            for notify in self.on_remove:
                notify(host)
            self._forget(host)

    def _forget(self, host: RoomHost) -> None:
        del self._hosts[host.id], self._used_at[host.id]
        self._unfollow(host.id)
        self._metrics.rooms = len(self._hosts)
        for notify in self.on_sleep:
            notify(host)


def _answer_while_waking(_: str, message: RoomMessage) -> Report | None:
    """The answer of a node that is about to have a room awake, and has nobody there yet."""
    return Report([], 0, {}) if isinstance(message, Ask) else None
