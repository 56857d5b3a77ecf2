"""Logs in one SQLite file. What was appended survives `kill -9` and a power cut.

Three threads share the work:

- **The event loop** takes appends and gathers them into a *tick*. Later it calls each `done`.
- **The writer thread** takes every tick that is waiting and commits its changes, together.
- **The reader thread** loads logs and lists rooms on a connection of its own, so that reading
  never waits for a commit.

A commit with `synchronous=FULL` takes about half a millisecond, whatever is in it. So changes share
commits: while one is under way, the next ticks queue up, and the writer then takes all of them. A
hundred busy rooms pay for one commit. It is one SQL statement, so the writer thread competes for
the interpreter only once.

If the writer were given the first change of a tick at once, all others would wait for its commit to
end. So a tick stays open until one turn of the event loop has brought no further change, or until
it holds `ENOUGH`. Only then are the events taken from the rooms.

`events_table.py` has what a commit writes, `schema.py` the layout of the file.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import msgspec

from server import codec
from server.core.events import Event
from server.core.room import RoomId
from server.metrics import Times
from server.store import (
    CannotOpen,
    Conflict,
    Done,
    Entry,
    Problem,
    Store,
    Take,
    Unavailable,
    wait_for,
)
from server.store.events_table import Append, EventsTable, read_log, read_rooms
from server.store.schema import open_file

AT_ONCE = 1_000  # events in one commit, about; one statement can insert some six thousand
ENOUGH = 100  # changes in a tick; more would hardly make a commit cheaper for each

log = logging.getLogger(__name__)

T = TypeVar("T")
Outcome = tuple[Done, Problem | None]


class Alone(msgspec.Struct):
    """A change that is a commit of its own: a removal, or a probe."""

    commit: Callable[[], None]
    done: Done


class Tick(msgspec.Struct):
    """The changes of one moment. `seen` is how many there were a turn of the loop ago."""

    loop: asyncio.AbstractEventLoop
    since: float
    changes: list[Append | Alone]
    seen: int = 0


def open(path: str, took: Times) -> SqliteStore:
    if not path:
        raise CannotOpen("sqlite: needs a path, such as sqlite:noughts.db")
    return SqliteStore(Path(path), took)


class SqliteStore(Store):
    """`took` counts, for each commit, how long its first change has waited until it was durable."""

    def __init__(self, path: Path, took: Times) -> None:
        self._took = took
        self._file = open_file(path)
        self._table = EventsTable(self._file.writer)
        self._open_tick: Tick | None = None
        self._ticks: queue.SimpleQueue[Tick | None] = queue.SimpleQueue()  # None ends the writer
        self._writer = threading.Thread(target=self._write, name="store-writer", daemon=True)
        self._reader = ThreadPoolExecutor(1, "store-reader")
        self._writer.start()

    # ------------------------------------------------------------------ on the event loop

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        self._ask(Append(room, expected, take, done))

    async def remove(self, room: RoomId, expected: int) -> None:
        await self._commit_alone(partial(self._table.remove, room, expected))

    async def can_write(self) -> bool:
        try:
            await self._commit_alone(self._table.probe)
        except Unavailable:
            return False
        return True

    async def load(self, room: RoomId) -> list[Event]:
        return await self._read(partial(read_log, self._file.reader, room))

    async def rooms(self, after: str = "", limit: int = 1_000) -> list[Entry]:
        return await self._read(partial(read_rooms, self._file.reader, after, limit))

    async def close(self) -> None:
        """Write what was asked for, then end both threads."""
        self._close_tick()
        self._ticks.put(None)
        await asyncio.to_thread(self._writer.join)
        self._reader.shutdown()
        self._file.close()

    async def _commit_alone(self, commit: Callable[[], None]) -> None:
        def begin(done: Callable[[Exception | None], None]) -> None:
            self._ask(Alone(commit, done))

        await wait_for(begin)

    async def _read(self, read: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._reader, read)
        except (sqlite3.Error, codec.Unreadable) as problem:
            log.warning("cannot read from the store: %s", problem)
            raise Unavailable(str(problem)) from problem

    def _ask(self, change: Append | Alone) -> None:
        if self._open_tick is None:
            loop = asyncio.get_running_loop()
            self._open_tick = Tick(loop, perf_counter(), [])
            loop.call_soon(self._gather, self._open_tick)
        self._open_tick.changes.append(change)

    def _gather(self, tick: Tick) -> None:
        """Close the tick if the last turn of the loop has added nothing, or if it is full."""
        count = len(tick.changes)
        if tick.seen < count < ENOUGH:
            tick.seen = count
            tick.loop.call_soon(self._gather, tick)
        elif tick is self._open_tick:
            self._close_tick()

    def _close_tick(self) -> None:
        tick, self._open_tick = self._open_tick, None
        if tick is not None:
            for change in tick.changes:
                if isinstance(change, Append):
                    change.events = change.take()
            self._ticks.put(tick)

    def _settle(self, since: float, outcomes: list[Outcome]) -> None:
        self._took.observe(perf_counter() - since)
        for done, problem in outcomes:
            try:
                done(problem)
            except Exception:  # the others must hear of theirs
                log.exception("the end of an append could not be handled")

    # --------------------------------------------------------------- on the writer thread

    def _write(self) -> None:
        while (tick := self._ticks.get()) is not None:
            while not self._ticks.empty():
                if (more := self._ticks.get()) is None:
                    self._ticks.put(None)  # nothing comes after it: end with this tick
                    break
                tick.changes += more.changes
            for batch in _batches(tick.changes):
                outcomes = self._commit(batch)
                tick.loop.call_soon_threadsafe(self._settle, tick.since, outcomes)

    def _commit(self, batch: list[Append] | Alone) -> list[Outcome]:
        """Commit a batch. If one of several appends conflicts, commit each by itself."""
        problem: Problem | None = None
        try:
            if isinstance(batch, Alone):
                batch.commit()
            else:
                self._table.append(batch)
        except Conflict as conflict:
            if isinstance(batch, list) and len(batch) > 1:
                return [outcome for append in batch for outcome in self._commit([append])]
            problem = conflict
        except Exception as fault:  # whatever it is, the writer must go on
            problem = Unavailable(str(fault))
        changes = [batch] if isinstance(batch, Alone) else batch
        return [(change.done, problem) for change in changes]


def _batches(changes: list[Append | Alone]) -> Iterator[list[Append] | Alone]:
    """Divide changes into commits: about `AT_ONCE` events each, or one change that goes alone."""
    batch: list[Append] = []
    size = 0
    for change in changes:
        if isinstance(change, Alone):
            if batch:
                yield batch
            yield change
            batch, size = [], 0
            continue
        if size >= AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(change)
        size += len(change.events)
    if batch:
        yield batch
