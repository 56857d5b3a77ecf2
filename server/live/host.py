"""The keeper of one live room: decide, store, evolve, broadcast, one command at a time.

Everybody comes in through `submit`: people, bots, the AI and fallen flags. The store is the truth
and the host a cache of it: what is not durable is neither answered nor shown.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from server.core.commands import Claim, Command, Expire, Play, Reason, Refused, Rematch, SeatAI
from server.core.decide import decide
from server.core.events import Person
from server.core.room import Room, RoomId, evolve, replay
from server.live.audience import Audience
from server.live.connection import Connection
from server.store import Conflict, Store, Unavailable
from server.wire import frames
from server.wire.snapshots import Snapshots

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


class RoomHost:
    """`on_change`: who else wants to know; one list for all hosts."""

    __slots__ = (
        "_doubtful",
        "_flag",
        "_flag_falls",
        "_frame",
        "_now",
        "_on_change",
        "_snapshots",
        "_store",
        "_turn",
        "_waiting",
        "audience",
        "id",
        "room",
    )

    def __init__(
        self,
        id: RoomId,
        room: Room,
        store: Store,
        *,
        now: Callable[[], int],
        since: int,
        on_change: Sequence[Callable[[RoomHost], None]],
    ) -> None:
        self.id = id
        self.room = room
        self.audience = Audience(id, room.seats, now=now, since=since)
        self.audience.on_watchers = self._notify
        self._on_change = on_change
        self._store = store
        self._now = now
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._doubtful = False
        self._snapshots = Snapshots(id, room)
        self._frame = frames.text_frame(self._snapshots.text(room))
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

    async def submit(self, command: Command) -> bool:
        """Carry a command out and say whether it changed anything; `Refused` if it may not be.

        By then all is durable and offered to everybody. Nothing of it is written before the end of
        this tick, so an answer that the caller sends at once goes out first.
        """
        self._waiting += 1
        try:
            await self._turn.acquire()
        except BaseException:
            self._waiting -= 1
            raise
        try:
            if self._doubtful:
                await self._reload()
            if self.room.clock is not None:
                await self._settle_flag()
            return await self._carry_out(command)
        except Refused:
            raise
        except BaseException:
            self._doubtful = True
            raise
        finally:
            self._waiting -= 1
            self._turn.release()

    async def _carry_out(self, command: Command) -> bool:
        while True:
            room = self.room
            now = self._now()
            if now < room.changed:  # time in a log never runs backwards
                now = room.changed
            if not isinstance(command, Play):
                command = self._informed(command, now)
            events = decide(room, command, now)
            if not events:
                return False
            try:
                await self._store.append(self.id, room.seq, events)
            except Conflict:
                await self._reload()
            except Unavailable as problem:
                self._doubtful = True
                raise Refused(Reason.RETRY) from problem
            else:
                for event in events:
                    room = evolve(room, event)
                self._adopt(room)
                return True

    def _informed(self, command: Command, now: int) -> Command:
        """Add what the core cannot know."""
        match command:
            case Rematch():
                return Rematch(command.by, command.game, self.audience.follows(command.by))
            case SeatAI():
                absent_for = self.audience.absent_for(command.seat, now)
                return SeatAI(command.by, command.seat, command.level, absent_for)
            case Claim() if self.room.turn is not None:
                absent_for = self.audience.absent_for(self.room.turn, now)
                return Claim(command.by, command.game, absent_for)
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

    def _adopt(self, room: Room) -> None:
        """Take over what the store now holds, and show it to everybody."""
        seats_changed = room.seats is not self.room.seats
        self.room = room
        self._frame = frames.text_frame(self._snapshots.text(room))
        if seats_changed:
            self.audience.seat(room.seats)
        if room.clock is not None:
            self._arm()
        self.audience.broadcast(self._frame)
        self._notify()

    def _notify(self) -> None:
        for notice in self._on_change:
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
        await self._carry_out(Expire())
