"""How a SQLite file of ours is laid out, and how one is opened: made, converted or refused.

Each event points to the one before it, and each room to its last. So a move writes to the end of
one table and into a short row of another, whatever the length of the log, and a room is read from
its end to its beginning. The view `log` hides that: one inserts into it and looks at it as if it
had a row for each event. An event that is not the next of its room is refused.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from server.store import CannotOpen

OURS = int.from_bytes(b"Noug")  # marks a file as ours, so that nobody else's is ever written to
SCHEMA_VERSION = 3
CHECKED = 128 * 1024 * 1024  # bytes; looking through more would keep the start waiting
BUSY_FOR = 0.5  # seconds to wait for somebody else's lock before saying that we cannot write

# A log from its end to its beginning; `of_room` may say whose.
BACK = """
WITH RECURSIVE back (room, seq, event, previous) AS (
    SELECT room, seq, event, previous FROM rooms JOIN events ON events.id = last {of_room}
    UNION ALL SELECT back.room, back.seq - 1, events.event, events.previous
        FROM back JOIN events ON events.id = back.previous
)
"""
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY, previous INTEGER, event TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS rooms (
    id INTEGER PRIMARY KEY, room TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL, last INTEGER NOT NULL
) STRICT;
CREATE VIEW IF NOT EXISTS log AS {BACK.format(of_room="")} SELECT room, seq, event FROM back;
CREATE TRIGGER IF NOT EXISTS first_event INSTEAD OF INSERT ON log WHEN new.seq = 1 BEGIN
    INSERT INTO events (event) VALUES (new.event);
    INSERT INTO rooms (room, seq, last) VALUES (new.room, 1, last_insert_rowid());
END;
CREATE TRIGGER IF NOT EXISTS next_event INSTEAD OF INSERT ON log WHEN new.seq != 1 BEGIN
    INSERT INTO events (previous, event)
        SELECT last, new.event FROM rooms WHERE room = new.room AND seq = new.seq - 1;
    UPDATE rooms SET seq = new.seq, last = last_insert_rowid()
        WHERE room = new.room AND seq = new.seq - 1;
    SELECT raise(ABORT, 'not the next event') WHERE changes() = 0;
END;
CREATE TABLE IF NOT EXISTS probe (one INTEGER PRIMARY KEY, times INTEGER NOT NULL) STRICT;
PRAGMA application_id = {OURS};
PRAGMA user_version = {SCHEMA_VERSION};
"""
# Versions 1 and 2 had a row (room, seq, event) for each event, found by room.
CONVERT = f"""
BEGIN IMMEDIATE;
DROP TRIGGER IF EXISTS no_gap;
DROP INDEX IF EXISTS log;
DROP TABLE IF EXISTS rooms;
ALTER TABLE events RENAME TO old;
{SCHEMA}
INSERT INTO log (room, seq, event) SELECT room, seq, event FROM old ORDER BY room, seq;
DROP TABLE old;
COMMIT;
"""


def open_file(path: Path) -> tuple[sqlite3.Connection, sqlite3.Connection]:
    """One connection to write and one to read; `CannotOpen` says what is wrong with the file."""
    writer = _connect(path)
    try:
        _prepare(writer, path)
        return writer, _connect(path)
    except CannotOpen:
        writer.close()
        raise


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
        if path.stat().st_size <= CHECKED:
            [sound] = writer.execute("PRAGMA quick_check(1)").fetchone()
            if sound != "ok":
                raise CannotOpen(f"{path} is damaged: {' '.join(sound.split())}")
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA synchronous = FULL")
        writer.executescript(CONVERT if version in (1, 2) else SCHEMA)
    except sqlite3.Error as problem:
        raise _cannot_use(path, problem) from problem


def _cannot_use(path: Path, problem: sqlite3.Error) -> CannotOpen:
    return CannotOpen(f"cannot use {path} as a store: {problem}")
