"""Logs in one SQLite file. What was appended survives `kill -9` and a power cut.

Three threads share the work:

- **The event loop** gathers changes into a *batch*, which it hands to the writer, and later calls
  the `done` of each change.
- **The writer thread** takes all batches that are waiting, and writes their changes in as few
  commits as possible, usually one.
- **The reader thread** loads logs and lists rooms on a connection of its own, so that reading does
  not wait for a commit.

A commit with `synchronous=FULL` takes about half a millisecond, whatever is in it, so changes share
commits. While one commit is under way, the next batches queue up; the writer then takes them all. A
lone move pays for a commit, a hundred busy rooms share one. A commit of appends is one SQL
statement, so the writer thread waits for the interpreter only once.

If the writer were given the first change of a moment at once, the others would have to wait for its
commit to end. So the event loop keeps a batch open until one tick of the loop has added nothing to
it, or until it holds `ENOUGH`. Then it takes the events from the rooms and queues the batch.

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
    BadAddress,
    Conflict,
    Done,
    Entry,
    Problem,
    Store,
    Take,
    Unavailable,
    tail_of,
    wait_for,
)
from server.store.events_table import Append, EventsTable, read_log, read_rooms
from server.store.schema import File

AT_ONCE = 1_000  # events in one commit, about; one statement can insert some six thousand
ENOUGH = 100  # changes in a batch; more would hardly make a commit cheaper for each

log = logging.getLogger(__name__)

T = TypeVar("T")
Report = tuple[Done, Problem | None]  # the callback, and what to call it with


class Alone(msgspec.Struct):
    """A change that is a commit of its own: a removal, or a probe."""

    commit: Callable[[], None]
    done: Done


class Batch(msgspec.Struct):
    """Changes that the event loop hands to the writer together. `seen`: how many a tick ago."""

    loop: asyncio.AbstractEventLoop
    since: float
    changes: list[Append | Alone]
    seen: int = 0


def open(path: str, took: Times) -> SqliteStore:
    if not path:
        raise BadAddress("sqlite: needs a path, such as sqlite:noughts.db")
    return SqliteStore(Path(path), took)


class SqliteStore(Store):
    """`took` counts, for each commit, how long its oldest change waited until it was durable."""

    def __init__(self, path: Path, took: Times) -> None:
        self._took = took
        self._file = File(path)
        self._table = EventsTable(self._file.writer)
        self._batch: Batch | None = None  # the one that is still open
        self._queue: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()  # None ends the writer
        self._path = path
        self._refusing_since: float | None = None  # since when writing fails
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

    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        return tail_of(await self._read(partial(read_log, self._file.reader, room)), room, after)

    async def rooms(self, after: str = "", limit: int = 1_000) -> list[Entry]:
        return await self._read(partial(read_rooms, self._file.reader, after, limit))

    @property
    def is_refusing(self) -> bool:
        return self._refusing_since is not None

    def sizes(self) -> dict[str, int]:
        """The rooms, and the write-ahead log beside them."""
        files = {"rooms": self._path, "log": Path(f"{self._path}-wal")}
        return {what: size_of(file) for what, file in files.items()}

    async def close(self) -> None:
        """Write what was asked for, then end both threads."""
        self._close_batch()
        self._queue.put(None)
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
        if self._batch is None:
            loop = asyncio.get_running_loop()
            self._batch = Batch(loop, perf_counter(), [])
            loop.call_soon(self._gather, self._batch)
        self._batch.changes.append(change)

    def _gather(self, batch: Batch) -> None:
        """Close the batch if the last tick of the loop has added nothing, or if it is full."""
        count = len(batch.changes)
        if batch.seen < count < ENOUGH:
            batch.seen = count
            batch.loop.call_soon(self._gather, batch)
        elif batch is self._batch:
            self._close_batch()

    def _close_batch(self) -> None:
        batch, self._batch = self._batch, None
        if batch is not None:
            for change in batch.changes:
                if isinstance(change, Append):
                    change.events = change.take()
            self._queue.put(batch)

    def _report(self, since: float, reports: list[Report]) -> None:
        self._took.observe(perf_counter() - since)
        for done, problem in reports:
            try:
                done(problem)
            except Exception:  # the other callbacks must still be called
                log.exception("a callback of the store failed")

    # --------------------------------------------------------------- on the writer thread

    def _write(self) -> None:
        while (batch := self._queue.get()) is not None:
            while not self._queue.empty():
                if (more := self._queue.get()) is None:
                    self._queue.put(None)  # nothing comes after it: end after these changes
                    break
                batch.changes += more.changes
            for part in _divide(batch.changes):
                reports = self._commit(part)
                batch.loop.call_soon_threadsafe(self._report, batch.since, reports)

    def _commit(self, part: list[Append] | Alone) -> list[Report]:
        """Make one commit. If one of several appends conflicts, commit each by itself."""
        problem: Problem | None = None
        try:
            if isinstance(part, Alone):
                part.commit()
            else:
                self._table.append(part)
            if self._refusing_since is not None:
                self._recover(self._refusing_since)
        except Conflict as conflict:
            if isinstance(part, list) and len(part) > 1:
                return [report for append in part for report in self._commit([append])]
            problem = conflict
        except Exception as fault:  # whatever it is, the writer must go on
            self._log(fault)
            problem = Unavailable(str(fault))
        changes = [part] if isinstance(part, Alone) else part
        return [(change.done, problem) for change in changes]

    def _log(self, fault: Exception) -> None:
        if not isinstance(fault, sqlite3.Error):
            log.error("our fault: a commit failed", exc_info=fault)
        elif self._refusing_since is None:
            self._refusing_since = perf_counter()
            log.warning("cannot write to the store: %s", fault)

    def _recover(self, since: float) -> None:
        self._refusing_since = None
        log.warning("can write to the store again, after %.0f s", perf_counter() - since)


def size_of(file: Path) -> int:
    """The bytes of a file; 0 if there is none."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _divide(changes: list[Append | Alone]) -> Iterator[list[Append] | Alone]:
    """Divide changes into commits: about `AT_ONCE` events each, or one change that goes alone."""
    part: list[Append] = []
    size = 0
    for change in changes:
        if isinstance(change, Append):
            part.append(change)
            size += len(change.events)
            if size < AT_ONCE:
                continue
        if part:
            yield part
            part, size = [], 0
        if isinstance(change, Alone):
            yield change
    if part:
        yield part
