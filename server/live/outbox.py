"""One peer's outbox: whole frames go straight to the socket, and nobody ever waits for a peer.

Nothing is written where it is said. At the end of the tick a ticker writes what all connections
have to say, one write for each: an answer and its state travel together, of two states in one tick
only the newer goes out, and the commands of a tick are worked through without a system call in
between. (A write wakes the peer's program, after which a processor starts cold.)

A peer that does not read fast enough is *behind*: it gets only the newest state of each room once
it has caught up, and is aborted when it makes no progress.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from time import perf_counter

from server.core.events import Person
from server.metrics import Times

BEHIND = 64 * 1024  # bytes the transport may hold before a peer counts as behind
SMALL_FRAMES = 64  # held for a peer that is behind; one more and it is aborted
LOOK_AGAIN = 0.05  # seconds between two looks at a peer that is behind
PATIENCE = 10.0  # seconds without progress before a peer is aborted
SLICE = 250  # writes before others get their turn


class Ticker:
    """Writes for all connections at the end of a tick, a large crowd in slices."""

    def __init__(self, took: Times) -> None:
        self._due: list[Connection] = []
        self._took = took

    def add(self, connection: Connection) -> None:
        if not self._due:
            asyncio.get_running_loop().call_soon(self._tick)
        self._due.append(connection)

    def _tick(self) -> None:
        begin = perf_counter()
        due, self._due = self._due[:SLICE], self._due[SLICE:]
        if self._due:
            asyncio.get_running_loop().call_soon(self._tick)
        for connection in due:
            connection.flush()
        self._took.observe(perf_counter() - begin)


def offer(about: str, frame: bytes, connections: Iterable[Connection]) -> None:
    """Give each a frame that makes every earlier one `about` the same thing superfluous."""
    for connection in connections:
        connection._newest[about] = frame
        if not connection.is_due:
            connection.is_due = True
            connection._ticker.add(connection)


def pass_on(about: str, frame: bytes, crowd: Iterable[Connection]) -> None:
    """`offer` to many, who mostly have nothing else to hear: written at once, which is cheaper."""
    for connection in crowd:
        if connection.is_due or connection.is_behind:
            connection._newest[about] = frame  # goes with the next write
        else:
            connection.write(frame)


class Connection:
    """`descriptor`: of the transport's socket, if somebody says when it is `lost`.

    Then what is said is written there, past the transport, as long as that holds nothing: this
    looks at one object less for each delivery, and so takes a sixth of the time off it.
    """

    __slots__ = (
        "_descriptor",
        "_limit",
        "_newest",
        "_patience",
        "_shortcut",
        "_small",
        "_small_at_most",
        "_stuck_at",
        "_stuck_since",
        "_ticker",
        "_transport",
        "is_behind",
        "is_due",
        "is_finished",
        "person",
    )

    def __init__(
        self,
        transport: asyncio.Transport,
        ticker: Ticker,
        *,
        descriptor: int | None = None,
        patience: float = PATIENCE,
        behind: int = BEHIND,
        small: int = SMALL_FRAMES,
    ) -> None:
        self.person: Person | None = None
        self._transport = transport
        self._descriptor = descriptor
        self._shortcut: int | None = None  # the descriptor, while the transport holds nothing
        self._ticker = ticker
        self._patience = patience
        self._limit = behind
        self._small: list[bytes] = []
        self._small_at_most = small
        self._newest: dict[str, bytes] = {}
        self.is_due = False
        self.is_finished = False
        self._stuck_at = 0
        self._stuck_since = 0.0
        self.is_behind = False

    @property
    def is_gone(self) -> bool:
        return self.is_finished or self._transport.is_closing()

    def send(self, frame: bytes) -> None:
        """A frame that must arrive, in order and before the states of this tick."""
        self._small.append(frame)
        if self.is_behind and len(self._small) > self._small_at_most:
            self.abort()
        elif not self.is_due:
            self.is_due = True
            self._ticker.add(self)

    def flush(self) -> None:
        """Write all that is held and may be written now."""
        self.is_due = False
        if self.is_behind:
            return
        held = b"".join([*self._small, *self._newest.values()])
        self._small.clear()
        self._newest.clear()
        if held:
            self.write(held)

    def write(self, frames: bytes) -> None:
        """Write now. What the socket does not take, the transport keeps until it does."""
        if self._shortcut is None:
            self._write_in_line(frames)
            return
        try:
            written = os.write(self._shortcut, frames)
        except OSError:  # it is full, or gone: the transport finds out which
            written = 0
        if written < len(frames):
            self._write_in_line(frames[written:])

    def finish(self) -> None:
        """Write what is held, and nothing more: a close frame comes next."""
        self.flush()
        self.lost()

    def abort(self) -> None:
        """Give the socket up at once; the reader notices and cleans up."""
        self.lost()
        self._small.clear()
        self._newest.clear()
        self._transport.abort()

    def lost(self) -> None:
        """Nothing more is written: the descriptor may be somebody else's soon."""
        self.is_finished = True
        self._descriptor = self._shortcut = None

    def _write_in_line(self, frames: bytes) -> None:
        """By the transport, behind what it holds."""
        self._shortcut = None
        transport = self._transport
        if self.is_finished or transport.is_closing():
            return
        transport.write(frames)
        held = transport.get_write_buffer_size()
        if not held:
            self._shortcut = self._descriptor
        elif held > self._limit:
            self._fall_behind()

    def _fall_behind(self) -> None:
        """The peer does not keep up: write nothing more until it has read."""
        loop = asyncio.get_running_loop()
        self.is_behind = True
        self._stuck_at, self._stuck_since = self._transport.get_write_buffer_size(), loop.time()
        loop.call_later(LOOK_AGAIN, self._look_again, loop)

    def _look_again(self, loop: asyncio.AbstractEventLoop) -> None:
        """Has a peer that was behind caught up, moved on, or given no sign of life?"""
        if self.is_gone or not self.is_behind:
            return
        held, now = self._transport.get_write_buffer_size(), loop.time()
        if held < self._limit // 2:
            self.is_behind = False
            self.flush()
            return
        if held < self._stuck_at:
            self._stuck_at, self._stuck_since = held, now
        elif now - self._stuck_since > self._patience:
            self.abort()
            return
        loop.call_later(LOOK_AGAIN, self._look_again, loop)
