"""The keeper of one live room: decide, store, evolve, broadcast, one command at a time.

Everybody comes in through `submit`: people, bots, the AI and fallen flags. The store is the truth
and the host a cache of it: what is not durable is neither answered nor shown.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from time import perf_counter

from server.core.commands import Claim, Command, Expire, Play, Reason, Refused, Rematch, SeatAI
from server.core.decide import decide
from server.core.events import Event, Person
from server.core.room import Room, RoomId, evolve, replay
from server.live.audience import Audience
from server.live.connection import Connection
from server.metrics import Metrics
from server.store import Conflict, Store, Unavailable
from server.wire import frames

TRY_AGAIN = 1.0  # seconds until a fallen flag is submitted again to a store that could not write

LONG = 1_000  # events; replaying more would keep everybody waiting

log = logging.getLogger(__name__)


async def read_room(store: Store, id: RoomId) -> Room | None:
    """The room as the store has it; refused as `retry` if it cannot be read just now."""
    try:
        events = await store.load(id)
    except Unavailable as problem:
        raise Refused(Reason.RETRY) from problem
    return replay(events) if len(events) < LONG else await asyncio.to_thread(replay, events)


def _evolved(room: Room, events: tuple[Event, ...]) -> Room:
    for event in events:
        room = evolve(room, event)
    return room


class RoomHost:
    def __init__(
        self,
        id: RoomId,
        room: Room,
        store: Store,
        *,
        now: Callable[[], int],
        since: int,
        metrics: Metrics,
    ) -> None:
        self.id = id
        self.room = room
        self.audience = Audience(id, room.seats, now=now, since=since)
        self.audience.on_watchers = self._notify
        self.on_change: list[Callable[[RoomHost], None]] = []
        self._store = store
        self._now = now
        self._metrics = metrics
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._doubtful = False
        self._snapshots = frames.Snapshots(id)
        self._frame = self._snapshots.frame(room)
        self._flag: asyncio.TimerHandle | None = None
        self._flag_falls: asyncio.Task[None] | None = None
        self._arm()

    @property
    def is_busy(self) -> bool:
        """Whether it must stay awake: followed, in the middle of a command, or on the clock."""
        return bool(self.audience) or self._waiting > 0 or self.room.deadline() is not None

    def show(self, connection: Connection) -> None:
        """Send the room as it is now to one connection."""
        connection.offer(self.id, self._frame)

    def say(self, person: Person, phrase: str) -> None:
        self.audience.send(frames.said(self.id, person, phrase, self._now()))

    def close(self) -> None:
        self.audience.close()
        if self._flag is not None:
            self._flag.cancel()
        if self._flag_falls is not None:
            self._flag_falls.cancel()

    async def submit(self, command: Command, answer: Callable[[int], None] | None = None) -> bool:
        """Carry a command out and say whether it changed anything; `Refused` if it may not be.

        `answer` is called with the seq once all is durable, before anybody is shown the change.
        """
        self._waiting += 1
        try:
            await self._turn.acquire()
        except BaseException:
            self._waiting -= 1
            raise
        before = self.room.seq
        try:
            if self._doubtful:
                await self._reload()
            if self.room.clock is not None:
                await self._settle_flag()
            events = await self._carry_out(command)
            if answer is not None:
                answer(self.room.seq)
            if events:
                self._broadcast()
            return bool(events)
        except Refused:
            raise
        except BaseException:
            self._doubtful = True
            raise
        finally:
            self._waiting -= 1
            self._turn.release()
            if self.room.seq != before:
                self._notify()

    async def _carry_out(self, command: Command) -> tuple[Event, ...]:
        while True:
            now = max(self._now(), self.room.changed)
            if not isinstance(command, Play):
                command = self._informed(command, now)
            events = decide(self.room, command, now)
            if not events:
                return events
            begin = perf_counter()
            try:
                await self._store.append(self.id, self.room.seq, events)
            except Conflict:
                await self._reload()
            except Unavailable as problem:
                self._doubtful = True
                raise Refused(Reason.RETRY) from problem
            else:
                self._metrics.durable.observe(perf_counter() - begin)
                self._adopt(_evolved(self.room, events))
                return events

    def _informed(self, command: Command, now: int) -> Command:
        """Add what the core cannot know."""
        match command:
            case SeatAI():
                return command._replace(absent_for=self.audience.absent_for(command.seat, now))
            case Claim() if self.room.turn is not None:
                return command._replace(absent_for=self.audience.absent_for(self.room.turn, now))
            case Rematch():
                return command._replace(follows=self.audience.follows(command.by))
            case _:
                return command

    async def _reload(self) -> None:
        """Take the room from the store again, and show what was learned."""
        room = await read_room(self._store, self.id)
        if room is None:
            raise Refused(Reason.NO_SUCH_ROOM)
        self._doubtful = False
        if room.seq != self.room.seq:
            self._adopt(room)
            self._broadcast()

    def _adopt(self, room: Room) -> None:
        seats_changed = room.seats is not self.room.seats
        self.room = room
        self._frame = self._snapshots.frame(room)
        if seats_changed:
            self.audience.seat(room.seats)
        if room.clock is not None:
            self._arm()

    def _broadcast(self) -> None:
        begin = perf_counter()
        self.audience.broadcast(self._frame)
        self._metrics.broadcast.observe(perf_counter() - begin)

    def _notify(self) -> None:
        for notice in self.on_change:
            notice(self)

    # -------------------------------------------------------------------------------- the clock

    def _arm(self) -> None:
        """Set the alarm for the moment the flag falls, if a clock runs."""
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        deadline = self.room.deadline()
        if deadline is not None:
            loop = asyncio.get_running_loop()
            wait = max(0, deadline - self._now()) / 1000
            self._flag = loop.call_later(wait, self._expire_soon, loop)

    def _expire_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        self._flag_falls = loop.create_task(self._expire())

    async def _expire(self) -> None:
        try:
            await self.submit(Expire())
        except Refused:
            await asyncio.sleep(TRY_AGAIN)
        except Exception:
            log.exception("a flag could not fall in room %s", self.id)
            await asyncio.sleep(TRY_AGAIN)
        self._arm()

    async def _settle_flag(self) -> None:
        """A flag that has fallen is older than the command that comes after it."""
        deadline = self.room.deadline()
        if deadline is None or self._now() < deadline:
            return
        if await self._carry_out(Expire()):
            self._broadcast()
