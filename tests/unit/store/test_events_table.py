"""The table of events, against a plain list: nothing is lost, doubled or misplaced."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from server.core.events import Event, RematchAsked
from server.core.room import RoomId
from server.core.rules import Mark
from server.store import Conflict, events_table
from server.store.events_table import Append, EventsTable, read_log, read_rooms
from server.store.schema import File
from tests.support.logs import OPENED, OTHER, ROOM, THIRD

ROOMS = [RoomId(f"r{number}") for number in range(4)]
Logs = dict[RoomId, list[Event]]


def asked(at: int) -> Event:
    return RematchAsked(at, Mark.X)


def append(room: RoomId, expected: int, *events: Event) -> Append:
    return Append(room, expected, lambda: events, lambda _: None, events)


class Faulty:
    """A connection whose next insert of events fails, before or after it is written."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.fails = ""

    def execute(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        fails = ""
        if sql.startswith("INSERT INTO events"):
            fails, self.fails = self.fails, ""
        if fails == "before":
            raise sqlite3.OperationalError("database or disk is full")
        cursor = self._connection.execute(sql, values)
        if fails == "after":
            raise sqlite3.OperationalError("disk I/O error")
        return cursor

    def __enter__(self) -> sqlite3.Connection:
        return self._connection.__enter__()

    def __exit__(self, *problem: Any) -> object:
        return self._connection.__exit__(*problem)


class Opened:
    """A file and its table, which can be closed and reopened."""

    def __init__(self, path: Path) -> None:
        self.path = path / "rooms.db"
        self.file: File
        self.open()

    def open(self) -> None:
        self.file = File(self.path)
        self.connection = Faulty(self.file.writer)
        self.table = EventsTable(self.connection)  # type: ignore[arg-type]

    def close(self) -> None:
        self.file.close()

    def log(self, room: RoomId) -> list[Event]:
        return read_log(self.file.reader, room)

    def count(self, table: str) -> int:
        return int(self.file.reader.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    def agrees_with(self, logs: Logs) -> None:
        assert {room: self.log(room) for room in ROOMS} == {
            room: logs.get(room, []) for room in ROOMS
        }
        expected = [(room, len(log), log[-1].at) for room, log in sorted(logs.items())]
        assert read_rooms(self.file.reader, "", 10) == expected
        later = [entry for entry in expected if entry[0] > ROOMS[1]]
        assert read_rooms(self.file.reader, ROOMS[1], 1) == later[:1]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    return Opened(tmp_path)


@pytest.fixture(params=[2, 3, 5, 5_000])
def lag(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vary how often the index is updated and heads are forgotten."""
    monkeypatch.setattr(events_table, "LAG", request.param)
    monkeypatch.setattr(events_table, "REMEMBERED", request.param - 1)


@pytest.mark.usefixtures("lag")
@pytest.mark.parametrize("removals", [0.1, 0.3])
@pytest.mark.parametrize("faults", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_a_file_agrees_with_a_list_of_events(
    opened: Opened, seed: int, faults: float, removals: float
) -> None:
    """After any appends, removals, wrong lengths, failures and restarts."""
    dice = Random(seed)
    logs: Logs = {}
    for at in range(2, 120):
        if dice.random() < removals:
            remove(opened, dice, logs)
        else:
            if dice.random() < faults:
                opened.connection.fails = dice.choice(("before", "after"))
            write(opened, dice, logs, at)
        if dice.random() < 0.05:
            opened.close()
            opened.open()
        opened.agrees_with(logs)
    opened.close()


def expected_length(dice: Random, logs: Logs, room: RoomId) -> tuple[int, int]:
    length = len(logs.get(room, ()))
    return length, max(0, length + dice.choice((0, 0, 0, 0, -1, 1)))


def remove(opened: Opened, dice: Random, logs: Logs) -> None:
    room = dice.choice(ROOMS)
    length, expected = expected_length(dice, logs, room)
    if length and expected == length:
        opened.table.remove(room, expected)
        logs.pop(room)
    else:
        with pytest.raises(Conflict):
            opened.table.remove(room, expected)


def write(opened: Opened, dice: Random, logs: Logs, at: int) -> None:
    """Append to one or two rooms. After a failure the file may hold the events or not."""
    appends, after, is_right = [], dict(logs), True
    for room in dice.sample(ROOMS, dice.randint(1, 2)):
        length, expected = expected_length(dice, logs, room)
        is_right &= length == expected
        events = [asked(at)] * dice.randint(1, 2) if expected else [OPENED]
        appends.append(append(room, expected, *events))
        after[room] = [*logs.get(room, ()), *events]
    try:
        opened.table.append(appends)
        assert is_right
        logs.update(after)
    except Conflict:
        assert not is_right
    except sqlite3.Error:
        assert is_right
        if opened.log(appends[0].room) == after[appends[0].room]:
            logs.update(after)


@pytest.mark.parametrize("fails", ["before", "after"])
def test_the_end_of_the_file_is_read_again_after_a_failure(opened: Opened, fails: str) -> None:
    opened.table.append([append(ROOM, 0, OPENED)])
    opened.connection.fails = fails

    with pytest.raises(sqlite3.Error):
        opened.table.append([append(ROOM, 1, asked(2))])

    length = len(opened.log(ROOM))
    assert length == (1 if fails == "before" else 2)
    with pytest.raises(Conflict):
        opened.table.append([append(ROOM, 3 - length, asked(3))])
    opened.table.append([append(ROOM, length, asked(4)), append(OTHER, 0, OPENED)])
    assert opened.log(ROOM)[length:] == [asked(4)]
    opened.close()


def test_a_failure_while_the_index_is_updated_loses_nothing(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index is rolled back together with the insert."""
    monkeypatch.setattr(events_table, "LAG", 2)
    monkeypatch.setattr(events_table, "REMEMBERED", 0)
    opened.table.append([append(ROOM, 0, OPENED, asked(2)), append(OTHER, 0, OPENED)])
    opened.connection.fails = "after"

    with pytest.raises(sqlite3.Error):
        opened.table.append([append(ROOM, 2, asked(3))])

    assert (opened.log(ROOM), opened.count("unindexed")) == ([OPENED, asked(2)], 3)
    opened.table.append([append(ROOM, 2, asked(4)), append(OTHER, 1, asked(4))])
    assert opened.log(ROOM) == [OPENED, asked(2), asked(4)]
    assert opened.log(OTHER) == [OPENED, asked(4)]
    opened.close()


def test_events_of_another_program_are_not_overwritten(opened: Opened) -> None:
    """The lock should prevent this. If it happens, the next insert finds that its id exists."""
    opened.table.append([append(ROOM, 0, OPENED)])
    EventsTable(opened.file.reader).append([append(OTHER, 0, OPENED), append(ROOM, 1, asked(2))])

    with pytest.raises(sqlite3.IntegrityError):
        opened.table.append([append(ROOM, 1, asked(3))])
    with pytest.raises(Conflict):
        opened.table.append([append(ROOM, 1, asked(3))])

    opened.table.append([append(ROOM, 2, asked(3))])
    assert opened.log(ROOM) == [OPENED, asked(2), asked(3)]
    opened.close()


def test_all_or_none_of_the_appends_of_one_commit_are_written(opened: Opened) -> None:
    opened.table.append([append(ROOM, 0, OPENED), append(ROOM, 1, asked(2))])

    for wrong in (append(ROOM, 1, asked(3)), append(THIRD, 1, asked(3))):
        with pytest.raises(Conflict):
            opened.table.append([append(OTHER, 0, OPENED), wrong])

    assert opened.log(ROOM) == [OPENED, asked(2)]
    assert opened.count("events") == 2
    opened.close()


def test_a_file_whose_writer_died_is_read_to_its_end(opened: Opened) -> None:
    """The index lags, and is updated when the file is opened."""
    opened.table.append([append(ROOM, 0, OPENED)])
    for at in range(2, 20):
        opened.table.append([append(ROOM, at - 1, asked(at))])
    assert opened.count("unindexed") == 19
    opened.close()

    opened.open()

    assert opened.count("unindexed") == 0
    assert opened.log(ROOM) == [OPENED, *(asked(at) for at in range(2, 20))]
    opened.close()


def test_the_index_never_lags_far(opened: Opened) -> None:
    opened.table.append([append(ROOM, 0, OPENED)])
    opened.table.append([append(ROOM, 1, *[asked(2)] * events_table.LAG)])
    opened.table.append([append(ROOM, events_table.LAG + 1, asked(3))])

    assert opened.count("unindexed") == 1
    opened.close()


def test_a_probe_writes_and_leaves_no_room(opened: Opened) -> None:
    opened.table.probe()
    opened.table.probe()

    assert opened.file.reader.execute("SELECT times FROM probe").fetchall() == [(2,)]
    assert read_rooms(opened.file.reader, "", 10) == []
    opened.close()
