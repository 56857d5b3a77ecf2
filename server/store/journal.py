"""The file as its writer knows it: what a commit writes, and whether it may.

Every event of every room goes to the end of one table, under the next number. A number is given
once: a writer that does not know of all that others have written takes a number that is taken, and
is refused. So nothing need be looked up to append to a room, but how long its log is, and that is
remembered.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from server import codec
from server.core.events import Event
from server.core.room import RoomId
from server.store import Conflict, Done, Take
from server.store.schema import INDEX

LAG = 5_000  # events the index may be behind; who reads looks through them

INSERT = "INSERT INTO events (id, room, seq, previous, event) VALUES "
KNOWN = "SELECT coalesce(max(last), 0) FROM rooms"
HEAD = "SELECT seq, last FROM rooms WHERE room = ?"
PROBE = "INSERT INTO probe VALUES (1, 1) ON CONFLICT DO UPDATE SET times = times + 1"
# A removal takes a number too, so that it is noticed by all who write. One such mark is enough.
UNMARK = "DELETE FROM events WHERE id = (SELECT last FROM rooms WHERE room = '')"
MARK = "INSERT INTO events (id, room, seq, event) SELECT max(last) + 1, '', 0, '' FROM rooms"
REMOVE_EVENTS = """
WITH RECURSIVE back (id) AS (
    SELECT last FROM rooms WHERE room = ?1 AND seq = ?2
    UNION ALL SELECT previous FROM back JOIN events USING (id) WHERE previous IS NOT NULL
)
DELETE FROM events WHERE id IN back
"""
REMOVE_ROOM = "DELETE FROM rooms WHERE room = ?1 AND seq = ?2"

_Head = tuple[int, int | None]  # how many events a room has, and the number of the last
_NONE: _Head = (0, None)


class Change(msgspec.Struct):
    """The next events of one room; none at all to try whether the store can write.

    Nothing that gives them: the room goes.
    """

    room: RoomId
    expected: int
    take: Take | None
    done: Done
    events: Sequence[Event] = ()  # once they have been taken


class Journal:
    """What it does not know by heart is in the index; `_next` is None when it knows nothing."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._next: int | None = None
        self._indexed = 0
        self._heads: dict[RoomId, _Head] = {}

    def append(self, changes: list[Change]) -> None:
        """Write them all in one statement, which is one transaction.

        `Conflict` if one of them is not the next of its room, or seems so to a writer that did not
        know all: in doubt it looks again, but only the next time.
        """
        next, self._next = self._next_number(), None  # until it is written
        heads: dict[RoomId, _Head] = {}
        values: list[str | int | None] = []
        for change in changes:
            room = change.room
            seq, last = heads.get(room) or self._heads.get(room) or self._head(room)
            if seq != change.expected:
                raise Conflict(room)
            for event in change.events:
                seq += 1
                values += (next, room, seq, last, codec.write(event))
                last = next
                next += 1
            heads[room] = seq, last
        self._insert(values)
        self._heads.update(heads)
        self._next = next

    def _insert(self, values: list[str | int | None]) -> None:
        """Statements for the usual sizes stay prepared."""
        if not values:
            self._connection.execute(PROBE)
            return
        rows = ", ".join(["(?, ?, ?, ?, ?)"] * (len(values) // 5))
        try:
            self._connection.execute(INSERT + rows, values)
        except sqlite3.IntegrityError as taken:
            raise Conflict("somebody else has written") from taken

    def remove(self, room: RoomId, expected: int) -> None:
        self._next = None
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:  # commits, or rolls back
            self._connection.execute(INDEX)
            self._connection.execute(UNMARK)
            self._connection.execute(MARK)
            self._connection.execute(REMOVE_EVENTS, (room, expected))
            if not self._connection.execute(REMOVE_ROOM, (room, expected)).rowcount:
                raise Conflict(room)

    def _next_number(self) -> int:
        """The next number. On the way the index is brought up to date, if it should be."""
        if self._next is None:
            self._connection.execute(INDEX)
            [self._indexed] = self._connection.execute(KNOWN).fetchone()
            self._heads.clear()
            return self._indexed + 1
        if self._next - self._indexed > LAG:
            self._connection.execute(INDEX)
            self._indexed = self._next - 1
            if len(self._heads) > LAG:
                self._heads.clear()
        return self._next

    def _head(self, room: RoomId) -> _Head:
        head: _Head | None = self._connection.execute(HEAD, (room,)).fetchone()
        return _NONE if head is None else head
