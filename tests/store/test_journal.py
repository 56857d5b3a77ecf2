"""One file and whoever writes to it: nothing is lost, doubled or put on top of what is unknown."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random

import pytest

from server.core.events import Event, RematchAsked, RoomOpened
from server.core.room import RoomId
from server.core.rules import CLASSIC, Mark
from server.metrics import Times
from server.store import Conflict, Store, journal, open_store

ROOM, OTHER = RoomId("room"), RoomId("other")
OPENED = RoomOpened(1, CLASSIC, True)


def asked(at: int) -> Event:
    return RematchAsked(at, Mark.X)


def opened(path: Path) -> Store:
    return open_store(f"sqlite:{path}/rooms.db", Times())


@pytest.fixture(params=[2, 3, 5, 5_000])
def lag(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the index be brought up to date more and less often."""
    monkeypatch.setattr(journal, "LAG", request.param)


@pytest.mark.usefixtures("lag")
@pytest.mark.parametrize("seed", range(6))
async def test_two_who_write_to_one_file_agree_with_a_list_of_events(
    tmp_path: Path, seed: int
) -> None:
    """One of them may know of nothing that the other has written, and says so by a conflict."""
    dice = Random(seed)
    stores = [opened(tmp_path), opened(tmp_path)]
    logs: dict[RoomId, list[Event]] = {}
    rooms = [RoomId(f"r{number}") for number in range(4)]
    for at in range(2, 150):
        store, room = dice.choice(stores), dice.choice(rooms)
        length = len(logs.get(room, ()))
        expected = max(0, length + dice.choice((0, 0, 0, 0, -1, 1)))
        try:
            if length and dice.random() < 0.1:
                await store.remove(room, expected)
                logs.pop(room)
            else:
                events = [asked(at)] * dice.randint(1, 3) if expected else [OPENED]
                await store.append_and_wait(room, expected, events)
                logs.setdefault(room, []).extend(events)
            assert expected == length
        except Conflict:
            assert expected != length
        if dice.random() < 0.1:
            await stores[0].close()
            stores[0] = opened(tmp_path)
        for reader in stores:
            assert {id: await reader.load(id) for id in rooms} == {
                id: logs.get(id, []) for id in rooms
            }
            assert [(e.room, e.seq, e.changed) for e in await reader.rooms()] == [
                (id, len(log), log[-1].at) for id, log in sorted(logs.items())
            ]
            assert [e.room for e in await reader.rooms(rooms[1], 1)] == [
                id for id in rooms[2:] if id in logs
            ][:1]
    for store in stores:
        await store.close()


async def test_who_did_not_know_of_a_removal_does_not_write_on_top_of_it(tmp_path: Path) -> None:
    ours, theirs = opened(tmp_path), opened(tmp_path)
    await ours.append_and_wait(ROOM, 0, [OPENED])
    await theirs.append_and_wait(ROOM, 1, [asked(2)])
    await ours.append_and_wait(ROOM, 2, [asked(3)])  # both know the room now

    await theirs.remove(ROOM, 3)

    with pytest.raises(Conflict):
        await ours.append_and_wait(ROOM, 3, [asked(4)])
    assert await ours.load(ROOM) == []
    await ours.append_and_wait(ROOM, 0, [OPENED])
    await ours.close()
    await theirs.close()


async def test_many_changes_of_which_one_is_in_vain_are_written_but_for_that_one(
    tmp_path: Path,
) -> None:
    ours, theirs = opened(tmp_path), opened(tmp_path)
    await ours.append_and_wait(ROOM, 0, [OPENED])
    await theirs.append_and_wait(OTHER, 0, [OPENED])
    outcomes: list[object] = []

    ours.append(ROOM, 1, lambda: [asked(2)], outcomes.append)
    ours.append(OTHER, 0, lambda: [OPENED], outcomes.append)
    await ours.append_and_wait(OTHER, 1, [asked(3)])

    assert [type(outcome) for outcome in outcomes] == [type(None), Conflict]
    assert await theirs.load(ROOM) == [OPENED, asked(2)]
    assert await theirs.load(OTHER) == [OPENED, asked(3)]
    await ours.close()
    await theirs.close()


async def test_a_file_whose_writer_died_is_read_to_its_end(tmp_path: Path) -> None:
    """The index is behind by then; whoever opens the file brings it up to date."""
    store = opened(tmp_path)
    await store.append_and_wait(ROOM, 0, [OPENED])
    for at in range(2, 20):
        await store.append_and_wait(ROOM, at - 1, [asked(at)])
    with ExitStack() as stack:
        file = stack.enter_context(closing(sqlite3.connect(tmp_path / "rooms.db")))
        assert file.execute("SELECT count(*) FROM unindexed").fetchone() == (19,)
        again = opened(tmp_path)
        assert file.execute("SELECT count(*) FROM unindexed").fetchone() == (0,)

    assert await again.load(ROOM) == [OPENED, *(asked(at) for at in range(2, 20))]
    await again.close()
    await store.close()


async def test_the_index_is_never_far_behind(tmp_path: Path) -> None:
    store = opened(tmp_path)
    await store.append_and_wait(ROOM, 0, [OPENED, *[asked(2)] * journal.LAG])
    await store.append_and_wait(ROOM, journal.LAG + 1, [asked(3)])

    with closing(sqlite3.connect(tmp_path / "rooms.db")) as file:
        assert file.execute("SELECT count(*) FROM unindexed").fetchone() == (1,)
    await store.close()
