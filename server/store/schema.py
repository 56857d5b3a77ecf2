"""How a SQLite file of ours is laid out, and how one is opened: made, converted or refused.

There is one log of everything: the events of all rooms, in the order in which they were written.
So a commit writes to the end of one table, whatever the rooms. Each event points to the one before
it in its room, and an index names the last of each room. The index is a fold over the log, and is
brought up to date now and then: until then the events behind it are looked through. It knows all
up to the highest number that it holds. `removals` counts the rooms that were taken out again.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from server.store import CannotOpen

OURS = int.from_bytes(b"Noug")  # marks a file as ours, so that nobody else's is ever written to
SCHEMA_VERSION = 4
CHECKED = 128 * 1024 * 1024  # bytes; looking through more would keep the start waiting
BUSY_FOR = 0.5  # seconds to wait for somebody else's lock before saying that we cannot write

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
CREATE TABLE IF NOT EXISTS removals (one INTEGER PRIMARY KEY, times INTEGER NOT NULL) STRICT;
INSERT OR IGNORE INTO removals VALUES (1, 0);
CREATE TABLE IF NOT EXISTS probe (one INTEGER PRIMARY KEY, times INTEGER NOT NULL) STRICT;
PRAGMA application_id = {OURS};
PRAGMA user_version = {SCHEMA_VERSION};
"""
INDEX = """
INSERT INTO rooms (last, room, seq) SELECT max(id), room, max(seq) FROM unindexed GROUP BY room
    ON CONFLICT (room) DO UPDATE SET last = excluded.last, seq = excluded.seq
"""
# Version 3 knew whose an event is only by way of the index, which did not lag.
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
# Versions 1 and 2 had a row (room, seq, event) for each event, found by room. One that has a gap
# is refused, for want of a seq.
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
        writer.executescript(TO_DATE.get(version, SCHEMA))
        writer.execute(INDEX)
    except sqlite3.Error as problem:
        raise _cannot_use(path, problem) from problem


def _cannot_use(path: Path, problem: sqlite3.Error) -> CannotOpen:
    return CannotOpen(f"cannot use {path} as a store: {problem}")
