"""Logs in a file: commits of several appends, durability, and a file that cannot be used."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from server.core.events import Event
from server.core.room import RoomId
from server.metrics import Times
from server.store import Conflict, Problem, Unavailable, open_store
from server.store.sqlite import SqliteStore
from tests.support.logs import OPENED, OTHER, ROOM, SEATED, THIRD, move


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rooms.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    opened = SqliteStore(path, Times())
    yield opened
    await opened.close()


async def test_a_file_keeps_everything_when_opened_again(path: Path) -> None:
    for length in range(3):
        store = SqliteStore(path, Times())
        assert await store.load(ROOM) == [OPENED, move(0), move(1)][:length]
        await store.append_and_wait(ROOM, length, [OPENED if length == 0 else move(length - 1)])
        await store.close()


async def test_only_its_owner_can_read_a_new_file_and_an_old_one_keeps_its_mode(
    path: Path,
) -> None:
    def modes() -> dict[str, int]:
        return {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}

    store = SqliteStore(path, Times())
    await store.append_and_wait(ROOM, 0, [OPENED])
    new = modes()
    await store.close()
    path.chmod(0o640)
    await SqliteStore(path, Times()).close()

    assert new == {f"rooms.db{end}": 0o600 for end in ("", "-wal", "-shm", ".lock")}
    assert modes()["rooms.db"] == 0o640


async def test_appends_of_consecutive_ticks_are_written_in_one_commit(path: Path) -> None:
    took = Times()
    store = SqliteStore(path, took)

    appends = []
    for number in range(20):
        appends.append(
            asyncio.create_task(store.append_and_wait(RoomId(f"r{number}"), 0, [OPENED]))
        )
        await asyncio.sleep(0)
    await asyncio.gather(*appends)

    assert sum(took.counts) == 1  # one commit
    await store.close()


async def test_a_conflict_does_not_affect_the_other_appends_of_its_commit(
    store: SqliteStore,
) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED])
    problems: list[Problem | None] = []

    store.append(ROOM, 1, lambda: [SEATED], problems.append)
    store.append(OTHER, 1, lambda: [SEATED], problems.append)
    await store.append_and_wait(ROOM, 2, [move(0)])

    assert [type(problem) for problem in problems] == [type(None), Conflict]
    assert await store.load(ROOM) == [OPENED, SEATED, move(0)]
    assert await store.load(OTHER) == []


async def test_a_callback_that_fails_does_not_keep_the_others_waiting(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Problem | None) -> None:
        raise ZeroDivisionError

    store.append(ROOM, 0, lambda: [OPENED], fail)
    await store.append_and_wait(OTHER, 0, [OPENED])

    assert "ZeroDivisionError" in caplog.text


async def test_an_append_is_written_even_if_others_never_stop_coming(store: SqliteStore) -> None:
    appends: list[asyncio.Task[None]] = []
    async with asyncio.timeout(30):
        while not appends or not appends[0].done():
            room = RoomId(f"r{len(appends)}")
            appends.append(asyncio.create_task(store.append_and_wait(room, 0, [OPENED])))
            await asyncio.sleep(0)
    await asyncio.gather(*appends)


async def test_an_append_just_before_close_is_written(tmp_path: Path) -> None:
    store = open_store(f"sqlite:{tmp_path}/rooms.db", Times())
    await store.append_and_wait(OTHER, 0, [OPENED])
    append = asyncio.create_task(store.append_and_wait(ROOM, 0, [OPENED]))
    await asyncio.sleep(0)
    await store.close()

    again = open_store(f"sqlite:{tmp_path}/rooms.db", Times())
    assert await again.load(ROOM) == [OPENED]
    await again.close()
    await append


@pytest.mark.parametrize(("rooms", "events"), [(4_500, 3), (450, 50)])
async def test_a_commit_takes_about_a_thousand_events(
    tmp_path: Path, rooms: int, events: int
) -> None:
    took = Times()
    store = open_store(f"sqlite:{tmp_path}/rooms.db", took)
    ids = [RoomId(f"r{number}") for number in range(rooms)]
    log: list[Event] = [OPENED, *[SEATED] * (events - 1)]

    await asyncio.gather(*(store.append_and_wait(id, 0, log) for id in ids))

    assert sum(took.counts) >= rooms * events // 1_100
    assert len(await store.rooms(limit=10_000)) == rooms
    assert await store.load(ids[-1]) == log
    await store.close()


async def test_every_commit_is_synchronous_and_in_the_write_ahead_log(
    path: Path,
    store: SqliteStore,
) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED])

    # The setting belongs to a connection, so ask the one that writes.
    [synchronous] = store._file.writer.execute("PRAGMA synchronous").fetchone()
    with closing(sqlite3.connect(path)) as reader:
        [journal] = reader.execute("PRAGMA journal_mode").fetchone()

    assert (synchronous, journal) == (2, "wal")


async def test_a_locked_file_is_unavailable_until_it_is_unlocked(
    path: Path,
    store: SqliteStore,
) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED])
    somebody_else = sqlite3.connect(path, isolation_level=None)
    somebody_else.execute("BEGIN IMMEDIATE")

    with pytest.raises(Unavailable):
        await store.append_and_wait(ROOM, 1, [SEATED])
    assert not await store.can_write()

    somebody_else.execute("ROLLBACK")
    somebody_else.close()
    await store.append_and_wait(ROOM, 1, [SEATED])
    assert await store.load(ROOM) == [OPENED, SEATED]


async def test_a_store_that_refuses_is_logged_once_and_so_is_its_return(
    path: Path, store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING")
    store._file.writer.execute("PRAGMA busy_timeout = 0")  # fail at once
    assert not store.is_refusing
    with closing(sqlite3.connect(path, isolation_level=None)) as somebody_else:
        somebody_else.execute("BEGIN IMMEDIATE")
        assert not await store.can_write()
        assert not await store.can_write()
        with pytest.raises(Unavailable):
            await store.append_and_wait(ROOM, 0, [OPENED])
        assert store.is_refusing
        expected = ["cannot write to the store: database is locked"]
        assert [record.getMessage() for record in caplog.records] == expected
        somebody_else.execute("ROLLBACK")

    await store.append_and_wait(ROOM, 0, [OPENED])
    assert await store.can_write()

    assert not store.is_refusing
    expected.append("can write to the store again, after 0 s")
    assert [record.getMessage() for record in caplog.records] == expected


async def test_the_sizes_of_the_files_are_known(store: SqliteStore) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED])

    sizes = store.sizes()

    assert sizes.keys() == {"rooms", "log"}
    assert sizes["rooms"] > 0 < sizes["log"]


async def test_a_bug_in_a_commit_is_logged_with_its_traceback_and_the_writer_goes_on(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(store._table, "append", fail)
        with pytest.raises(Unavailable):
            await store.append_and_wait(ROOM, 0, [OPENED])
    await store.append_and_wait(ROOM, 0, [OPENED])

    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "our fault" in caplog.text
    assert "ZeroDivisionError" in caplog.text


async def test_a_room_that_is_removed_leaves_nothing_in_the_file(
    path: Path, store: SqliteStore
) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED])
    await store.append_and_wait(OTHER, 0, [OPENED])
    await store.append_and_wait(ROOM, 1, [SEATED, move(0)])

    await store.append_and_wait(THIRD, 0, [OPENED, SEATED])

    await store.remove(ROOM, 3)
    await store.remove(THIRD, 2)

    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT room, seq FROM log").fetchall() == [(OTHER, 1)]
        for table in ("events", "rooms"):
            assert other.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)


async def test_a_refused_append_leaves_nothing_in_the_file(path: Path, store: SqliteStore) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED])

    for room, expected in ((ROOM, 0), (ROOM, 5), (OTHER, 1)):
        with pytest.raises(Conflict):
            await store.append_and_wait(room, expected, [SEATED, move(0)])

    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM events").fetchone() == (1,)


@pytest.mark.parametrize(
    "damage",
    [
        """UPDATE events SET event = '{"v": 9}' WHERE id = 2""",
        "DELETE FROM events WHERE id = 1",
        "UPDATE events SET seq = 3 WHERE id = 2",
    ],
    ids=["unreadable", "missing", "gap"],
)
async def test_a_log_that_cannot_be_read_raises_unavailable(
    path: Path, store: SqliteStore, damage: str
) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, SEATED])
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(damage)

    with pytest.raises(Unavailable):
        await store.load(ROOM)
    assert await store.load(OTHER) == []
