"""SQLite files are read without a lock, without a trace, and of every layout."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from server.core.room import RoomId
from server.metrics import Times
from server.store import CannotOpen
from server.store.reading import is_store, reading
from server.store.sqlite import SqliteStore
from tests.support.logs import OPENED, ROOM, SEATED

pytestmark = pytest.mark.real_loop

RECORDED = Path(__file__).parent / "recorded" / "schema-4.sqlite"
ROWS = "SELECT room, seq, event FROM events ORDER BY room, seq"
OLD = """
CREATE TABLE events (room TEXT NOT NULL, seq INTEGER NOT NULL, event TEXT NOT NULL,
    PRIMARY KEY (room, seq)) STRICT;
PRAGMA application_id = {application};
PRAGMA user_version = {version};
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return Path(shutil.copy(RECORDED, tmp_path / "noughts.db"))


async def test_a_file_is_read_while_a_store_writes_to_it(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "noughts.db", Times())
    await store.append_and_wait(ROOM, 0, [OPENED])

    with reading(tmp_path / "noughts.db") as opened:
        await store.append_and_wait(ROOM, 1, [SEATED])  # no lock is in the way
        assert opened.rooms() == [ROOM]
        assert opened.log(ROOM) == [OPENED]  # one snapshot
        assert opened.events() == 1
    with reading(tmp_path / "noughts.db") as opened:
        assert opened.log(ROOM) == [OPENED, SEATED]
    await store.close()


async def test_a_store_that_starts_meanwhile_is_noticed(file: Path) -> None:
    with ExitStack() as stack:
        stack.enter_context(reading(file))
        store = SqliteStore(file, Times())
        await store.append_and_wait(ROOM, 0, [OPENED])
        await store.close()

        with pytest.raises(CannotOpen, match="has changed while it was read"):
            stack.close()


@pytest.mark.parametrize("version", [1, 2])
def test_a_file_of_an_older_layout_is_read_and_stays_as_it_is(
    version: int, file: Path, tmp_path: Path
) -> None:
    with reading(file) as opened:
        application = int.from_bytes(b"Noug")
        logs = {room: opened.log(room) for room in opened.rooms()}
    with closing(sqlite3.connect(f"{file.as_uri()}?immutable=1", uri=True)) as recorded:
        rows = recorded.execute(ROWS).fetchall()
    old = tmp_path / "old.db"
    database = sqlite3.connect(old)
    database.executescript(OLD.format(application=application, version=version))
    database.executemany("INSERT INTO events VALUES (?, ?, ?)", rows)
    database.commit()
    database.close()
    content = old.read_bytes()

    with reading(old) as opened:
        assert {room: opened.log(room) for room in opened.rooms()} == logs
        assert opened.complaints() == []

    assert old.read_bytes() == content
    assert {path.name for path in tmp_path.iterdir()} == {"noughts.db", "old.db"}


def test_a_copy_is_one_file_with_the_same_rooms(file: Path, tmp_path: Path) -> None:
    shown: list[tuple[int, int]] = []
    (copy := tmp_path / "copy.db").touch()

    with reading(file) as opened:
        opened.copy_to(copy, lambda done, all: shown.append((done, all)))
        logs = {room: opened.log(room) for room in opened.rooms()}

    assert shown[-1][0] == shown[-1][1] > 0
    with reading(copy) as copied:
        assert {room: copied.log(room) for room in copied.rooms()} == logs
    assert {path.name for path in tmp_path.iterdir()} == {"noughts.db", "copy.db"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "there is no file"),
        (b"", "is empty, and no store"),
        (b"Dear diary,\n" * 500, "file is not a database"),
    ],
)
def test_a_file_that_is_no_store_is_not_read(
    content: bytes | None, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "some.db"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(CannotOpen, match=why), reading(path):
        pass
    assert not is_store(path)


def test_a_room_that_is_not_there_has_no_events(file: Path) -> None:
    with reading(file) as opened:
        assert opened.log(RoomId("nobody")) == []
    assert is_store(file)
