"""Appends to logs in an engine that several nodes share, each until it is answered.

Theory of operation
-------------------

An append is one message with all its events, so they are stored together or not at all. It names
the sequence at which the log had the length that its caller expects (`heads.py`). If another node
has appended since, the engine refuses it as a conflict.

An engine may answer late, or not at all, whether or not the message was stored. The same message is
then sent again. It cannot be stored twice: the second one names a sequence that is no longer the
last. After such a conflict the message behind that sequence is read. If it is the same, it was
stored before, and all is well.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from server.core.room import RoomId
from server.fleet.engine import Answer, Engine, Refusal
from server.fleet.heads import Head, read, write
from server.metrics import Times
from server.store import Conflict, Done, Problem, Take, Unavailable

AGAIN_AFTER = (0.005, 0.02, 0.08, 0.3)  # seconds before a refused message is sent again
SILENT_FOR = 0.5  # seconds without an answer, after which a message is sent again
GIVE_UP_AFTER = 2.0  # seconds

log = logging.getLogger(__name__)


class Append:
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


Find = Callable[[Append], Awaitable[None]]


class Appends:
    """All appends under way.

    `took` observes how long each waited until it was durable. `on_end` is called after each, with
    whether the engine did not answer.
    """

    def __init__(
        self,
        engine: Engine,
        heads: Mapping[RoomId, Head],
        took: Times,
        on_end: Callable[[bool], None],
    ) -> None:
        self._engine = engine
        self._heads = heads
        self._took = took
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._under_way = 0
        self._unanswered: set[Append] = set()  # were sent, and may have to be sent again
        self._all_ended: asyncio.Future[None] | None = None

    def begin(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        self._under_way += 1
        self._loop.call_soon(self._take, room, expected, take, done)

    def _take(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        events = take()
        append = Append(room, expected, write(expected, events), done, self._loop.time())
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

    def _look_up(self, append: Append, find: Find) -> None:
        """Go on with an append as soon as something is found out."""
        self._unanswered.discard(append)
        task = self._loop.create_task(self._go_on(append, find))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _go_on(self, append: Append, find: Find) -> None:
        """Find out what is needed. If that fails, the append ends all the same."""
        try:
            await find(append)
        except Unavailable as problem:
            self._end(append, problem)
        except Exception as problem:
            log.exception("our fault: an append cannot go on")
            self._end(append, Unavailable(str(problem)))

    async def _find_last(self, append: Append) -> None:
        """Look up the sequence that an append has to name, and send it."""
        last = await self._engine.last(append.room)
        if append.is_over:
            return
        length = 0 if last is None else read(last.data).length
        if length == append.expected and last is not None:
            append.last = last.sequence
            self._send(append)
        else:
            self._end(append, Conflict(append.room))

    async def _find_own(self, append: Append) -> None:
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

    def _send(self, append: Append) -> None:
        append.tries += 1
        self._unanswered.add(append)
        append.timer = self._loop.call_later(SILENT_FOR, self._send_again, append)
        self._engine.append(append.room, append.last, append.data, partial(self._hear, append))

    def send_again(self) -> None:
        """Messages may have been lost: send again at once what was not answered."""
        for append in tuple(self._unanswered):
            _cancel(append)
            self._send_again(append)

    def _send_again(self, append: Append) -> None:
        if self._loop.time() - append.since < GIVE_UP_AFTER:
            self._send(append)
        else:
            self._end(append, Unavailable("the engine does not answer"))

    def _hear(self, append: Append, answer: Answer) -> None:
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

    def _end(self, append: Append, problem: Problem | None) -> None:
        if append.is_over:
            return
        append.is_over = True
        self._under_way -= 1
        self._unanswered.discard(append)
        _cancel(append)
        self._on_end(isinstance(problem, Unavailable))
        if problem is None:
            self._took.observe(self._loop.time() - append.since)
        try:
            append.done(problem)
        except Exception:
            log.exception("a callback of the store failed")
        if self._all_ended is not None and not self._under_way:
            self._all_ended.set_result(None)

    async def close(self) -> None:
        """Wait for the appends under way."""
        if self._under_way:
            self._all_ended = self._loop.create_future()
            await self._all_ended
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _cancel(append: Append) -> None:
    if append.timer is not None:
        append.timer.cancel()
