"""What is in the SQLite file: how events are appended, found and removed.

Theory of operation
-------------------

There is one log for all rooms. `events` holds every event in the order of writing, under
increasing ids, so a commit adds rows at the end of one table, however many rooms it is for. Each
event has its room, its number `seq` in the room, and the id of the `previous` event of the room.

`rooms` is an index of the log: for each room its *head*, the `seq` and the id of its last event.
Updating it with every commit would make commits more expensive, so it lags. It covers every event
up to the highest id it holds; the view `unindexed` has the rest, at most about `LAG` events.

For example, the index was updated after event 7. Three appends later (B opens, somebody sits down
in A and makes a move) the tables hold:

    events                                     rooms
    id  room  seq  previous  event             last  room  seq
     7   A     1     NULL    room_opened         7    A     1
     8   B     1     NULL    room_opened
     9   A     2      7      seat_taken
    10   A     3      9      move_played

Events 8 to 10 are unindexed. To read a log, a reader finds the head and follows `previous` to the
beginning. The head is the room's last event in `unindexed` (A: 10, B: 8), or if it has none there,
the one in `rooms`.

The writer does not search. `EventsTable` remembers the head of every room that has unindexed
events (and of some others), and looks the rest up in `rooms`. An append names the length of the log
that it expects; if the head says otherwise, it is a `Conflict`.

The index is updated in the transaction of a write: when it lags too far, before a room is removed,
and after a failure. After a failure (disk full, I/O error, locked file) it is unknown how the file
ends, so the writer forgets what it remembered and reads the end of the file before it writes again.

One process owns the file (`lock.py`). Should another program write to it all the same, the next
insert finds its id taken, which is a failure like any other.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec

from server import codec
from server.core.events import Event
from server.core.room import RoomId
from server.store import Conflict, Done, Entry, Take
from server.store.schema import UPDATE_INDEX

LAG = 2_000  # events the index may be behind; a reader has to search them
REMEMBERED = 2_000  # heads to keep once the index covers them, to save look-ups

INSERT = "INSERT INTO events (id, room, seq, previous, event) VALUES (?, ?, ?, ?, ?)"
ROW = ", (?, ?, ?, ?, ?)"
PROBE = "INSERT INTO probe VALUES (1, 1) ON CONFLICT DO UPDATE SET times = times + 1"
HEAD = "SELECT seq, last FROM rooms WHERE room = ?"
INDEXED = "SELECT coalesce(max(last), 0) FROM rooms"
REMOVE_EVENTS = """
WITH RECURSIVE back (id) AS (
    SELECT last FROM rooms WHERE room = ?1 AND seq = ?2
    UNION ALL SELECT previous FROM back JOIN events USING (id) WHERE previous IS NOT NULL
)
DELETE FROM events WHERE id IN back
"""
REMOVE_ROOM = "DELETE FROM rooms WHERE room = ?1 AND seq = ?2"
LOG = """
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

_Head = tuple[int, int | None]  # how many events a room has, and the id of the last
_EMPTY: _Head = (0, None)


class Append(msgspec.Struct):
    """One append that was asked for. `events` is filled in when they are taken."""

    room: RoomId
    expected: int
    take: Take
    done: Done
    events: Sequence[Event] = ()


class EventsTable:
    """The writer's side. Each method is one commit; a `Conflict` changes nothing."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._next: int | None = None  # the id of the next event; None if it is unknown
        self._indexed = 0  # the highest id that the index covers
        self._heads: dict[RoomId, _Head] = {}  # also of every room with unindexed events

    def append(self, appends: list[Append]) -> None:
        """Write the events of all of these; `Conflict` if one of the expected lengths is wrong."""
        with self._forgetting_on_failure():
            next = self._next
            if next is not None and next - self._indexed <= LAG:
                self._next = self._insert(appends, next)
            else:
                with self._transaction():
                    self._next = self._insert(appends, self._update_index())

    def remove(self, room: RoomId, expected: int) -> None:
        """Delete a room and its events; `Conflict` if its log is not `expected` long."""
        with self._forgetting_on_failure(), self._transaction():
            self._next = self._update_index()
            self._connection.execute(REMOVE_EVENTS, (room, expected))
            if not self._connection.execute(REMOVE_ROOM, (room, expected)).rowcount:
                raise Conflict(room)
            self._heads.pop(room, None)

    def probe(self) -> None:
        """Write something that does not matter."""
        self._connection.execute(PROBE)

    def _insert(self, appends: list[Append], next: int) -> int:
        """Insert all rows with one statement; returns the id after the last."""
        heads = self._heads
        values: list[str | int | None] = []
        for append in appends:
            room = append.room
            seq, last = heads.get(room) or self._read_head(room)
            if seq != append.expected:
                raise Conflict(room)
            for event in append.events:
                seq += 1
                values += (next, room, seq, last, codec.write(event))
                last = next
                next += 1
            heads[room] = seq, last
        if values:
            # sqlite3 caches prepared statements by their text, so common sizes stay prepared.
            self._connection.execute(INSERT + ROW * (len(values) // 5 - 1), values)
        return next

    def _read_head(self, room: RoomId) -> _Head:
        head: _Head | None = self._connection.execute(HEAD, (room,)).fetchone()
        return _EMPTY if head is None else head

    def _update_index(self) -> int:
        """Let the index cover the whole log; returns the id of the next event."""
        self._connection.execute(UPDATE_INDEX)
        [self._indexed] = self._connection.execute(INDEXED).fetchone()
        if len(self._heads) > REMEMBERED:
            self._heads.clear()
        return self._indexed + 1

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:  # commits, or rolls back
            yield

    @contextmanager
    def _forgetting_on_failure(self) -> Iterator[None]:
        try:
            yield
        except Exception:
            self._next = None
            self._heads.clear()
            raise


def read_log(connection: sqlite3.Connection, room: RoomId) -> list[Event]:
    """All events of a room in order; `codec.Unreadable` if one is missing or cannot be read."""
    rows = connection.execute(LOG, (room,)).fetchall()
    if rows and rows[-1][0] != len(rows):
        raise codec.Unreadable(f"the log of room {room} is not whole")
    return [codec.read(text) for _, text in rows]


def read_rooms(connection: sqlite3.Connection, after: str, limit: int) -> list[Entry]:
    """The next rooms after this id, in the order of their ids."""
    return [Entry(*row) for row in connection.execute(ROOMS, (after, limit))]
