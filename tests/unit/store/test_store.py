"""The contract of a store, run against every backend."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest

from server.backend import open_backend
from server.core.events import Event
from server.core.room import RoomId
from server.metrics import Times
from server.store import CannotOpen, Conflict, Store, open_store
from server.store.memory import MemoryStore
from tests.support.engines import NatsServer, address, free_ports
from tests.support.logs import OPENED, OTHER, ROOM, SEATED, move

PREFIXES = count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    [port] = free_ports(1)
    server = NatsServer(tmp_path_factory.mktemp("nats"), "alone", port)
    server.start_now()
    yield server
    server.end_now()


@pytest.fixture(params=["memory", "sqlite", "nats"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    match request.param:
        case "memory":
            url = "memory:"
        case "sqlite":
            url = f"sqlite:{tmp_path}/rooms.db"
        case _:  # each test has rooms of its own
            server = request.getfixturevalue("server")
            url = address(server, options=f"?prefix=test{next(PREFIXES)}")
    opened, _ = await open_backend(url, Times())
    yield opened
    await opened.close()


async def test_appended_events_are_loaded_in_order(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, SEATED])
    await store.append_and_wait(ROOM, 2, [move(0)])

    assert await store.load(ROOM) == [OPENED, SEATED, move(0)]


async def test_the_tail_of_a_log_is_what_comes_after_so_many_events(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, SEATED])
    await store.append_and_wait(ROOM, 2, [move(0), move(1)])

    assert await store.load(ROOM, 1) == [SEATED, move(0), move(1)]
    assert await store.load(ROOM, 3) == [move(1)]
    assert await store.load(ROOM, 4) == []
    for room, after in ((ROOM, 5), (OTHER, 1)):
        with pytest.raises(Conflict):
            await store.load(room, after)


async def test_a_room_that_is_followed_can_be_written_read_and_removed(store: Store) -> None:
    store.follow(ROOM, lambda *_: None)
    await store.append_and_wait(ROOM, 0, [OPENED])
    await store.append_and_wait(ROOM, 1, [SEATED])
    assert await store.load(ROOM, 1) == [SEATED]
    await store.remove(ROOM, 2)
    await store.append_and_wait(ROOM, 0, [OPENED, SEATED, move(0)])

    assert await store.load(ROOM) == [OPENED, SEATED, move(0)]
    store.unfollow(ROOM)


async def test_an_unknown_room_has_an_empty_log(store: Store) -> None:
    assert await store.load(ROOM) == []


async def test_an_append_with_an_old_length_is_a_conflict_and_changes_nothing(
    store: Store,
) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, SEATED])

    for expected in (0, 1, 3):
        with pytest.raises(Conflict):
            await store.append_and_wait(ROOM, expected, [move(4)])

    assert await store.load(ROOM) == [OPENED, SEATED]


async def test_a_log_begins_at_its_beginning(store: Store) -> None:
    with pytest.raises(Conflict):
        await store.append_and_wait(ROOM, 1, [SEATED])

    assert await store.load(ROOM) == []
    assert await store.rooms() == []


async def test_only_one_of_two_appends_at_once_is_written(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED])

    both = (store.append_and_wait(ROOM, 1, [move(0)]), store.append_and_wait(ROOM, 1, [move(1)]))
    outcomes = await asyncio.gather(*both, return_exceptions=True)

    [written] = [cell for cell, outcome in enumerate(outcomes) if outcome is None]
    assert isinstance(outcomes[1 - written], Conflict), outcomes
    assert await store.load(ROOM) == [OPENED, move(written)]


async def test_a_conflict_in_one_room_spares_the_others(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED])

    outcomes = await asyncio.gather(
        store.append_and_wait(ROOM, 7, [move(0)]),
        store.append_and_wait(OTHER, 0, [OPENED, SEATED]),
        return_exceptions=True,
    )

    assert [type(outcome) for outcome in outcomes] == [Conflict, type(None)]
    assert await store.load(OTHER) == [OPENED, SEATED]


async def test_many_rooms_written_at_once_are_all_there(store: Store) -> None:
    rooms = [RoomId(f"r{number}") for number in range(200)]

    await asyncio.gather(*(store.append_and_wait(room, 0, [OPENED, SEATED]) for room in rooms))
    await asyncio.gather(*(store.append_and_wait(room, 2, [move(4)]) for room in rooms))

    for room in rooms:
        assert await store.load(room) == [OPENED, SEATED, move(4)]


async def test_rooms_are_listed_page_by_page_in_the_order_of_their_ids(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, SEATED])
    await store.append_and_wait(OTHER, 0, [OPENED])
    await store.append_and_wait(OTHER, 1, [move(8)])

    listed = await store.rooms()

    assert listed == [(OTHER, 2, 18), (ROOM, 2, 2)]
    assert await store.rooms(limit=1) == listed[:1]
    assert await store.rooms(after=OTHER) == listed[1:]
    assert await store.rooms(after=ROOM) == []


async def test_a_room_that_is_removed_is_gone_and_the_others_stay(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, SEATED])
    await store.append_and_wait(OTHER, 0, [OPENED])

    await store.remove(ROOM, 2)

    assert await store.load(ROOM) == []
    assert await store.load(OTHER) == [OPENED]
    with pytest.raises(Conflict):
        await store.append_and_wait(ROOM, 2, [move(0)])
    await store.append_and_wait(ROOM, 0, [OPENED])
    assert await store.load(ROOM) == [OPENED]


async def test_a_room_that_has_moved_on_is_not_removed(store: Store) -> None:
    await store.append_and_wait(ROOM, 0, [OPENED, SEATED])

    for wrong in (1, 3):
        with pytest.raises(Conflict):
            await store.remove(ROOM, wrong)
    for wrong in (0, 1):
        with pytest.raises(Conflict):
            await store.remove(OTHER, wrong)

    assert await store.load(ROOM) == [OPENED, SEATED]


async def test_rooms_can_be_removed_while_others_are_written(store: Store) -> None:
    rooms = [RoomId(f"r{number}") for number in range(50)]
    await asyncio.gather(*(store.append_and_wait(room, 0, [OPENED]) for room in rooms))

    changes = [store.remove(room, 1) for room in rooms[::2]]
    changes += [store.append_and_wait(room, 1, [SEATED]) for room in rooms]
    ended = await asyncio.gather(*changes, return_exceptions=True)

    assert ended[:25] == [None] * 25
    assert [isinstance(end, Conflict) for end in ended[25:]] == [True, False] * 25
    assert [entry.room for entry in await store.rooms()] == sorted(rooms[1::2])


async def test_a_working_store_can_write_and_its_probe_leaves_no_room(store: Store) -> None:
    assert await store.can_write()
    assert await store.rooms() == []


async def test_events_are_taken_when_they_are_written(store: Store) -> None:
    """Events that a room adds until then are written too; later ones are not lost."""
    events: list[Event] = [OPENED]
    taken: list[int] = []
    done = asyncio.get_running_loop().create_future()

    def take() -> list[Event]:
        taken.append(len(events))
        return list(events)

    store.append(ROOM, 0, take, done.set_result)
    events.append(SEATED)

    assert await done is None
    assert taken == [1 if isinstance(store, MemoryStore) else 2]
    assert await store.load(ROOM) == [OPENED, SEATED][: taken[0]]


@pytest.mark.parametrize("url", ["", "rooms.db", "redis:x", "sqlite:", "sqlite:/no/such/folder/x"])
def test_a_url_that_names_no_store_is_explained(url: str) -> None:
    with pytest.raises(CannotOpen, match=r"."):
        open_store(url, Times())
