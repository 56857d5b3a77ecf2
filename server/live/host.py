"""The keeper of one live room: decide, append, show, answer.

Theory of operation
-------------------

People, bots, the AI and fallen flags all come in through `submit`. The store is the truth and the
host a cache of it: nothing is answered or shown before it is durable. Every step is a plain call;
the one task is the reload of a room whose cache is in doubt.

A command is decided on a *draft* of the room (`live/draft.py`). The host opens the draft with the
first command that changes something and asks the store to append. Until the store takes the events,
further commands join the draft; they cost no append of their own. Two players who ask for a rematch
at the same moment pay for one commit and see one state.

    phase      a command is submitted   the store takes   the append ends       the reload ends
    RESTING    decide it; DRAFTING if
               it changes anything
    DRAFTING   it joins the draft, or   WRITING           could not begin:
               waits if that is full                      DOUBTFUL
    WRITING    it waits                                   stored: RESTING
                                                          conflict: DOUBTFUL,
                                                          decide all again
                                                          failed: DOUBTFUL
    DOUBTFUL   it waits; RELOADING
    RELOADING  it waits                                                         RESTING; DOUBTFUL
                                                                                if unreadable
    HELD       it waits until `release`
    REMOVED    no such room

A fault of our own while a command is decided changes nothing: the draft folds in all that a command
leads to, or none of it. A fault while the room is adopted or shown is treated as a failed append.

Other nodes may append to the same log. The store reports what they have written (`hear_log`). If
the host is RESTING and nothing is missing, it adopts these events. Otherwise it remembers how long
the log is known to be, and reads what is missing as soon as its own append has ended.

An event may not have been reported yet. If a command changes something, the store finds that out:
the append is a conflict. If it changes nothing, nobody would. So the host of a shared store reads
what is new before it refuses a command, or accepts one that is carried out already.

Commands that wait are carried out in the order in which they came. `SeatAI` and `Claim` never join
a draft: how long somebody has been absent is known only once it is durable who holds the seat.

Example: Ada moves while the host is RESTING. The draft holds `MovePlayed`; the host is DRAFTING.
Bo's move arrives in the same tick and joins. The store takes both events (WRITING). Cy sits down on
a seat and has to wait. The commit ends: the host adopts the draft as the room, offers one state to
everybody, answers Ada and Bo, is RESTING, and turns to Cy.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import partial
from typing import TypeVar, assert_never

from server.core.commands import Claim, Command, Expire, Play, Reason, Refused, Rematch, SeatAI
from server.core.events import Event, Person
from server.core.evolve import evolve, replay
from server.core.record import replace
from server.core.room import Room, RoomId
from server.live.audience import Audience
from server.live.draft import Accepted, Answer, Draft, Fault, Refusal, Reply
from server.live.flag import Flag
from server.live.nodes import Nodes
from server.live.outbox import Outbox, offer
from server.live.reports import Ask, Report, RoomMessage, Said, topic_of
from server.store import Conflict, Store, Unavailable
from server.wire import frames
from server.wire.snapshots import Snapshots

LONG_LOG = 1_000  # events; folding more would block the event loop, so a thread does it
DRAFT_LIMIT = 16  # commands in one append
READ_AGAIN_AFTER = 1.0  # seconds after which a log that could not be read is read again
REMOVED_TEXT = "The operator has closed this room."
SETTLE_EVERY = 0.001  # seconds; about as long as a commit takes
FLAG_STEP = 400  # ms from one node to the next before it lets a flag fall

log = logging.getLogger(__name__)

T = TypeVar("T")


class Phase(Enum):
    RESTING = auto()
    DRAFTING = auto()
    WRITING = auto()
    DOUBTFUL = auto()
    RELOADING = auto()
    HELD = auto()
    REMOVED = auto()


# A global is found several times as fast as a member of an enum, and a move reads a few.
RESTING, DRAFTING, WRITING = Phase.RESTING, Phase.DRAFTING, Phase.WRITING
DOUBTFUL, RELOADING, HELD, REMOVED = Phase.DOUBTFUL, Phase.RELOADING, Phase.HELD, Phase.REMOVED


async def fold_log(store: Store, id: RoomId, fold: Callable[[list[Event]], T], after: int = 0) -> T:
    """The log of a room after its first events, folded.

    Raises `Refused` (`retry`) if the store cannot be read, and `Conflict` if the log is shorter.
    """
    try:
        events = await store.load(id, after)
    except Unavailable as problem:
        raise Refused(Reason.RETRY) from problem
    return fold(events) if len(events) < LONG_LOG else await asyncio.to_thread(fold, events)


class RoomHost:
    """`on_change`: callbacks to call after every change; one list for all hosts.

    `on_finished` gets the room before and after a command of this node that may have ended a game.
    """

    __slots__ = (
        "_draft",
        "_flag",
        "_frame",
        "_is_fresh",
        "_is_going_on",
        "_known",
        "_nodes",
        "_now",
        "_on_change",
        "_on_finished",
        "_phase",
        "_reloading",
        "_rest",
        "_snapshots",
        "_store",
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
        nodes: Nodes,
        *,
        now: Callable[[], int],
        since: int,
        on_change: Sequence[Callable[[RoomHost], None]],
        on_finished: Callable[[Room, Room], None] = lambda before, after: None,
    ) -> None:
        self.id = id
        self.room = room
        self.audience = Audience(id, room.seats, now=now, since=since)
        self.audience.on_presence = self._notify
        self.audience.on_report = partial(nodes.publish, topic_of(id))
        self._store = store
        self._nodes = nodes
        self._now = now
        self._on_change = on_change
        self._on_finished = on_finished
        self._snapshots = Snapshots(id, room)
        self._frame = frames.text_frame(self._snapshots.text(room))
        self._phase = self._rest = RESTING  # `_rest`: where a cycle of phases ends
        self._waiting: list[tuple[Command, Reply]] = []
        self._is_going_on = False
        self._is_fresh = False  # the log has just been read
        self._draft: Draft | None = None
        self._known = 0  # how long the log is, as far as the store has reported
        self._reloading: asyncio.Task[None] | None = None
        self._flag = Flag(self.submit, now, self._hold_flag) if room.time else None
        if self._flag is not None:
            self._flag.arm(room.deadline())

    @property
    def is_busy(self) -> bool:
        """Whether the room must stay awake: in use, or timed."""
        return self.is_in_use or self.room.deadline() is not None

    @property
    def is_in_use(self) -> bool:
        """Whether somebody follows the room here, or a command is under way."""
        return bool(self.audience) or self._draft is not None or bool(self._waiting)

    def show(self, outbox: Outbox) -> None:
        """Send the current state to one peer."""
        offer(self.id, self._frame, (outbox,))

    def say(self, person: Person, phrase: str) -> None:
        now = self._now()
        self.audience.send(frames.said(self.id, person, phrase, now))
        self._nodes.publish(topic_of(self.id), Said(person, phrase, now))

    @property
    def rank(self) -> int:
        """This node's place among those that have the room awake.

        The first of them moves for the AI and lets flags fall; the next ones give it some time.
        """
        elsewhere = self.audience.elsewhere
        return self._nodes.rank(self.id, elsewhere) if elsewhere else 0

    def hear(self, node: str, message: RoomMessage) -> Report | None:
        """Take in what another node says about this room."""
        match message:
            case Report():
                self.audience.hear(node, message)
            case Said(person, phrase, at):
                self.audience.send(frames.said(self.id, person, phrase, at))
            case Ask():
                return self.audience.report()
            case _:
                assert_never(message)
        return None

    def close(self) -> None:
        """Stop. An append under way still becomes durable, but nobody is notified of it."""
        self._on_change = ()
        self.audience.close()
        if self._flag is not None:
            self._flag.arm(None)
            self._flag = None
        if self._reloading is not None:
            self._reloading.cancel()

    async def hold(self) -> None:
        """Let commands wait until `release`. Returns once nothing is being written."""
        self._rest = HELD
        if self._phase is RESTING:
            self._phase = HELD
        while self._draft is not None:  # noqa: ASYNC110  # rare, and a move need not notify
            await asyncio.sleep(SETTLE_EVERY)

    def release(self) -> None:
        """Go on after `hold`, unless the room has been removed."""
        if self._rest is REMOVED:
            return
        self._rest = RESTING
        if self._phase is HELD:
            self._phase = RESTING if self._known <= self.room.seq else DOUBTFUL
            self._go_on()
            self._read_if_doubtful()

    def remove(self) -> None:
        """The log has been removed: follow no longer, and refuse what is still asked."""
        self.audience.send(frames.closed(self.id, REMOVED_TEXT))
        self.audience.clear()
        self.close()
        self._phase = self._rest = REMOVED
        self._go_on()

    # -------------------------------------------------------------------------------- commands

    def submit(self, command: Command, reply: Reply) -> None:
        """Carry `command` out when its turn comes, and call `reply` with the answer.

        `reply` may be called before this returns. By then the change is durable and offered to
        everybody who follows. Nothing is written before the end of the tick, so a frame that
        `reply` sends goes out before the state.
        """
        if self._phase is RESTING and not self._waiting:
            self._carry_out(command, reply)
        else:
            self._waiting.append((command, reply))
            self._go_on()

    async def submit_and_wait(self, command: Command) -> None:
        """Submit `command` and wait for the answer. Raises `Refused` if it is refused."""
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def settle(answer: Answer) -> None:
            if not answered.done():  # else the caller was cancelled
                answered.set_result(answer)

        self.submit(command, settle)
        match await answered:
            case Accepted():
                return
            case Refusal(reason):
                raise Refused(reason)
            case Fault(problem):
                raise problem
            case answer:
                assert_never(answer)

    def _go_on(self) -> None:
        """Carry out the commands that wait, in order, as far as the phase allows."""
        if self._is_going_on:  # further up the stack, where the loop below goes on
            return
        self._is_going_on = True
        try:
            while self._waiting:
                if self._phase is REMOVED:
                    self._reply(self._waiting.pop(0)[1], Refusal(Reason.NO_SUCH_ROOM))
                    continue
                if self._phase is not RESTING and not self._may_join(self._waiting[0][0]):
                    break
                self._carry_out(*self._waiting.pop(0))
        finally:
            self._is_going_on = False
        if self._waiting:
            self._read_if_doubtful()

    def _may_join(self, command: Command) -> bool:
        """Whether the draft is open for this command."""
        if self._draft is None or self._phase is WRITING:
            return False
        is_full = len(self._draft.replies) >= DRAFT_LIMIT
        return not is_full and not isinstance(command, SeatAI | Claim)

    def _carry_out(self, command: Command, reply: Reply) -> None:
        draft = self._draft or Draft(self.room)
        try:
            now = self._now()
            if type(command) is not Play:
                command = self._inform(command, now)
            answer = draft.carry_out(command, now)
        except Exception as problem:
            answer = Fault(problem)
        if not draft.events:  # nothing changes, so there is nothing to wait for
            if self._store.is_shared and not self._is_fresh and type(command) is not Expire:
                self._waiting.insert(0, (command, reply))
                self._phase = DOUBTFUL
                self._read_if_doubtful()
            else:
                self._reply(reply, answer)
            return
        draft.replies.append((command, reply, answer))
        if self._draft is None:
            self._draft, self._phase = draft, DRAFTING
            try:
                self._store.append(self.id, self.room.seq, self._take, self._end_append)
            except Exception as problem:
                self._end_append(problem)

    def _inform(self, command: Command, now: int) -> Command:
        """Add what the core cannot know: who follows, and for how long somebody was absent."""
        audience, turn = self.audience, self.room.turn
        if isinstance(command, Rematch):
            return replace(command, follows=audience.follows(command.by))
        if isinstance(command, SeatAI):
            return replace(command, absent_for=audience.absent_for(command.seat, now))
        if isinstance(command, Claim) and turn is not None:
            return replace(command, absent_for=audience.absent_for(turn, now))
        return command

    def _take(self) -> Sequence[Event]:
        """The store is about to write: hand it the events, and close the draft."""
        assert self._draft is not None
        self._phase = WRITING
        return self._draft.events

    def _end_append(self, problem: Exception | None) -> None:
        """The append has ended: the draft is durable, or `problem` was in the way.

        The phase does not change until all are answered, so a command submitted from within a
        `reply` waits.
        """
        draft, self._draft = self._draft, None
        assert draft is not None
        if problem is None:
            before = self.room
            try:
                self._adopt(draft.room)
                if draft.room.finished is not before.finished:
                    self._on_finished(before, draft.room)
            except Exception as fault:
                problem = fault
        replies = draft.replies if problem is None else self._discard(draft, problem)
        for _, reply, answer in replies:
            try:
                reply(answer)
            except Exception:
                log.exception("a reply failed in room %s", self.id)
        is_current = self._known <= self.room.seq
        self._phase = self._rest if problem is None and is_current else DOUBTFUL
        if self._rest is REMOVED:
            self._phase = REMOVED
        if self._waiting:
            self._go_on()
        if not is_current:
            self._read_if_doubtful()

    def _discard(self, draft: Draft, problem: Exception) -> list[tuple[Command, Reply, Answer]]:
        """The draft was in vain. After a conflict its commands are decided again."""
        if isinstance(problem, Conflict):
            self._waiting[:0] = [(command, reply) for command, reply, _ in draft.replies]
            return []
        answer = _as_answer(problem)
        return [(command, reply, answer) for command, reply, _ in draft.replies]

    def _reply(self, reply: Reply, answer: Answer) -> None:
        try:
            reply(answer)
        except Exception:
            log.exception("a reply failed in room %s", self.id)

    # ------------------------------------------------------------------------------ the cache

    def hear_log(self, length: int, events: Sequence[Event]) -> None:
        """The log has grown to this length; these are its last events."""
        missing = length - self.room.seq
        if missing <= 0:
            return
        if self._phase is RESTING and missing <= len(events):
            try:
                self._adopt(_extend(self.room, events[-missing:]))
                return
            except Exception:
                log.exception("our fault: room %s cannot follow its log", self.id)
        self._known = max(self._known, length)
        if self._phase is RESTING:
            self._phase = DOUBTFUL
        self._read_if_doubtful()

    def _read_if_doubtful(self) -> None:
        if self._phase is DOUBTFUL:
            self._phase = RELOADING
            self._reloading = asyncio.get_running_loop().create_task(self._reload())

    async def _reload(self) -> None:
        """Read what is new from the store, and show it."""
        known, self._known = self._known, 0
        try:
            self._adopt(await self._read_on())
            self._phase = self._rest if self._known <= self.room.seq else DOUBTFUL
        except Exception as problem:
            self._known = max(known, self._known)
            await self._fail_to_read(problem)
            self._phase = DOUBTFUL
        self._reloading = None
        self._is_fresh = self._phase is RESTING
        self._go_on()
        self._is_fresh = False
        if self._known > self.room.seq:
            self._read_if_doubtful()

    async def _read_on(self) -> Room:
        """The room as the store has it now."""
        try:
            return await fold_log(
                self._store, self.id, partial(_extend, self.room), after=self.room.seq
            )
        except Conflict:  # removed since, and perhaps opened again
            room = await fold_log(self._store, self.id, replay)
        if room is None:
            raise Refused(Reason.NO_SUCH_ROOM)
        return room

    async def _fail_to_read(self, problem: Exception) -> None:
        """Answer the command that waits, or wait a moment if there is none."""
        if self._waiting:
            _, reply = self._waiting.pop(0)
            self._reply(reply, _as_answer(problem))
        elif isinstance(problem, Refused) and problem.reason is Reason.RETRY:
            await asyncio.sleep(READ_AGAIN_AFTER)
        else:
            self._known = 0  # reading again would not help
            if not isinstance(problem, Refused):
                log.error("our fault: room %s cannot be read", self.id, exc_info=problem)

    def _adopt(self, room: Room) -> None:
        """Take over the room as the store now has it, and show it to everybody.

        After a reload it may be the same: a fault can have struck while it was shown.
        """
        self._frame = frames.text_frame(self._snapshots.text(room))
        before, self.room = self.room, room
        if room.seats is not before.seats:
            self.audience.seat(room.seats)
        if self._flag is not None:
            self._flag.arm(room.deadline())
        self.audience.broadcast(self._frame)
        if room.seq != before.seq:
            self._notify()

    def _notify(self) -> None:
        for notify in self._on_change:
            notify(self)

    def _hold_flag(self) -> int:
        return FLAG_STEP * self.rank


def _extend(room: Room, events: Sequence[Event]) -> Room:
    """The room after these events."""
    for event in events:
        room = evolve(room, event)
    return room


def _as_answer(problem: Exception) -> Answer:
    match problem:
        case Refused():
            return Refusal(problem.reason)
        case Unavailable():
            return Refusal(Reason.RETRY)
        case _:
            return Fault(problem)
