"""Logs in one SQLite file. What is appended survives `kill -9` and a power cut.

A commit with `synchronous=FULL` costs half a millisecond, whatever is in it. So one writer thread
takes everything that has queued up since its last commit and commits it as one transaction: a lone
move pays for a commit, a hundred busy rooms share one.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from server import codec
from server.core.events import Event
from server.core.room import RoomId
from server.store import CannotOpen, Conflict, Entry, Unavailable

OURS = int.from_bytes(b"Noug")  # marks a file as ours, so that nobody else's is ever written to
SCHEMA_VERSION = 1
BUSY_FOR = 1.0  # seconds to wait for somebody else's lock before saying that we cannot write

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS rooms (
    room TEXT PRIMARY KEY, seq INTEGER NOT NULL, changed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
    room TEXT NOT NULL, seq INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (room, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS probe (one INTEGER PRIMARY KEY, times INTEGER NOT NULL) STRICT;
PRAGMA application_id = {OURS};
PRAGMA user_version = {SCHEMA_VERSION};
"""

T = TypeVar("T")


class _Append(NamedTuple):
    room: RoomId
    expected: int
    changed: int
    events: list[str]
    done: asyncio.Future[None]


def open(path: str) -> SqliteStore:
    if not path:
        raise CannotOpen("sqlite: wants a path behind it, such as sqlite:noughts.db")
    return SqliteStore(Path(path))


class SqliteStore:
    def __init__(self, path: Path) -> None:
        self._writer = _connect(path)
        try:
            _prepare(self._writer, path)
            self._reader = _connect(path)
        except CannotOpen:
            self._writer.close()
            raise
        self._queue: queue.SimpleQueue[_Append | None] = queue.SimpleQueue()
        self._reading = ThreadPoolExecutor(1, "store-reader")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._write, name="store-writer", daemon=True)

    # ------------------------------------------------------------------ on the event loop

    async def append(self, room: RoomId, expected: int, events: Sequence[Event]) -> None:
        if not events:
            return
        texts = [msgspec.json.encode(codec.encode(event)).decode() for event in events]
        await self._enqueue(room, expected, events[-1].at, texts)

    async def can_write(self) -> bool:
        try:
            await self._enqueue(RoomId(""), 0, 0, [])
        except Unavailable:
            return False
        return True

    async def load(self, room: RoomId) -> list[Event]:
        def load() -> list[Event]:
            query = "SELECT event FROM events WHERE room = ? ORDER BY seq"
            rows = self._reader.execute(query, (room,))
            return [codec.decode(msgspec.json.decode(text)) for (text,) in rows]

        return await self._read(load)

    async def rooms(self, limit: int = 1_000) -> list[Entry]:
        def load() -> list[Entry]:
            query = "SELECT room, seq, changed FROM rooms ORDER BY changed DESC LIMIT ?"
            return [Entry(*row) for row in self._reader.execute(query, (limit,))]

        return await self._read(load)

    async def close(self) -> None:
        if self._thread.is_alive():
            self._queue.put(None)
            await asyncio.to_thread(self._thread.join)
        self._reading.shutdown()
        self._reader.close()
        self._writer.close()

    async def _enqueue(self, room: RoomId, expected: int, changed: int, texts: list[str]) -> None:
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._thread.start()
        done = self._loop.create_future()
        self._queue.put(_Append(room, expected, changed, texts, done))
        await done

    async def _read(self, load: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._reading, load)
        except sqlite3.Error as problem:
            raise Unavailable(str(problem)) from problem

    # --------------------------------------------------------------- on the writer thread

    def _write(self) -> None:
        assert self._loop is not None
        while (first := self._queue.get()) is not None:
            batch = [first]
            stop = False
            while not self._queue.empty() and not stop:
                item = self._queue.get()
                if item is None:
                    stop = True
                else:
                    batch.append(item)
            outcomes = self._commit(batch)
            self._loop.call_soon_threadsafe(_settle, batch, outcomes)
            if stop:
                break

    def _commit(self, batch: list[_Append]) -> list[Exception | None]:
        """Commit the whole batch in one transaction; a conflict in one append spares the others."""
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            outcomes = [self._insert(append) for append in batch]
            self._writer.execute("COMMIT")
        except Exception as problem:  # whatever it is, the writer must live on
            self._undo()
            return [Unavailable(str(problem)) for _ in batch]
        return outcomes

    def _insert(self, append: _Append) -> Exception | None:
        if not append.events:
            self._writer.execute(
                "INSERT INTO probe VALUES (1, 1) ON CONFLICT DO UPDATE SET times = times + 1"
            )
            return None
        last = append.expected + len(append.events)
        if append.expected == 0:
            fence = "INSERT OR IGNORE INTO rooms (seq, changed, room) VALUES (?, ?, ?)"
            mine = self._writer.execute(fence, (last, append.changed, append.room))
        else:
            fence = "UPDATE rooms SET seq = ?, changed = ? WHERE room = ? AND seq = ?"
            mine = self._writer.execute(fence, (last, append.changed, append.room, append.expected))
        if mine.rowcount != 1:
            return Conflict(append.room)
        self._writer.executemany(
            "INSERT INTO events VALUES (?, ?, ?)",
            [
                (append.room, seq, event)
                for seq, event in enumerate(append.events, append.expected + 1)
            ],
        )
        return None

    def _undo(self) -> None:
        if self._writer.in_transaction:  # a full disk has rolled back by itself
            with suppress(sqlite3.Error):
                self._writer.execute("ROLLBACK")


def _settle(batch: list[_Append], outcomes: list[Exception | None]) -> None:
    for append, outcome in zip(batch, outcomes, strict=True):
        if append.done.cancelled():
            continue
        if outcome is None:
            append.done.set_result(None)
        else:
            append.done.set_exception(outcome)


def _connect(path: Path) -> sqlite3.Connection:
    # Autocommit: transactions begin where the code says so. Each connection stays on one thread
    # once the store is open.
    try:
        return sqlite3.connect(
            path, timeout=BUSY_FOR, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as problem:
        raise _cannot_use(path, problem) from problem


def _prepare(writer: sqlite3.Connection, path: Path) -> None:
    try:
        [application] = writer.execute("PRAGMA application_id").fetchone()
        [tables] = writer.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application != OURS and (application or tables):
            raise CannotOpen(f"{path} is a database of another program")
        [version] = writer.execute("PRAGMA user_version").fetchone()
        if version > SCHEMA_VERSION:
            raise CannotOpen(f"{path} was written by a newer version of this program")
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA synchronous = FULL")
        writer.executescript(SCHEMA)
    except sqlite3.Error as problem:
        raise _cannot_use(path, problem) from problem


def _cannot_use(path: Path, problem: sqlite3.Error) -> CannotOpen:
    return CannotOpen(f"cannot use {path} as a store: {problem}")
