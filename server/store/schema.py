"""The layout of a SQLite file: create it, convert an older one, refuse what is not ours.

`events_table.py` explains what the tables are for.
"""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from server.store import CannotOpen
from server.store.lock import Lock

OURS = int.from_bytes(b"Noug")  # SQLite's mark for the program that a file belongs to
SCHEMA_VERSION = 4
CHECKED = 128 * 1024 * 1024  # bytes; checking a larger file would delay the start
BUSY_FOR = 0.5  # seconds to wait for another program's lock before a write fails

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY, room TEXT NOT NULL, seq INTEGER NOT NULL, previous INTEGER,
    event TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS rooms (
    last INTEGER PRIMARY KEY, room TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL
) STRICT;
CREATE VIEW IF NOT EXISTS unindexed AS
    SELECT * FROM events WHERE id > (SELECT coalesce(max(last), 0) FROM rooms);
CREATE VIEW IF NOT EXISTS log AS SELECT room, seq, event FROM events;
CREATE TABLE IF NOT EXISTS probe (one INTEGER PRIMARY KEY, times INTEGER NOT NULL) STRICT;
PRAGMA application_id = {OURS};
PRAGMA user_version = {SCHEMA_VERSION};
"""
UPDATE_INDEX = """
INSERT INTO rooms (last, room, seq) SELECT max(id), room, max(seq) FROM unindexed GROUP BY room
    ON CONFLICT (room) DO UPDATE SET last = excluded.last, seq = excluded.seq
"""
# In version 3 an event did not name its room. The index did not lag, and leads to every event.
FROM_3 = f"""
BEGIN IMMEDIATE;
CREATE TEMP TABLE whose AS
WITH RECURSIVE back (id, room, seq, previous) AS (
    SELECT events.id, room, seq, previous FROM rooms JOIN events ON events.id = last
    UNION ALL SELECT events.id, back.room, back.seq - 1, events.previous
        FROM back JOIN events ON events.id = back.previous
)
SELECT id, room, seq FROM back ORDER BY id;
DROP VIEW log;
DROP TABLE rooms;
ALTER TABLE events RENAME TO old;
{SCHEMA}
INSERT INTO events SELECT id, room, seq, previous, event FROM whose JOIN old USING (id);
DROP TABLE whose;
DROP TABLE old;
COMMIT;
"""
# Versions 1 and 2 had rows (room, seq, event). A file with a gap is refused: a row after it would
# have no seq.
FROM_2 = f"""
BEGIN IMMEDIATE;
DROP TRIGGER IF EXISTS no_gap;
DROP INDEX IF EXISTS log;
DROP TABLE IF EXISTS rooms;
ALTER TABLE events RENAME TO old;
{SCHEMA}
INSERT INTO events (id, room, seq, previous, event)
    SELECT id, room, CASE seq WHEN place THEN seq END, CASE WHEN seq > 1 THEN id - 1 END, event
    FROM (
        SELECT row_number() OVER (ORDER BY room, seq) AS id, room, seq, event,
            row_number() OVER (PARTITION BY room ORDER BY seq) AS place
            FROM old
    );
DROP TABLE old;
COMMIT;
"""
TO_DATE = {1: FROM_2, 2: FROM_2, 3: FROM_3}


class File:
    """A file that this process owns until `close`, with a connection for each thread that uses it.

    Opening checks, locks and prepares it; `CannotOpen` says what is wrong with it. The check comes
    before the lock, so that no lock is left beside another program's file.
    """

    def __init__(self, path: Path) -> None:
        with ExitStack() as stack:
            try:
                _create(path)
                with closing(_connect(path)) as checking:
                    _check(checking, path)
                stack.enter_context(closing(Lock(path)))
                self.writer = stack.enter_context(closing(_connect(path)))
                _prepare(self.writer)
                self.reader = stack.enter_context(closing(_connect(path)))
            except sqlite3.Error as problem:
                raise CannotOpen(f"cannot use {path} as a store: {problem}") from problem
            self._opened = stack.pop_all()

    def close(self) -> None:
        self._opened.close()


def _create(path: Path) -> None:
    """Make a new file one that only its owner can read: it has the ids of private rooms.

    SQLite gives the files beside it the same mode. An existing file keeps its own, and is not even
    opened: to close it here would end the locks that SQLite has on it in this process.
    """
    with suppress(OSError):  # SQLite says what is wrong
        if not path.exists():
            path.touch(mode=0o600)


def _connect(path: Path) -> sqlite3.Connection:
    # Autocommit: a transaction begins where the code says so. Connections are made on one thread
    # and used on another, each on one.
    return sqlite3.connect(path, timeout=BUSY_FOR, isolation_level=None, check_same_thread=False)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Raise unless the file is new or ours, of a version that we know, and undamaged."""
    check_owner(connection, path)
    if path.stat().st_size <= CHECKED:
        [sound] = connection.execute("PRAGMA quick_check(1)").fetchone()
        if sound != "ok":
            raise CannotOpen(f"{path} is damaged: {' '.join(sound.split())}")


def check_owner(connection: sqlite3.Connection, path: Path) -> None:
    """Raise unless the file is new or ours, of a version that we know."""
    [application] = connection.execute("PRAGMA application_id").fetchone()
    [tables] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != OURS and (application or tables):
        raise CannotOpen(f"{path} is a database of another program")
    if version(connection) > SCHEMA_VERSION:
        raise CannotOpen(f"{path} was written by a newer version of this program")


def _prepare(writer: sqlite3.Connection) -> None:
    """Create or convert the tables where needed, and update the index."""
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("PRAGMA synchronous = FULL")
    writer.executescript(TO_DATE.get(version(writer), SCHEMA))
    writer.execute(UPDATE_INDEX)


def version(connection: sqlite3.Connection) -> int:
    [version] = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
