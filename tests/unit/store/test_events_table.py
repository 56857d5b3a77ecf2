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
from server.store import Conflict, Store, events_table, open_store

ROOM, OTHER, THIRD = RoomId("room"), RoomId("other"), RoomId("third")
OPENED = RoomOpened(1, CLASSIC, True)


def asked(at: int) -> Event:
    return RematchAsked(at, Mark.X)


def opened(path: Path) -> Store:
    return open_store(f"sqlite:{path}/rooms.db", Times())


@pytest.fixture(params=[2, 3, 5, 5_000])
def lag(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the index be brought up to date more and less often."""
    monkeypatch.setattr(events_table, "LAG", request.param)


@pytest.mark.usefixtures("lag")
@pytest.mark.parametrize(("switches", "removals"), [(0.5, 0.1), (0.3, 0.3)])
@pytest.mark.parametrize("seed", range(5))
async def test_two_who_write_to_one_file_agree_with_a_list_of_events(
    tmp_path: Path, seed: int, switches: float, removals: float
) -> None:
    """One of them may know of nothing that the other has written, and finds out."""
    dice = Random(seed)
    stores = [opened(tmp_path), opened(tmp_path)]
    store = stores[0]
    logs: dict[RoomId, list[Event]] = {}
    rooms = [RoomId(f"r{number}") for number in range(4)]
    for at in range(2, 120):
        if dice.random() < switches:
            store = dice.choice(stores)
        room = dice.choice(rooms)
        length = len(logs.get(room, ()))
        expected = max(0, length + dice.choice((0, 0, 0, 0, -1, 1)))
        try:
            if length and dice.random() < removals:
                await store.remove(room, expected)
                logs.pop(room)
            else:
                events = [asked(at)] * dice.randint(1, 2) if expected else [OPENED]
                await store.append_and_wait(room, expected, events)
                logs.setdefault(room, []).extend(events)
            assert expected == length
        except Conflict:
            assert expected != length
        if dice.random() < 0.05:
            await stores[0].close()
            stores[0] = store = opened(tmp_path)
        await agree(dice.choice(stores), rooms, logs)
    for store in stores:
        await store.close()


async def agree(store: Store, rooms: list[RoomId], logs: dict[RoomId, list[Event]]) -> None:
    assert {id: await store.load(id) for id in rooms} == {id: logs.get(id, []) for id in rooms}
    assert [(entry.room, entry.seq, entry.changed) for entry in await store.rooms()] == [
        (id, len(log), log[-1].at) for id, log in sorted(logs.items())
    ]
    next_one = [entry.room for entry in await store.rooms(rooms[1], 1)]
    assert next_one == [id for id in rooms[2:] if id in logs][:1]


@pytest.mark.parametrize("target", [ROOM, OTHER, THIRD])
@pytest.mark.parametrize("removed", [[ROOM], [ROOM, OTHER], [OTHER, ROOM]])
async def test_who_did_not_know_of_a_removal_does_not_write_on_top_of_it(
    tmp_path: Path, target: RoomId, removed: list[RoomId]
) -> None:
    """The numbers of what was removed are free again, and yet not for the one who did not know."""
    ours, theirs = opened(tmp_path), opened(tmp_path)
    for room in (THIRD, ROOM, OTHER):
        await ours.append_and_wait(room, 0, [OPENED])
    await theirs.append_and_wait(ROOM, 1, [asked(2)])
    await theirs.append_and_wait(OTHER, 1, [asked(3)])
    for room in removed:
        await theirs.remove(room, 2)

    if target is THIRD:
        await ours.append_and_wait(target, 1, [asked(4)])
    else:
        with pytest.raises(Conflict):
            await ours.append_and_wait(target, 1, [asked(4)])

    for store in (ours, theirs):
        assert await store.load(THIRD) == [OPENED, asked(4)][: 2 if target is THIRD else 1]
        assert await store.load(ROOM) == []
        assert await store.load(OTHER) == ([] if OTHER in removed else [OPENED, asked(3)])
        await store.close()


async def test_a_removal_is_noticed_also_where_the_file_ends_as_before(tmp_path: Path) -> None:
    ours, theirs = opened(tmp_path), opened(tmp_path)
    await ours.append_and_wait(ROOM, 0, [OPENED])
    await ours.append_and_wait(OTHER, 0, [OPENED])

    await theirs.remove(ROOM, 1)

    with pytest.raises(Conflict):
        await ours.append_and_wait(ROOM, 1, [asked(2)])
    assert await ours.load(ROOM) == []
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
    await store.append_and_wait(ROOM, 0, [OPENED])
    await store.append_and_wait(ROOM, 1, [asked(2)] * events_table.LAG)
    await store.append_and_wait(ROOM, events_table.LAG + 1, [asked(3)])

    with closing(sqlite3.connect(tmp_path / "rooms.db")) as file:
        assert file.execute("SELECT count(*) FROM unindexed").fetchone() == (1,)
    await store.close()
