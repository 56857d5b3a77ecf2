"""What each peer is still to be sent, and one scheduler that writes it for all.

Theory of operation
-------------------
Nobody ever waits for a peer. To send is to put a frame into the peer's outbox; the scheduler writes
at the end of the tick. A round of the scheduler has two parts:

1. *Outboxes that are due*, at most SLICE of them: players, answers, and everything else that was
   sent to one peer. Each gets one write. So an answer and its state travel together, of two states
   in one tick only the newer is written, and the commands of a tick are worked through without a
   system call in between (a write wakes the peer's program, after which our caches are cold).
2. *Crowds*, at most SLICE writes in all: the spectators of a room. They mostly have nothing else to
   be sent, so the frame is written directly, and is put into an outbox only if that is due anyway
   or must not be written to. Several crowds are served by turns.

If work is left, the event loop runs once and the next round follows. So a crowd of any size delays
players by at most one slice.

An outbox holds two kinds of frames. *Queued* frames, such as answers, all arrive, in their order.
Of states, and of other frames about one thing, only the newest counts. If the peer does not read
fast enough, the transport pauses us as it would any asyncio protocol. Until it resumes, the peer is
*behind*: its queue waits, and of each room only the newest state is kept. A peer that is behind is
aborted if its queue gets too long, or if it has read nothing for `patience` seconds.

For example, a room has 600 spectators and a move is played: the first round writes to both players
and to 250 spectators. Now the next move is played. The second round writes it to both players, then
to 250 of the 350 spectators who had not seen the first move, and who never will. The third round
serves the other 100 of them and 150 of those who saw the first move, and the fourth the last 100.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import Enum
from itertools import islice
from time import perf_counter

from server.core.events import Person
from server.metrics import Times

SLICE = 250  # writes before the event loop runs again
LOOK_EVERY = 0.5  # seconds between two looks at a peer that is behind

log = logging.getLogger(__name__)


class Phase(Enum):
    """Where an outbox is. Only an idle one may be written to directly."""

    IDLE = "nothing is held"
    DUE = "what is held is written at the end of the tick"
    BEHIND = "nothing is written until the peer has read"
    FINISHED = "nothing is written any more"


IDLE, DUE, BEHIND, FINISHED = Phase  # a name is found sooner than a member of an enum


class Scheduler:
    """Writes for all outboxes of a process.

    A peer that is behind may have `queue_limit` frames waiting, and read nothing for `patience`
    seconds. `took` observes how long each round takes.
    """

    def __init__(self, took: Times, *, patience: float, queue_limit: int) -> None:
        self.patience = patience
        self.queue_limit = queue_limit
        self._took = took
        self._due: list[Outbox] = []
        self._crowds: dict[Crowd, None] = {}
        self._is_scheduled = False  # a round is to come

    def add(self, outbox: Outbox) -> None:
        """Flush this outbox at the end of the tick."""
        self._due.append(outbox)
        if not self._is_scheduled:
            self._schedule_round()

    def add_crowd(self, crowd: Crowd) -> None:
        """Serve this crowd, behind all outboxes that are due. Once, however often it is added."""
        self._crowds[crowd] = None
        if not self._is_scheduled:
            self._schedule_round()

    def _schedule_round(self) -> None:
        self._is_scheduled = True
        asyncio.get_running_loop().call_soon(self._run_round)

    def _run_round(self) -> None:
        begin = perf_counter()
        try:
            due, self._due = self._due[:SLICE], self._due[SLICE:]
            for outbox in due:
                outbox.flush()
            if self._crowds:
                self._serve_crowds()
        finally:
            self._is_scheduled = False
            if self._due or self._crowds:
                self._schedule_round()
        self._took.observe(perf_counter() - begin)

    def _serve_crowds(self) -> None:
        left = SLICE
        while self._crowds and left > 0:
            crowd = next(iter(self._crowds))
            del self._crowds[crowd]
            left -= crowd.serve(left)
            if crowd.is_waiting:
                self._crowds[crowd] = None


class Outbox:
    """What one peer is still to be sent. `person` is known from its hello on.

    `is_gone`: the peer has been dropped, and follows nothing any more.
    """

    __slots__ = (
        "_newest",
        "_phase",
        "_progress_timer",
        "_queue",
        "_transport",
        "is_gone",
        "person",
        "scheduler",
    )

    def __init__(self, transport: asyncio.WriteTransport, scheduler: Scheduler) -> None:
        self.person: Person | None = None
        self.scheduler = scheduler
        self.is_gone = False
        self._transport = transport
        self._phase = IDLE
        self._queue: list[bytes] = []
        self._newest: dict[str, bytes] = {}
        self._progress_timer: asyncio.TimerHandle | None = None  # while the peer is behind

    @property
    def is_behind(self) -> bool:
        return self._phase is BEHIND

    @property
    def held(self) -> int:
        """How many bytes wait for this peer, here and in the transport."""
        waiting = sum(map(len, self._queue)) + sum(map(len, self._newest.values()))
        return waiting + self._transport.get_write_buffer_size()

    def send(self, frame: bytes) -> None:
        """Send a frame that must arrive, in order and before the states of this tick."""
        self._queue.append(frame)
        if self._phase is DUE:
            return
        if self._phase is IDLE:
            self._phase = DUE
            self.scheduler.add(self)
        elif self._phase is FINISHED:
            self._queue.clear()
        elif len(self._queue) > self.scheduler.queue_limit:
            self.abort()

    def flush(self) -> None:
        """Write all that is held, if it is due."""
        if self._phase is DUE:
            self._phase = IDLE
            self._queue += self._newest.values()
            held = b"".join(self._queue)
            self._queue.clear()
            self._newest.clear()
            try:
                self.put(held)
            except Exception as fault:
                self._fail(fault)

    def finish(self, last: bytes) -> None:
        """Write what is held and the last frame, and nothing more."""
        if self._phase is not FINISHED:
            self._phase = DUE
            self._newest[""] = last
            self.flush()
            self.stop()

    def abort(self) -> None:
        """Give up a peer whose connection is not lost yet."""
        self.stop()
        self._transport.abort()

    def stop(self) -> None:
        """Write nothing more. Must be called in `connection_lost`, before the kernel can reuse the
        descriptor.
        """
        self._phase = FINISHED
        self._queue.clear()
        self._newest.clear()
        self._stop_checking()

    def put(self, frames: bytes) -> None:
        """Write now. The transport keeps what the socket does not take."""
        self._transport.write(frames)

    def _fail(self, fault: Exception) -> None:
        """One peer's fault is nobody else's loss."""
        log.error("our fault: a peer cannot be written to", exc_info=fault)
        with suppress(Exception):
            self.abort()

    # --------------------------------------------------------------------------- a peer behind

    def pause(self) -> None:
        """The transport holds too much for this peer: write nothing until it resumes."""
        if self._phase is not FINISHED:
            self._phase = BEHIND
            self._stop_checking()
            now = asyncio.get_running_loop().time()
            self._check_progress(self._transport.get_write_buffer_size(), 0.0, now)

    def resume(self) -> None:
        """The peer has caught up."""
        self._stop_checking()
        if self._phase is BEHIND:
            self._phase = DUE
            self.flush()

    def _check_progress(self, held: int, waited: float, looked: float) -> None:
        """Abort a peer that reads nothing. `waited`: for how long, until the last look.

        If this look is late, our own loop stood still. That is not the peer's doing.
        """
        loop = asyncio.get_running_loop()
        still, now = self._transport.get_write_buffer_size(), loop.time()
        if still < held:
            held, waited = still, 0.0
        else:
            waited += min(now - looked, 2 * LOOK_EVERY)
        if waited < self.scheduler.patience:
            look = self._check_progress
            self._progress_timer = loop.call_later(LOOK_EVERY, look, held, waited, now)
        else:
            self.abort()

    def _stop_checking(self) -> None:
        if self._progress_timer is not None:
            self._progress_timer.cancel()
            self._progress_timer = None


def offer(about: str, frame: bytes, outboxes: Iterable[Outbox]) -> None:
    """Send a frame that makes every earlier one `about` the same thing superfluous."""
    for outbox in outboxes:
        outbox._newest[about] = frame
        if outbox._phase is IDLE:
            outbox._phase = DUE
            outbox.scheduler.add(outbox)


class Crowd:
    """Outboxes that are all shown the same thing, in slices. Of two frames the newer counts."""

    __slots__ = ("_about", "_frame", "_late", "_members")

    def __init__(self, about: str) -> None:
        self._about = about
        self._members: dict[Outbox, None] = {}
        self._frame = b""  # what some of them have not had yet
        self._late: Iterator[Outbox] | None = None  # these; None stands for all

    def __contains__(self, outbox: Outbox) -> bool:
        return outbox in self._members

    def __iter__(self) -> Iterator[Outbox]:
        return iter(self._members)

    @property
    def is_waiting(self) -> bool:
        return bool(self._frame)

    def add(self, outbox: Outbox) -> None:
        """From the next frame on. A newcomer is shown what there is by whoever adds it."""
        if self._frame and self._late is None:
            self._late = iter(tuple(self._members))
        self._members[outbox] = None

    def remove(self, outbox: Outbox) -> None:
        del self._members[outbox]

    def show(self, frame: bytes) -> None:
        """Send the newest frame to all members. Those who have missed the last one go first."""
        if not self._members:
            return
        if self._late is not None:
            late = dict.fromkeys(self._late)
            self._late = iter([*late, *(one for one in self._members if one not in late)])
        self._frame = frame
        next(iter(self._members)).scheduler.add_crowd(self)  # all outboxes share one

    def serve(self, most: int) -> int:
        """Write to the next of them, at most so many. Returns how many that were."""
        about, frame, members = self._about, self._frame, self._members
        if self._late is None:  # not sooner: this looks at each, which may take a while
            self._late = iter(tuple(members))
        next_members = list(islice(self._late, most))
        for outbox in next_members:
            if outbox not in members:
                continue
            if outbox._phase is not IDLE:
                outbox._newest[about] = frame  # goes with the next write
                continue
            try:
                outbox.put(frame)
            except Exception as fault:
                outbox._fail(fault)
        if len(next_members) < most:
            self._frame, self._late = b"", None
        return len(next_members)
