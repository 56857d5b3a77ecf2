"""Logs in an engine that several nodes share (`server/fleet/engine.py`).

Theory of operation
-------------------

An append is one message with all its events, so they are stored together or not at all. The message
says how many events the log has before it, as `{"n": 3, "e": [...]}`: its first event is number 3.

The engine compares sequences, not lengths. For each room that is followed, the store remembers a
*head*: a length that the log is known to have had, and the sequence of the message that made it so.
An append that expects this length names this sequence. If another node has appended since, the
engine refuses it as a conflict. A head is never wrong, it can only be old.

An engine may answer late, or not at all, whether or not the message was stored. The same message is
then sent again. It cannot be stored twice: the second one names a sequence that is no longer the
last. After such a conflict the store looks at the message behind that sequence. If it is the same,
it was stored before, and all is well.

What other nodes append is heard from the engine, and passed on if it is newer than the head. Such a
message may be missed. So the store compares its heads with the engine whenever it has a reason to,
and every few seconds without one, and reads what is missing: the tail of a log, never all of it.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial

import msgspec

from server import codec
from server.core.events import Event
from server.core.room import RoomId
from server.fleet.engine import Answer, Engine, Message, Refusal
from server.metrics import Times
from server.store import (
    Conflict,
    Done,
    Entry,
    Heard,
    Problem,
    Store,
    Take,
    Unavailable,
    tail_of,
)

AGAIN_AFTER = (0.005, 0.02, 0.08, 0.3)  # seconds before a refused message is sent again
SILENT_FOR = 0.5  # seconds without an answer, after which a message is sent again
GIVE_UP_AFTER = 2.0  # seconds
LOADS = 16  # logs that are read at a time
READS = 20  # attempts to read a message that a replica does not have yet
READ_AGAIN_AFTER = 0.05  # seconds between two of them
COMPARE_EVERY = 5.0  # seconds
PAGE = 1_000  # rooms that are compared in one request
TOMBSTONE = b'{"n":0,"e":[]}'  # what is left of a room that was removed

log = logging.getLogger(__name__)


class Stored(msgspec.Struct):
    """A message: the number of its first event, and its events."""

    n: int
    e: list[codec.Plain]

    @property
    def length(self) -> int:
        """How long the log is with this message; 0 for a tombstone."""
        return self.n + len(self.e) - 1 if self.n else 0

    def events(self) -> list[Event]:
        return [codec.decode(plain) for plain in self.e]


_read = msgspec.json.Decoder(Stored).decode


def write(expected: int, events: Sequence[Event]) -> bytes:
    return b'{"n":%d,"e":[%b]}' % (expected + 1, ",".join(map(codec.write, events)).encode())


class _Head:
    """A length of a log and the sequence of its last message then, and the same one step before."""

    __slots__ = ("before", "heard", "length", "sequence")

    def __init__(self, heard: Heard) -> None:
        self.heard = heard
        self.length = -1  # unknown
        self.sequence = -1
        self.before = (0, 0)

    def advance(self, length: int, sequence: int) -> None:
        if sequence > self.sequence:
            self.before = self.length, self.sequence
            self.length, self.sequence = length, sequence

    def sequence_at(self, length: int) -> int | None:
        """The sequence at which the log had this length, if it is remembered."""
        if length == self.length:
            return self.sequence
        return self.before[1] if length == self.before[0] else None


class _Append:
    """One append until it is answered. `tries`: how often its message was sent."""

    __slots__ = (
        "data",
        "done",
        "expected",
        "is_over",
        "last",
        "length",
        "room",
        "since",
        "timer",
        "tries",
    )

    def __init__(self, room: RoomId, expected: int, data: bytes, done: Done, since: float) -> None:
        self.room, self.expected, self.data, self.done = room, expected, data, done
        self.length = expected  # of the log, once this is stored
        self.last = 0
        self.since = since
        self.tries = 0
        self.is_over = False
        self.timer: asyncio.TimerHandle | None = None


Find = Callable[[_Append], Awaitable[None]]


class FleetStore(Store):
    """`took` observes how long each append waited until it was durable."""

    is_shared = True

    def __init__(self, engine: Engine, took: Times) -> None:
        self._engine = engine
        self._took = took
        self._loop = asyncio.get_running_loop()
        self._heads: dict[RoomId, _Head] = {}
        self._loading = asyncio.Semaphore(LOADS)
        self._tasks: set[asyncio.Task[None]] = set()
        self._under_way = 0
        self._unanswered: set[_Append] = set()  # were sent, and may have to be sent again
        self._all_ended: asyncio.Future[None] | None = None
        self._listed: list[RoomId] = []
        self._is_closing = False
        self._is_away = False  # the engine does not answer, and that was logged
        self._doubts = asyncio.Event()
        self._begin(self._keep_comparing())
        engine.on_doubt(self._doubt)

    # ---------------------------------------------------------------------------------- appends

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        self._under_way += 1
        self._loop.call_soon(self._take, room, expected, take, done)

    def _take(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        events = take()
        append = _Append(room, expected, write(expected, events), done, self._loop.time())
        append.length += len(events)
        head = self._heads.get(room)
        last = 0 if expected == 0 else None  # a new room, most likely
        if head is not None and head.length >= 0:
            last = head.sequence_at(expected)
        if last is None:
            self._look_up(append, self._find_last)
        else:
            append.last = last
            self._send(append)

    def _look_up(self, append: _Append, find: Find) -> None:
        """Go on with an append as soon as something is found out."""
        self._unanswered.discard(append)
        self._begin(self._go_on(append, find))

    async def _go_on(self, append: _Append, find: Find) -> None:
        """Find out what is needed. If that fails, the append ends all the same."""
        try:
            await find(append)
        except Unavailable as problem:
            self._end(append, problem)
        except Exception as problem:
            log.exception("our fault: an append cannot go on")
            self._end(append, Unavailable(str(problem)))

    async def _find_last(self, append: _Append) -> None:
        """Look up the sequence that an append has to name, and send it."""
        last = await self._engine.last(append.room)
        if append.is_over:
            return
        length = 0 if last is None else _read(last.data).length
        if length == append.expected and last is not None:
            append.last = last.sequence
            self._send(append)
        else:
            self._end(append, Conflict(append.room))

    async def _find_own(self, append: _Append) -> None:
        """Find out whether a message that was sent several times was stored the first time."""
        found = await self._engine.read(append.room, append.last)
        if append.is_over:  # its answer has come at last
            return
        if not found:
            self._end(append, Unavailable("what is behind a conflict cannot be read"))
        elif found[0].data == append.data:
            self._hear(append, found[0].sequence)
        else:
            self._end(append, Conflict(append.room))

    def _send(self, append: _Append) -> None:
        append.tries += 1
        self._unanswered.add(append)
        append.timer = self._loop.call_later(SILENT_FOR, self._send_again, append)
        self._engine.append(append.room, append.last, append.data, partial(self._hear, append))

    def _doubt(self) -> None:
        """Messages may have been missed, ours or others': send and look again at once."""
        self._doubts.set()
        for append in tuple(self._unanswered):
            _cancel(append)
            self._send_again(append)

    def _send_again(self, append: _Append) -> None:
        if self._loop.time() - append.since < GIVE_UP_AFTER:
            self._send(append)
        else:
            self._end(append, Unavailable("the engine does not answer"))

    def _hear(self, append: _Append, answer: Answer) -> None:
        if append.is_over:
            return
        _cancel(append)
        if isinstance(answer, int):
            head = self._heads.get(append.room)
            if head is not None:
                head.advance(append.length, answer)
            self._end(append, None)
        elif answer is Refusal.AGAIN:
            wait = AGAIN_AFTER[min(append.tries, len(AGAIN_AFTER)) - 1]
            append.timer = self._loop.call_later(wait, self._send_again, append)
        elif append.tries > 1:
            self._look_up(append, self._find_own)
        elif append.expected == 0 and append.last == 0:
            self._look_up(append, self._find_last)  # a room may have been removed under this id
        else:
            self._end(append, Conflict(append.room))

    def _end(self, append: _Append, problem: Problem | None) -> None:
        if append.is_over:
            return
        append.is_over = True
        self._under_way -= 1
        self._unanswered.discard(append)
        _cancel(append)
        self._note(isinstance(problem, Unavailable))
        if problem is None:
            self._took.observe(self._loop.time() - append.since)
        try:
            append.done(problem)
        except Exception:
            log.exception("a callback of the store failed")
        if self._all_ended is not None and not self._under_way:
            self._all_ended.set_result(None)

    def _note(self, is_away: bool) -> None:
        """Log it when the engine stops answering, and when it answers again."""
        if is_away:
            self._doubts.set()  # the message may have been stored
        if is_away != self._is_away:
            self._is_away = is_away
            log.warning("the engine does not answer" if is_away else "the engine answers again")

    async def remove(self, room: RoomId, expected: int) -> None:
        last = await self._engine.last(room)
        if last is None or not expected or _read(last.data).length != expected:
            raise Conflict(room)
        await self._engine.replace(room, last.sequence, TOMBSTONE)

    async def can_write(self) -> bool:
        try:
            await self._engine.probe()
        except Unavailable:
            self._note(is_away=True)
            return False
        self._note(is_away=False)
        return True

    # ---------------------------------------------------------------------------------- reading

    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        async with self._loading:
            try:
                return await self._load(room, after)
            except codec.Unreadable as problem:
                log.warning("cannot read from the store: %s", problem)
                raise Unavailable(str(problem)) from problem

    async def _load(self, room: RoomId, after: int) -> list[Event]:
        last = await self._engine.last(room)
        head = self._heads.get(room)
        if last is None:
            if head is not None:
                head.advance(0, 0)
            return tail_of([], room, after)
        begin = head.sequence_at(after) if head is not None and after else None
        length, events = (0, []) if begin is None else (after, list[Event]())
        for stored in await self._read_up_to(room, length, begin or 0, last):
            if stored.n <= 1:  # the room was removed before this message, or by it
                length, events = 0, []
            if stored.n > length + 1:
                raise codec.Unreadable(f"the log of room {room} is not whole")
            events += stored.events()
            length = stored.length
        if head is not None:
            head.advance(length, last.sequence)
        if length < after:
            raise Conflict(room)
        return events[len(events) - (length - after) :]

    async def _read_up_to(
        self, room: RoomId, length: int, sequence: int, last: Message
    ) -> list[Stored]:
        """The messages behind this sequence, at which the log had this length, up to `last`."""
        stored = _read(last.data)
        if last.sequence <= sequence:
            return []
        if stored.n <= 1 or stored.n == length + 1:
            return [stored]
        for _ in range(READS):
            found = await self._engine.read(room, sequence)
            older = [_read(message.data) for message in found if message.sequence < last.sequence]
            if older and older[-1].length + 1 == stored.n:
                return [*older, stored]
            await asyncio.sleep(READ_AGAIN_AFTER)  # a replica does not have all of it yet
        raise Unavailable(f"the log of room {room} cannot be read to its end")

    async def rooms(self, after: str = "", limit: int = 1_000) -> list[Entry]:
        if not after:
            self._listed = await self._engine.rooms()  # once for all pages
        listed = self._listed
        entries: list[Entry] = []
        begin = bisect_right(listed, after)
        while begin < len(listed) and len(entries) < limit:
            page = listed[begin : begin + limit]
            begin += limit
            for room, message in sorted((await self._engine.lasts(page)).items()):
                stored = _read(message.data)
                if stored.n:
                    entries.append(Entry(room, stored.length, stored.events()[-1].at))
        return entries[:limit]

    # -------------------------------------------------------------------------------- following

    def follow(self, room: RoomId, heard: Heard) -> None:
        if room not in self._heads:
            self._heads[room] = _Head(heard)
            self._engine.follow(room, partial(self._hear_message, room))
        else:
            self._heads[room].heard = heard

    def unfollow(self, room: RoomId) -> None:
        if self._heads.pop(room, None) is not None:
            self._engine.unfollow(room)

    def _hear_message(self, room: RoomId, sequence: int, data: bytes) -> None:
        head = self._heads.get(room)
        if head is None or sequence <= head.sequence:
            return
        stored = _read(data)
        try:
            events = stored.events()
        except codec.Unreadable as problem:  # a newer version may have written it
            log.warning("cannot read from the store: %s", problem)
            events = []
        if stored.n and stored.n == head.length + 1:
            head.advance(stored.length, sequence)
        head.heard(stored.length, events)

    async def _keep_comparing(self) -> None:
        """Look for messages that were missed, at every doubt and every few seconds."""
        while not self._is_closing:  # a library below may swallow the cancellation of this task
            try:
                async with asyncio.timeout(COMPARE_EVERY):
                    await self._doubts.wait()
            except TimeoutError:
                pass
            self._doubts.clear()
            try:
                await self._compare()
            except Unavailable:
                self._doubts.set()
                await asyncio.sleep(SILENT_FOR)
            except Exception:
                log.exception("our fault: logs could not be compared with the engine")

    async def _compare(self) -> None:
        rooms = [room for room, head in self._heads.items() if head.length >= 0]
        for begin in range(0, len(rooms), PAGE):
            newest = await self._engine.lasts(rooms[begin : begin + PAGE])
            for room, message in newest.items():
                head = self._heads.get(room)
                if head is not None and 0 <= head.sequence < message.sequence:
                    await self._catch_up(room, head)

    async def _catch_up(self, room: RoomId, head: _Head) -> None:
        length = head.length
        try:
            events = await self.load(room, length)
        except Conflict:  # it was removed
            return
        if events:
            head.heard(length + len(events), events)

    async def close(self) -> None:
        """Wait for the appends under way, then end."""
        self._is_closing = True
        if self._under_way:
            self._all_ended = self._loop.create_future()
            await self._all_ended
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._engine.close()

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _cancel(append: _Append) -> None:
    if append.timer is not None:
        append.timer.cancel()
