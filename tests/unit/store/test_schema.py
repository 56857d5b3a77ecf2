"""Opening files: new, of every earlier layout, damaged, or of another program."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import get_args

import pytest

from server.core.events import Event, RematchAsked
from server.core.evolve import replay
from server.core.rules import Mark
from server.metrics import Times
from server.store import CannotOpen, open_store
from server.store.schema import SCHEMA_VERSION
from server.wire.snapshots import state_text
from tests.support.logs import OPENED, OTHER, ROOM, SEATED, move

# Each file in here was written by the version whose layout it is named after. The JSON beside it
# holds the state that each of its rooms must always show. Never edit a file; add another one when
# the layout or an event changes. Its rooms have every type of event, its index lags, and one room
# was removed.
RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.sqlite"))


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: str(path.stem))
async def test_a_recorded_file_opens_shows_its_rooms_and_can_be_appended_to(
    tmp_path: Path, recorded: Path
) -> None:
    states = json.loads(recorded.with_suffix(".json").read_text(encoding="utf-8"))
    path = Path(shutil.copy(recorded, tmp_path / "rooms.db"))
    more = RematchAsked(2**53, Mark.X)

    for is_later in (False, True):
        store = open_store(f"sqlite:{path}", Times())
        entries = await store.rooms()
        assert [(entry.room, entry.seq) for entry in entries] == [
            (room, state["seq"] + is_later) for room, state in sorted(states.items())
        ]
        for entry in entries:
            log = await store.load(entry.room)
            if is_later:
                assert log.pop() == more
            room = replay(log)
            assert room is not None
            assert json.loads(state_text(entry.room, room)) == states[entry.room]
            if not is_later:
                await store.append_and_wait(entry.room, len(log), [more])
        await store.close()


def test_every_layout_since_4_and_every_event_is_recorded() -> None:
    versions, types = set(), set()
    for recorded in RECORDED:
        with closing(sqlite3.connect(f"file:{recorded}?immutable=1", uri=True)) as file:
            versions |= set(file.execute("PRAGMA user_version"))
            types |= set(file.execute("SELECT json_extract(event, '$.type') FROM log"))

    assert versions == {(version,) for version in range(4, SCHEMA_VERSION + 1)}
    assert len(types) == len(get_args(Event))


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
# The events of several rooms are interleaved, as in a real file.
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

    for moves in ([], [move(0)]):  # the second time it is up to date already
        store = open_store(f"sqlite:{path}", Times())
        assert await store.load(ROOM) == [OPENED, SEATED, *moves]
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
