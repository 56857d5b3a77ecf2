"""An SQLite file that is read and never changed, also while a server uses it.

It needs no lock, and leaves nothing behind. If a write-ahead log is beside the file, SQLite reads
both together. If there is none, no server is running, and the file is opened as one that nobody
changes: otherwise SQLite would create a log, owned by whoever reads. A file of an older layout is
converted in memory.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from server.core.events import Event
from server.core.room import RoomId
from server.store import CannotOpen
from server.store.events_table import read_log
from server.store.schema import (
    BUSY_FOR,
    SCHEMA_VERSION,
    TO_DATE,
    UPDATE_INDEX,
    check_owner,
    version,
)

PAGES = 500  # pages of 4 KiB that are copied at a time
COMPLAINTS = 20  # problems of a damaged file that are listed
ROOMS = "SELECT room FROM rooms UNION SELECT room FROM unindexed ORDER BY room"
SOUND = ["ok"]

Progress = Callable[[int, int], None]  # gets how much is done, and of how much


@contextmanager
def reading(path: Path) -> Iterator[Reading]:
    """The file as it is at this moment, for the length of the block.

    `CannotOpen` says what is wrong with the file, or that it was changed by a server that has been
    started meanwhile.
    """
    try:
        opened = Reading(path)
        try:
            yield opened
            opened.confirm()
        finally:
            opened.close()
    except sqlite3.Error as problem:
        raise CannotOpen(f"cannot read {path}: {problem}") from problem


class Reading:
    """One snapshot of a file. Methods raise `sqlite3.Error` and `codec.Unreadable`."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise CannotOpen(f"there is no file {path}")
        self._path = path.resolve()
        beside = [f"{self._path}-{name}" for name in ("wal", "journal")]
        self._is_alone = not any(map(os.path.exists, beside))
        self._state = self._look()
        mode = "immutable=1" if self._is_alone else "mode=ro"
        self._file = sqlite3.connect(
            f"{self._path.as_uri()}?{mode}", uri=True, timeout=BUSY_FOR, isolation_level=None
        )
        try:
            self._tables = self._begin(path)
        except BaseException:
            self._file.close()
            raise

    def _begin(self, path: Path) -> sqlite3.Connection:
        """The tables as of now, of the newest layout."""
        self._file.execute("BEGIN")
        check_owner(self._file, path)
        found = version(self._file)
        if not found:
            raise CannotOpen(f"{path} is empty, and no store")
        return self._file if found == SCHEMA_VERSION else self._convert(TO_DATE[found])

    def rooms(self) -> list[RoomId]:
        return [RoomId(room) for (room,) in self._tables.execute(ROOMS)]

    def log(self, room: RoomId) -> list[Event]:
        return read_log(self._tables, room)

    def events(self) -> int:
        """How many events there are, those included that no room leads to."""
        [count] = self._tables.execute("SELECT count(*) FROM events").fetchone()
        return int(count)

    def complaints(self) -> list[str]:
        """What SQLite finds wrong with the file itself."""
        return _complaints(self._file)

    def copy_to(self, target: Path, progress: Progress) -> None:
        """Write the same file, whole and checked, into an empty one."""
        copy = sqlite3.connect(target, isolation_level=None)
        try:
            self._file.backup(
                copy, pages=PAGES, progress=lambda _, left, all: progress(all - left, all)
            )
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it
            if problems := _complaints(copy):
                raise sqlite3.DatabaseError(f"the copy is damaged: {problems[0]}")
        finally:
            copy.close()

    def confirm(self) -> None:
        """Raise `CannotOpen` if a file that nobody was to change has changed."""
        if self._is_alone and self._look() != self._state:
            raise CannotOpen(f"{self._path} has changed while it was read: try again")

    def close(self) -> None:
        self._tables.close()
        self._file.close()

    def _look(self) -> tuple[int, int, bool]:
        now = self._path.stat()
        return now.st_size, now.st_mtime_ns, os.path.exists(f"{self._path}-wal")

    def _convert(self, script: str) -> sqlite3.Connection:
        copy = sqlite3.connect(":memory:", isolation_level=None)
        self._file.backup(copy)
        copy.executescript(script)
        copy.execute(UPDATE_INDEX)
        return copy


def is_store(path: Path) -> bool:
    """Whether a file is one of ours, such as an earlier backup."""
    try:
        with reading(path):
            return True
    except CannotOpen:
        return False


def _complaints(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute(f"PRAGMA integrity_check({COMPLAINTS})").fetchall()
    found = [" ".join(str(text).split()) for (text,) in rows]
    return [] if found == SOUND else found
