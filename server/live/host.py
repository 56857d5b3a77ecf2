"""The keeper of one live room: decide, store, evolve, broadcast, one command at a time.

Everybody comes in through `submit`: people, bots, the AI and fallen flags. The store is the truth
and the host a cache of it: what is not durable is neither answered nor shown.

A command goes from step to step by plain calls. Only what is rare is a task: reading the room from
the store again when it is in doubt.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from server.core.commands import Claim, Command, Expire, Play, Reason, Refused, Rematch, SeatAI
from server.core.decide import decide
from server.core.events import Event, Person
from server.core.room import Room, RoomId, evolve, replay
from server.live.audience import Audience
from server.live.connection import Connection, offer
from server.store import Conflict, Store, Unavailable, wait_for
from server.wire import frames
from server.wire.snapshots import Snapshots

TRY_AGAIN = 1.0  # seconds until a fallen flag is submitted again to a store that could not write

LONG = 1_000  # events; replaying more would keep everybody waiting

# Whether the command changed anything; or a refusal, or our own fault.
Answer = Callable[[bool | Exception], None]

log = logging.getLogger(__name__)


async def read_room(store: Store, id: RoomId) -> Room | None:
    """The room as the store has it; refused as `retry` if it cannot be read just now."""
    try:
        events = await store.load(id)
    except Unavailable as problem:
        raise Refused(Reason.RETRY) from problem
    return replay(events) if len(events) < LONG else await asyncio.to_thread(replay, events)


class RoomHost:
    """`on_change`: who else wants to know; one list for all hosts.

    The first of `_asked` is being carried out. Of `_decided` it is not known yet whether it is
    durable.
    """

    __slots__ = (
        "_asked",
        "_decided",
        "_flag",
        "_flag_falls",
        "_frame",
        "_is_at_work",
        "_is_doubtful",
        "_now",
        "_on_change",
        "_reloading",
        "_snapshots",
        "_store",
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
        self._asked: list[tuple[Command, Answer]] = []
        self._decided: Sequence[Event] = ()
        self._is_at_work = False
        self._is_doubtful = False
        self._reloading: asyncio.Task[None] | None = None
        self._snapshots = Snapshots(id, room)
        self._frame = frames.text_frame(self._snapshots.text(room))
        self._flag: asyncio.TimerHandle | None = None
        self._flag_falls: asyncio.Task[None] | None = None
        self._arm()

    @property
    def is_busy(self) -> bool:
        """Whether it must stay awake: followed, in the middle of a command, or on the clock."""
        return bool(self.audience or self._asked) or self.room.deadline() is not None

    def show(self, connection: Connection) -> None:
        """Send the room as it is now to one connection."""
        offer(self.id, self._frame, (connection,))

    def say(self, person: Person, phrase: str) -> None:
        self.audience.send(frames.said(self.id, person, phrase, self._now()))

    def close(self) -> None:
        """What is under way still becomes durable, but nobody is told any more."""
        self._on_change = ()
        self.audience.close()
        if self._flag is not None:
            self._flag.cancel()
        for task in (self._flag_falls, self._reloading):
            if task is not None:
                task.cancel()

    # -------------------------------------------------------------------------------- commands

    def submit(self, command: Command, answer: Answer) -> None:
        """Carry a command out when its turn comes, and `answer` it, perhaps at once.

        By then all is durable and offered to everybody. Nothing of it is written before the end of
        this tick, so what is sent for an answer goes out first.
        """
        self._asked.append((command, answer))
        if len(self._asked) == 1:
            self._work()

    async def submit_and_wait(self, command: Command) -> bool:
        """`submit`, for those who would rather wait for the answer; `Refused` if it may not be."""
        return await wait_for(lambda answer: self.submit(command, answer))

    def _work(self) -> None:
        """Carry out one command after the other, as far as nothing has to be waited for."""
        if self._is_at_work:  # further up
            return
        self._is_at_work = True
        try:
            while self._asked and not self._decided and self._reloading is None:
                try:
                    outcome: bool | Exception | None = self._begin(self._asked[0][0])
                except Exception as problem:  # mostly `Refused`
                    self._decided = ()
                    outcome = problem
                if outcome is not None:
                    self._answer(outcome)
        finally:
            self._is_at_work = False

    def _begin(self, command: Command) -> bool | None:
        """False if there is nothing to do, None if it goes on elsewhere."""
        if self._is_doubtful:
            self._reloading = asyncio.get_running_loop().create_task(self._reload())
            return None
        room = self.room
        now = self._now()
        if now < room.changed:  # time in a log never runs backwards
            now = room.changed
        if room.clock is not None and self._flag_goes_first(command, now):
            return None
        if not isinstance(command, Play):
            command = self._informed(command, now)
        events = decide(room, command, now)
        if not events:
            return False
        self._decided = events
        self._store.append(self.id, room.seq, events, self._stored)
        return None

    def _stored(self, problem: Conflict | Unavailable | None) -> None:
        """What was decided is durable now, or was in vain."""
        events, self._decided = self._decided, ()
        if problem is None:
            outcome: bool | Exception = True
            try:
                room = self.room
                for event in events:
                    room = evolve(room, event)
                self._adopt(room)
            except Exception as fault:
                outcome = fault
            self._answer(outcome)
        else:
            self._is_doubtful = True
            if isinstance(problem, Unavailable):
                self._answer(Refused(Reason.RETRY))
        if self._asked:
            self._work()

    def _answer(self, outcome: bool | Exception) -> None:
        if isinstance(outcome, Exception) and not isinstance(outcome, Refused):
            self._is_doubtful = True  # our own fault: who knows what it left behind
        _, answer = self._asked.pop(0)
        try:
            answer(outcome)
        except Exception:
            log.exception("an answer could not be given in room %s", self.id)

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
        try:
            room = await read_room(self._store, self.id)
            if room is None:
                raise Refused(Reason.NO_SUCH_ROOM)
            if room.seq != self.room.seq:
                self._adopt(room)
            self._is_doubtful = False
        except Exception as problem:
            self._answer(problem)
        self._reloading = None
        self._work()

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
            await self.submit_and_wait(Expire())
        except Refused:
            await asyncio.sleep(TRY_AGAIN)
        except Exception:
            log.exception("a flag could not fall in room %s", self.id)
            await asyncio.sleep(TRY_AGAIN)
        self._arm()

    def _flag_goes_first(self, command: Command, now: int) -> bool:
        """A flag that has fallen is older than the command that comes after it."""
        deadline = self.room.deadline()
        if deadline is None or now < deadline or isinstance(command, Expire):
            return False
        self._asked.insert(0, (Expire(), self._flag_fell))
        return True

    def _flag_fell(self, outcome: bool | Exception) -> None:
        if isinstance(outcome, Exception):  # then the command behind it cannot be carried out
            self._answer(outcome)
