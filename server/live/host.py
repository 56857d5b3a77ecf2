"""The keeper of one live room: decide, evolve, store, broadcast, one command at a time.

Everybody comes in through `submit`: people, bots, the AI and fallen flags. The store is the truth
and the host a cache of it: what is not durable is neither answered nor shown. Commands that come
in one moment are carried out on a draft of the room and become durable together.

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
from server.live.outbox import Connection, offer
from server.store import Conflict, Store, Unavailable, wait_for
from server.wire import frames
from server.wire.snapshots import Snapshots

TRY_AGAIN = 1.0  # seconds until a fallen flag is submitted again to a store that could not write

LONG = 1_000  # events; replaying more would keep everybody waiting

TOGETHER = 16  # commands whose events become durable in one append

# Whether the command changed anything; or a refusal, or our own fault.
Answer = Callable[[bool | Exception], None]
_Drafted = tuple[Command, Answer, bool | Exception]

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

    `_asked` waits for its turn. What is `_drafted` has been carried out on `_draft`, the room with
    the events `_decided` behind it, and is answered once they are durable. Until the store takes
    them and so seals the draft, further commands can be drafted behind them.
    """

    __slots__ = (
        "_asked",
        "_decided",
        "_draft",
        "_drafted",
        "_flag",
        "_flag_falls",
        "_frame",
        "_is_at_work",
        "_is_doubtful",
        "_is_sealed",
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
        self._draft = room
        self._drafted: tuple[_Drafted, ...] = ()
        self._decided: tuple[Event, ...] = ()
        self._is_sealed = False
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
        return (
            bool(self.audience or self._asked or self._drafted) or self.room.deadline() is not None
        )

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
        if self._asked or self._drafted or self._is_doubtful:
            self._asked.append((command, answer))
            self._work()
        else:
            self._carry_out(command, answer)

    async def submit_and_wait(self, command: Command) -> bool:
        """`submit`, for those who would rather wait for the answer; `Refused` if it may not be."""
        return await wait_for(lambda answer: self.submit(command, answer))

    def _work(self) -> None:
        """Carry out what has had to wait, one after the other, as far as that can be."""
        if self._is_at_work:  # further up
            return
        self._is_at_work = True
        try:
            while self._asked:
                if (self._drafted or self._is_doubtful) and not self._may_go_on():
                    break
                self._carry_out(*self._asked.pop(0))
        finally:
            self._is_at_work = False

    def _may_go_on(self) -> bool:
        """Whether the next command may be decided although something is under way."""
        if self._is_doubtful:
            if self._reloading is None:
                self._reloading = asyncio.get_running_loop().create_task(self._reload())
            return False
        # Who is absent from a seat can be said once it is certain who holds it.
        asks_who_is_there = isinstance(self._asked[0][0], SeatAI | Claim)
        return not self._is_sealed and len(self._drafted) < TOGETHER and not asks_who_is_there

    def _carry_out(self, command: Command, answer: Answer) -> None:
        is_first = not self._drafted
        try:
            now = self._now()
            if now < self._draft.changed:  # time in a log never runs backwards
                now = self._draft.changed
            if self._draft.clock is not None:  # a flag that has fallen is older than this command
                self._add(decide(self._draft, Expire(), now))
            if type(command) is not Play:
                command = self._informed(command, now)
            events = decide(self._draft, command, now)
            self._add(events)
            outcome: bool | Exception = events != ()
        except Exception as problem:  # mostly `Refused`
            outcome = problem
        if not self._decided:  # the room stays as it is, and is known to be so
            self._answer(answer, outcome)
            return
        self._drafted += ((command, answer, outcome),)
        if is_first:
            try:
                self._store.append(self.id, self.room.seq, self._seal, self._stored)
            except Exception as fault:
                self._stored(fault)

    def _add(self, events: tuple[Event, ...]) -> None:
        room = self._draft
        for event in events:
            room = evolve(room, event)
        self._draft = room
        self._decided += events

    def _seal(self) -> Sequence[Event]:
        """They are about to be written, and so the last of this draft."""
        self._is_sealed = True
        return self._decided

    def _stored(self, problem: Exception | None) -> None:
        """The draft is durable now, or was in vain."""
        drafted = self._drafted
        self._drafted = self._decided = ()
        self._is_sealed = False
        if problem is None:
            try:
                self._adopt(self._draft)
            except Exception as fault:
                problem = fault
        if problem is None:
            for _, answer, outcome in drafted:
                self._answer(answer, outcome)
        else:
            self._discard(drafted, problem)
        if self._asked:
            self._work()

    def _discard(self, drafted: tuple[_Drafted, ...], problem: Exception) -> None:
        """Decide again what met somebody else's events; the rest is told what was in the way."""
        if not self._drafted:  # by somebody who was told of it before the fault
            self._draft = self.room
        self._is_doubtful = True
        if isinstance(problem, Conflict):
            self._asked[:0] = [(command, answer) for command, answer, _ in drafted]
            return
        if isinstance(problem, Unavailable):
            problem = Refused(Reason.RETRY)
        for _, answer, _ in drafted:
            self._answer(answer, problem)

    def _answer(self, answer: Answer, outcome: bool | Exception) -> None:
        if isinstance(outcome, Exception) and not isinstance(outcome, Refused):
            self._is_doubtful = True  # our own fault: who knows what it left behind
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
            _, answer = self._asked.pop(0)
            self._answer(answer, problem)
        self._reloading = None
        self._work()

    def _adopt(self, room: Room) -> None:
        """Take over what the store now holds, and show it to everybody."""
        self._frame = frames.text_frame(self._snapshots.text(room))
        seats_changed = room.seats is not self.room.seats
        self.room = self._draft = room
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
