"""One contract, run against every store."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from server.core.events import Event, MovePlayed, Person, PlayerId, RoomOpened, SeatTaken
from server.core.room import RoomId
from server.core.rules import CLASSIC, Mark
from server.metrics import Times
from server.store import CannotOpen, Conflict, Store, Unavailable, open_store
from server.store.sqlite import SqliteStore

ROOM, OTHER, THIRD = RoomId("room"), RoomId("other"), RoomId("third")
OPENED = RoomOpened(1, CLASSIC, True)
ADA = SeatTaken(2, Mark.X, Person(PlayerId("ada"), "Ada ✓ \U0001f642"))


def move(cell: int) -> Event:
    return MovePlayed(10 + cell, Mark(cell % 2), cell)


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    opened = open_store(
        "memory:" if request.param == "memory" else f"sqlite:{tmp_path}/rooms.db", Times()
    )
    yield opened
    await opened.close()


@pytest.fixture
async def file(tmp_path: Path) -> AsyncIterator[tuple[Path, Store]]:
    path = tmp_path / "rooms.db"
    opened = open_store(f"sqlite:{path}", Times())
    yield path, opened
    await opened.close()


async def test_what_was_appended_is_loaded_in_order(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, ADA])
    await store.append_and_wait(ROOM, 2, [move(0)])

    assert await store.load(ROOM) == [OPENED, ADA, move(0)]


async def test_an_unknown_room_has_an_empty_log(store: Store) -> None:
    assert await store.load(ROOM) == []


async def test_an_append_behind_somebody_elses_is_a_conflict_and_changes_nothing(
    store: Store,
) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, ADA])

    for expected in (0, 1, 3):
        with pytest.raises(Conflict):
            await store.append_and_wait(ROOM, expected, [move(4)])

    assert await store.load(ROOM) == [OPENED, ADA]


async def test_a_log_begins_at_its_beginning(store: Store) -> None:
    with pytest.raises(Conflict):
        await store.append_and_wait(ROOM, 1, [ADA])

    assert await store.load(ROOM) == []
    assert await store.rooms() == []


async def test_of_two_appends_at_once_one_wins(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED])

    both = (store.append_and_wait(ROOM, 1, [move(0)]), store.append_and_wait(ROOM, 1, [move(1)]))
    outcomes = await asyncio.gather(*both, return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [type(None), Conflict]
    assert await store.load(ROOM) == [OPENED, move(0)]


async def test_a_conflict_in_one_room_spares_the_others(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED])

    outcomes = await asyncio.gather(
        store.append_and_wait(ROOM, 7, [move(0)]),
        store.append_and_wait(OTHER, 0, [OPENED, ADA]),
        return_exceptions=True,
    )

    assert [type(outcome) for outcome in outcomes] == [Conflict, type(None)]
    assert await store.load(OTHER) == [OPENED, ADA]


async def test_many_rooms_written_at_once_are_all_there(store: Store) -> None:
    rooms = [RoomId(f"r{number}") for number in range(200)]

    await asyncio.gather(*(store.append_and_wait(room, 0, [OPENED, ADA]) for room in rooms))
    await asyncio.gather(*(store.append_and_wait(room, 2, [move(4)]) for room in rooms))

    for room in rooms:
        assert await store.load(room) == [OPENED, ADA, move(4)]


async def test_rooms_are_listed_page_by_page_in_the_order_of_their_ids(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, ADA])
    await store.append_and_wait(OTHER, 0, [OPENED])
    await store.append_and_wait(OTHER, 1, [move(8)])

    listed = await store.rooms()

    assert listed == [(OTHER, 2, 18), (ROOM, 2, 2)]
    assert await store.rooms(limit=1) == listed[:1]
    assert await store.rooms(after=OTHER) == listed[1:]
    assert await store.rooms(after=ROOM) == []


async def test_a_room_that_is_removed_is_gone_and_the_others_stay(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, ADA])
    await store.append_and_wait(OTHER, 0, [OPENED])

    await store.remove(ROOM, 2)

    assert await store.load(ROOM) == []
    assert await store.load(OTHER) == [OPENED]
    with pytest.raises(Conflict):
        await store.append_and_wait(ROOM, 2, [move(0)])
    await store.append_and_wait(ROOM, 0, [OPENED])
    assert await store.load(ROOM) == [OPENED]


async def test_a_room_that_has_moved_on_is_not_removed(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, ADA])

    for wrong in (1, 3):
        with pytest.raises(Conflict):
            await store.remove(ROOM, wrong)
    with pytest.raises(Conflict):
        await store.remove(OTHER, 1)

    assert await store.load(ROOM) == [OPENED, ADA]


async def test_rooms_may_go_while_others_are_written(store: Store) -> None:
    rooms = [RoomId(f"r{number}") for number in range(50)]
    await asyncio.gather(*(store.append_and_wait(room, 0, [OPENED]) for room in rooms))

    changes = [store.remove(room, 1) for room in rooms[::2]]
    changes += [store.append_and_wait(room, 1, [ADA]) for room in rooms]
    ended = await asyncio.gather(*changes, return_exceptions=True)

    assert ended[:25] == [None] * 25
    assert [isinstance(end, Conflict) for end in ended[25:]] == [True, False] * 25
    assert [entry.room for entry in await store.rooms()] == sorted(rooms[1::2])


async def test_a_store_in_order_can_write_and_its_probe_leaves_no_room(store: Store) -> None:
    assert await store.can_write()
    assert await store.rooms() == []


async def test_a_file_keeps_everything_when_opened_again(file: tuple[Path, Store]) -> None:
    path, store = file
    await store.append_and_wait(ROOM, 0, [OPENED, ADA])

    again = open_store(f"sqlite:{path}", Times())

    assert await again.load(ROOM) == [OPENED, ADA]
    await again.append_and_wait(ROOM, 2, [move(0)])
    await again.close()
    with pytest.raises(Conflict):
        await store.append_and_wait(ROOM, 2, [move(1)])


async def test_what_comes_turn_by_turn_of_the_loop_is_written_together(
    file: tuple[Path, Store],
) -> None:
    _, store = file
    assert isinstance(store, SqliteStore)
    handed_over, hand_over = [], store._hand_over

    def count() -> None:
        handed_over.append(len(store._changes))
        hand_over()

    store._hand_over = count  # type: ignore[method-assign]
    appends = []
    for number in range(20):
        appends.append(
            asyncio.create_task(store.append_and_wait(RoomId(f"r{number}"), 0, [OPENED]))
        )
        await asyncio.sleep(0)
    await asyncio.gather(*appends)

    assert handed_over == [20]


async def test_nobody_waits_for_ever_because_others_never_stop(file: tuple[Path, Store]) -> None:
    _, store = file
    appends: list[asyncio.Task[None]] = []
    async with asyncio.timeout(30):
        while not appends or not appends[0].done():
            room = RoomId(f"r{len(appends)}")
            appends.append(asyncio.create_task(store.append_and_wait(room, 0, [OPENED])))
            await asyncio.sleep(0)
    await asyncio.gather(*appends)


async def test_what_is_asked_just_before_the_end_is_written(tmp_path: Path) -> None:
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
    log: list[Event] = [OPENED, *[ADA] * (events - 1)]

    await asyncio.gather(*(store.append_and_wait(id, 0, log) for id in ids))

    assert sum(took.counts) >= rooms * events // 1_100
    assert len(await store.rooms(limit=10_000)) == rooms
    assert await store.load(ids[-1]) == log
    await store.close()


async def test_events_are_taken_when_they_are_written(store: Store) -> None:
    """What happens in a room until then can go with them, and is not lost after it."""
    events: list[Event] = [OPENED]
    taken: list[int] = []
    done = asyncio.get_running_loop().create_future()

    def take() -> list[Event]:
        taken.append(len(events))
        return list(events)

    store.append(ROOM, 0, take, done.set_result)
    events.append(ADA)

    assert await done is None
    assert taken == [2 if isinstance(store, SqliteStore) else 1]
    assert await store.load(ROOM) == [OPENED, ADA][: taken[0]]


async def test_every_commit_is_synchronous_and_in_the_write_ahead_log(
    file: tuple[Path, Store],
) -> None:
    path, store = file
    await store.append_and_wait(ROOM, 0, [OPENED])

    # The setting is the connection's own, so ask the very one that writes.
    [synchronous] = store._writer.execute("PRAGMA synchronous").fetchone()  # type: ignore[attr-defined]
    with closing(sqlite3.connect(path)) as reader:
        [journal] = reader.execute("PRAGMA journal_mode").fetchone()

    assert (synchronous, journal) == (2, "wal")


async def test_a_locked_file_is_unavailable_and_comes_back_by_itself(
    file: tuple[Path, Store],
) -> None:
    path, store = file
    await store.append_and_wait(ROOM, 0, [OPENED])
    somebody_else = sqlite3.connect(path, isolation_level=None)
    somebody_else.execute("BEGIN IMMEDIATE")

    with pytest.raises(Unavailable):
        await store.append_and_wait(ROOM, 1, [ADA])
    assert not await store.can_write()

    somebody_else.execute("ROLLBACK")
    somebody_else.close()
    await store.append_and_wait(ROOM, 1, [ADA])
    assert await store.load(ROOM) == [OPENED, ADA]


@pytest.mark.parametrize("url", ["", "rooms.db", "redis:x", "sqlite:", "sqlite:/no/such/folder/x"])
def test_an_address_that_is_no_store_is_explained(url: str) -> None:
    with pytest.raises(CannotOpen, match=r"."):
        open_store(url, Times())


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ada, " * 1000)

    with pytest.raises(CannotOpen, match=r"letter\.txt"):
        open_store(f"sqlite:{path}", Times())

    assert path.read_text() == "Dear Ada, " * 1000


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "diary.db"
    with closing(sqlite3.connect(path)) as theirs:
        theirs.execute("CREATE TABLE events (day TEXT)")
    before = path.read_bytes()

    with pytest.raises(CannotOpen, match="another program"):
        open_store(f"sqlite:{path}", Times())

    assert path.read_bytes() == before


async def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rooms.db"
    await open_store(f"sqlite:{path}", Times()).close()
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("PRAGMA user_version = 99")

    with pytest.raises(CannotOpen, match="newer"):
        open_store(f"sqlite:{path}", Times())


VERSION_1 = """
CREATE TABLE rooms (room TEXT PRIMARY KEY, seq INTEGER NOT NULL, changed INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE TABLE events (
    room TEXT NOT NULL, seq INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (room, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE probe (one INTEGER PRIMARY KEY, times INTEGER NOT NULL) STRICT;
INSERT INTO rooms VALUES ('room', 2, 2), ('other', 1, 1);
PRAGMA user_version = 1;
"""
VERSION_2 = """
CREATE TABLE events (
    id INTEGER PRIMARY KEY, room TEXT NOT NULL, seq INTEGER NOT NULL, event TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX log ON events (room, seq);
CREATE TRIGGER no_gap BEFORE INSERT ON events WHEN new.seq > 1 BEGIN
    SELECT raise(ABORT, 'not the next event') WHERE NOT EXISTS
        (SELECT 1 FROM events WHERE room = new.room AND seq = new.seq - 1);
END;
CREATE TABLE probe (one INTEGER PRIMARY KEY, times INTEGER NOT NULL) STRICT;
PRAGMA user_version = 2;
"""
VERSION_3 = """
CREATE TABLE events (id INTEGER PRIMARY KEY, previous INTEGER, event TEXT NOT NULL) STRICT;
CREATE TABLE rooms (
    id INTEGER PRIMARY KEY, room TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL, last INTEGER NOT NULL
) STRICT;
CREATE VIEW log AS
WITH RECURSIVE back (room, seq, event, previous) AS (
    SELECT room, seq, event, previous FROM rooms JOIN events ON events.id = last
    UNION ALL SELECT back.room, back.seq - 1, events.event, events.previous
        FROM back JOIN events ON events.id = back.previous
)
SELECT room, seq, event FROM back;
CREATE TRIGGER first_event INSTEAD OF INSERT ON log WHEN new.seq = 1 BEGIN
    INSERT INTO events (event) VALUES (new.event);
    INSERT INTO rooms (room, seq, last) VALUES (new.room, 1, last_insert_rowid());
END;
CREATE TRIGGER next_event INSTEAD OF INSERT ON log WHEN new.seq != 1 BEGIN
    INSERT INTO events (previous, event)
        SELECT last, new.event FROM rooms WHERE room = new.room AND seq = new.seq - 1;
    UPDATE rooms SET seq = new.seq, last = last_insert_rowid()
        WHERE room = new.room AND seq = new.seq - 1;
    SELECT raise(ABORT, 'not the next event') WHERE changes() = 0;
END;
CREATE TABLE probe (one INTEGER PRIMARY KEY, times INTEGER NOT NULL) STRICT;
PRAGMA user_version = 3;
"""
# The rooms' events came by turns, as they do.
TWO_ROOMS = """
INSERT INTO {into} (room, seq, event) VALUES
    ('room', 1, '{"v":1,"type":"room_opened","at":1,"variant":{"name":"3x3","rows":3,"columns":3,'
        || '"line":3},"public":true,"time":null}'),
    ('other', 1, '{"v":1,"type":"room_opened","at":1,"variant":{"name":"3x3","rows":3,"columns":3,'
        || '"line":3},"public":true,"time":null}'),
    ('room', 2, '{"v":1,"type":"seat_taken","at":2,"mark":"X",'
        || '"person":{"id":"ada","name":"Ada ✓ \U0001f642"}}');
"""


@pytest.mark.parametrize(
    ("schema", "into"),
    [(VERSION_1, "events"), (VERSION_2, "events"), (VERSION_3, "log")],
    ids=["1", "2", "3"],
)
async def test_a_file_of_an_older_version_is_brought_up_to_date_with_all_its_rooms(
    tmp_path: Path, schema: str, into: str
) -> None:
    path = tmp_path / "rooms.db"
    with closing(sqlite3.connect(path)) as old:
        old.execute(f"PRAGMA application_id = {int.from_bytes(b'Noug')}")
        old.executescript(schema + TWO_ROOMS.replace("{into}", into))

    for moves in ([], [move(0)]):  # and it is brought up to date once
        store = open_store(f"sqlite:{path}", Times())
        assert await store.load(ROOM) == [OPENED, ADA, *moves]
        assert await store.load(OTHER) == [OPENED]
        assert [(entry.room, entry.seq) for entry in await store.rooms()] == [
            (OTHER, 1),
            (ROOM, 2 + len(moves)),
        ]
        await store.append_and_wait(ROOM, 2 + len(moves), [move(0)])
        await store.close()


@pytest.mark.parametrize("lost", [1, 2], ids=["beginning", "middle"])
@pytest.mark.parametrize("schema", [VERSION_1, VERSION_2], ids=["1", "2"])
def test_a_file_of_an_older_version_that_has_lost_something_is_refused_and_left_alone(
    tmp_path: Path, schema: str, lost: int
) -> None:
    path = tmp_path / "rooms.db"
    with closing(sqlite3.connect(path)) as old:
        old.execute(f"PRAGMA application_id = {int.from_bytes(b'Noug')}")
        old.executescript(schema + TWO_ROOMS.replace("{into}", "events"))
        old.execute("INSERT INTO events (room, seq, event) VALUES ('room', 3, '{}')")
        old.execute("DELETE FROM events WHERE room = 'room' AND seq = ?", (lost,))
        old.commit()
        before = list(old.iterdump())

    with pytest.raises(CannotOpen, match="seq"):
        open_store(f"sqlite:{path}", Times())

    with closing(sqlite3.connect(path)) as old:
        assert list(old.iterdump()) == before


async def test_a_room_that_is_removed_leaves_nothing_in_the_file(file: tuple[Path, Store]) -> None:
    path, store = file
    await store.append_and_wait(ROOM, 0, [OPENED])
    await store.append_and_wait(OTHER, 0, [OPENED])
    await store.append_and_wait(ROOM, 1, [ADA, move(0)])

    await store.append_and_wait(THIRD, 0, [OPENED, ADA])

    await store.remove(ROOM, 3)
    await store.remove(THIRD, 2)

    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT room, seq FROM log").fetchall() == [(OTHER, 1)]
        for table in ("events", "rooms"):
            assert other.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)


async def test_what_was_refused_leaves_nothing_in_the_file(file: tuple[Path, Store]) -> None:
    path, store = file
    await store.append_and_wait(ROOM, 0, [OPENED])

    for room, expected in ((ROOM, 0), (ROOM, 5), (OTHER, 1)):
        with pytest.raises(Conflict):
            await store.append_and_wait(room, expected, [ADA, move(0)])

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
async def test_a_log_that_cannot_be_read_is_a_store_that_cannot_be_read(
    file: tuple[Path, Store], damage: str
) -> None:
    path, store = file
    await store.append_and_wait(ROOM, 0, [OPENED, ADA])
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(damage)

    with pytest.raises(Unavailable):
        await store.load(ROOM)
    assert await store.load(OTHER) == []
