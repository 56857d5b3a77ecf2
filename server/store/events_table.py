"""The file as its writer knows it: what a commit writes, and whether it may.

Every event of every room goes to the end of one table, under the next number. Who writes without
knowing of all that others have written takes a number that is taken, and is refused; and so is who
does not know that a room was removed, whose numbers are free again. So nothing need be looked up to
append to a room, but how long its log is, and that is remembered.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from server import codec
from server.core.events import Event
from server.core.room import RoomId
from server.store import Conflict, Done, Take
from server.store.schema import INDEX

LAG = 2_000  # events the index may be behind; who reads looks through them

INSERT = "INSERT INTO events (id, room, seq, previous, event) VALUES "
FIRST_ROW = "(?, CASE (SELECT times FROM removals) WHEN ? THEN ? END, ?, ?, ?)"  # no room: refused
ROW = ", (?, ?, ?, ?, ?)"
PROBE = "INSERT INTO probe VALUES (1, 1) ON CONFLICT DO UPDATE SET times = times + 1"
HEAD = "SELECT seq, last FROM rooms WHERE room = ?"
KNOWN = "SELECT coalesce(max(last), 0), (SELECT times FROM removals) FROM rooms"
REMOVE_EVENTS = """
WITH RECURSIVE back (id) AS (
    SELECT last FROM rooms WHERE room = ?1 AND seq = ?2
    UNION ALL SELECT previous FROM back JOIN events USING (id) WHERE previous IS NOT NULL
)
DELETE FROM events WHERE id IN back
"""
REMOVE_ROOM = "DELETE FROM rooms WHERE room = ?1 AND seq = ?2"
COUNT_REMOVAL = "UPDATE removals SET times = times + 1"

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


class EventsTable:
    """`_next` is None when it is not certain how the file ends."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._next: int | None = None
        self._indexed = 0
        self._removals = 0
        self._heads: dict[RoomId, _Head] = {}  # also of every room on which the index is behind

    def append(self, changes: list[Change]) -> None:
        """Write them all in one statement; `Conflict` if one of them is not the next of its room.

        In doubt, and when the index is far behind, it looks first, while nobody else can write.
        """
        next, self._next = self._next, None  # until it is written
        if next is not None and next - self._indexed <= LAG:
            with suppress(Conflict):  # perhaps only because somebody else has written
                self._next = self._write(changes, next)
                return
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:  # commits, or rolls back
            next = self._write(changes, self._look(next))
        self._next = next

    def remove(self, room: RoomId, expected: int) -> None:
        """Forget a room and all its events; `Conflict` if it has more or fewer than expected."""
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:
            self._connection.execute(INDEX)
            self._connection.execute(REMOVE_EVENTS, (room, expected))
            self._connection.execute(COUNT_REMOVAL)
            if not self._connection.execute(REMOVE_ROOM, (room, expected)).rowcount:
                raise Conflict(room)

    def _look(self, next: int | None) -> int:
        """The next number, with the index up to date. If it is not as thought, forget all."""
        self._connection.execute(INDEX)
        indexed, removals = self._connection.execute(KNOWN).fetchone()
        if (indexed + 1, removals) != (next, self._removals) or len(self._heads) > LAG:
            self._heads.clear()
        self._indexed, self._removals = indexed, removals
        return self._indexed + 1

    def _write(self, changes: list[Change], next: int) -> int:
        """The next number after it."""
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
        return next

    def _head(self, room: RoomId) -> _Head:
        head: _Head | None = self._connection.execute(HEAD, (room,)).fetchone()
        return _NONE if head is None else head

    def _insert(self, values: list[str | int | None]) -> None:
        """Statements for the usual sizes stay prepared."""
        if not values:
            self._connection.execute(PROBE)
            return
        values.insert(1, self._removals)
        try:
            self._connection.execute(INSERT + FIRST_ROW + ROW * (len(values) // 5 - 1), values)
        except sqlite3.IntegrityError as refused:
            raise Conflict("somebody else has written") from refused
