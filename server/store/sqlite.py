"""Logs in one SQLite file. What is appended survives `kill -9` and a power cut.

A commit with `synchronous=FULL` costs half a millisecond, whatever is in it. So one writer thread
takes everything that has queued up since its last commit and writes it as one statement, which is
one transaction: a lone move pays for a commit, a hundred busy rooms share one. It also lets go of
the interpreter only once, and so does not wait for the event loop between its steps. And it is not
given the first change of many: not before the event loop has heard everybody who has something to
say just now.

What a commit writes is told in `events_table.py`, how the file is laid out in `schema.py`.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from server import codec
from server.core.events import Event
from server.core.room import RoomId
from server.metrics import Times
from server.store import CannotOpen, Conflict, Done, Entry, Store, Take, Unavailable, wait_for
from server.store.events_table import Change, EventsTable
from server.store.schema import open_file

AT_ONCE = 1_000  # events in one commit, about; SQLite takes some six thousand in a statement
ENOUGH = 100  # changes; to wait for more would make a commit hardly cheaper for each

LOAD = """
WITH RECURSIVE head (id) AS (
    SELECT last FROM rooms WHERE room = ?1 UNION ALL SELECT id FROM unindexed WHERE room = ?1
), back (seq, event, previous) AS (
    SELECT seq, event, previous FROM events WHERE id = (SELECT max(id) FROM head)
    UNION ALL SELECT events.seq, events.event, events.previous
        FROM back JOIN events ON events.id = back.previous
)
SELECT seq, event FROM back ORDER BY seq
"""
ROOMS = """
WITH heads (room, id) AS (
    SELECT * FROM (SELECT room, last FROM rooms WHERE room > ?1 ORDER BY room LIMIT ?2)
    UNION ALL SELECT room, id FROM unindexed WHERE room > ?1
), latest (room, id) AS (SELECT room, max(id) FROM heads GROUP BY room ORDER BY room LIMIT ?2)
SELECT events.room, seq, json_extract(event, '$.at') FROM latest JOIN events USING (id)
    ORDER BY events.room
"""

log = logging.getLogger(__name__)

T = TypeVar("T")


_Tick = tuple[float, list[Change]]  # since when, and what


def open(path: str, took: Times) -> SqliteStore:
    if not path:
        raise CannotOpen("sqlite: wants a path behind it, such as sqlite:noughts.db")
    return SqliteStore(Path(path), took)


class SqliteStore(Store):
    def __init__(self, path: Path, took: Times) -> None:
        self._took = took
        self._writer, self._reader = open_file(path)
        self._table = EventsTable(self._writer)
        self._changes: list[Change] = []  # which the writer has not been given yet
        self._looked_at = 0  # how many of them a turn of the loop ago
        self._queue: queue.SimpleQueue[_Tick | None] = queue.SimpleQueue()
        self._reading = ThreadPoolExecutor(1, "store-reader")
        self._since = 0.0  # when the first of them came
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._write, name="store-writer", daemon=True)

    # ------------------------------------------------------------------ on the event loop

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        self._ask(Change(room, expected, take, done))

    async def remove(self, room: RoomId, expected: int) -> None:
        def begin(done: Callable[[Exception | None], None]) -> None:
            self._ask(Change(room, expected, None, done))

        await wait_for(begin)

    def _ask(self, change: Change) -> None:
        if not self._changes:
            if self._loop is None:
                loop = asyncio.get_running_loop()
                self._thread.start()
                self._loop = loop
            self._since = perf_counter()
            self._loop.call_soon(self._look, self._loop)
        self._changes.append(change)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wait for a turn of the loop that brings nothing more, or for enough."""
        count = len(self._changes)
        if self._looked_at < count < ENOUGH:
            self._looked_at = count
            loop.call_soon(self._look, loop)
        else:
            self._hand_over()

    def _hand_over(self) -> None:
        if self._changes:
            for change in self._changes:
                if change.take is not None:
                    change.events = change.take()
            self._queue.put((self._since, self._changes))
            self._changes = []
            self._looked_at = 0

    async def can_write(self) -> bool:
        try:
            await self.append_and_wait(RoomId(""), 0, ())  # nothing at all, but written
        except Unavailable:
            return False
        return True

    async def load(self, room: RoomId) -> list[Event]:
        def load() -> list[Event]:
            rows = self._reader.execute(LOAD, (room,)).fetchall()
            if rows and rows[-1][0] != len(rows):
                raise codec.Unreadable(f"the log of room {room} is not whole")
            return [codec.read(text) for _, text in rows]

        return await self._read(load)

    async def rooms(self, after: str = "", limit: int = 1_000) -> list[Entry]:
        def load() -> list[Entry]:
            return [Entry(*row) for row in self._reader.execute(ROOMS, (after, limit))]

        return await self._read(load)

    async def close(self) -> None:
        if self._thread.is_alive():
            self._hand_over()
            self._queue.put(None)
            await asyncio.to_thread(self._thread.join)
        self._reading.shutdown()
        self._reader.close()
        self._writer.close()

    async def _read(self, load: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._reading, load)
        except (sqlite3.Error, codec.Unreadable) as problem:
            log.warning("cannot read from the store: %s", problem)
            raise Unavailable(str(problem)) from problem

    # --------------------------------------------------------------- on the writer thread

    def _write(self) -> None:
        while (tick := self._queue.get()) is not None:
            since, changes = tick
            while not self._queue.empty():
                if (more := self._queue.get()) is None:
                    self._queue.put(None)  # the end: there is nothing behind it
                    break
                changes += more[1]
            for batch in _batches(changes):
                outcomes = self._commit(batch)
                assert self._loop is not None
                self._loop.call_soon_threadsafe(self._settle, since, batch, outcomes)

    def _commit(self, batch: list[Change]) -> list[Conflict | Unavailable | None]:
        """Write the whole batch at once; if one of them is in vain, then each by itself."""
        try:
            if batch[0].take is None:
                self._table.remove(batch[0].room, batch[0].expected)
            else:
                self._table.append(batch)
        except Conflict as conflict:
            if len(batch) == 1:
                return [conflict]
            return [outcome for change in batch for outcome in self._commit([change])]
        except Exception as problem:  # whatever it is, the writer must live on
            return [Unavailable(str(problem)) for _ in batch]
        return [None for _ in batch]

    # ------------------------------------------------------------------ on the event loop

    def _settle(
        self,
        since: float,
        batch: list[Change],
        outcomes: list[Conflict | Unavailable | None],
    ) -> None:
        self._took.observe(perf_counter() - since)  # who has waited longest
        for change, outcome in zip(batch, outcomes, strict=True):
            change.done(outcome)


def _batches(changes: list[Change]) -> Iterator[list[Change]]:
    """What may go into one commit each: some appends, or one removal."""
    batch: list[Change] = []
    size = 0
    for change in changes:
        if batch and (size >= AT_ONCE or change.take is None or batch[0].take is None):
            yield batch
            batch, size = [], 0
        batch.append(change)
        size += len(change.events)
    if batch:
        yield batch
