"""Rooms are copied whole from any store to any other, and what is there already is not touched."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from server.copy import copy, main
from server.core.room import RoomId
from server.metrics import Times
from server.store import Done, Store, Take, Unavailable, open_store
from server.store.memory import MemoryStore
from tests.support.engines import address, nats_server
from tests.support.logs import OPENED, OTHER, ROOM, SEATED, THIRD, move

pytestmark = pytest.mark.real_loop


async def filled(store: Store, rooms: int = 40) -> Store:
    for number in range(rooms):
        await store.append_and_wait(RoomId(f"r{number}"), 0, [OPENED, SEATED, move(number % 9)])
    await store.append_and_wait(ROOM, 0, [OPENED])
    await store.append_and_wait(ROOM, 1, [SEATED, *(move(0) for _ in range(1_200))])
    return store


async def contents(store: Store) -> dict[str, object]:
    return {entry.room: await store.load(entry.room) for entry in await store.rooms()}


def silent(done: int, total: int) -> None:
    pass


async def test_all_rooms_are_copied_and_a_second_copy_has_nothing_to_do(tmp_path: Path) -> None:
    source = await filled(MemoryStore())
    target = open_store(f"sqlite:{tmp_path}/copy.db", Times())
    shown: list[tuple[int, int]] = []

    first = await copy(source, target, lambda done, total: shown.append((done, total)))
    second = await copy(source, target, silent)

    assert (first.copied, first.unchanged, first.different) == (41, 0, [])
    assert (second.copied, second.unchanged) == (0, 41)
    assert await contents(target) == await contents(source)
    assert shown[0] == (0, 41)
    assert shown[-1] == (41, 41)
    await target.close()


async def test_a_later_copy_adds_what_is_new() -> None:
    source, target = await filled(MemoryStore()), MemoryStore()
    await copy(source, target, silent)
    await source.append_and_wait(RoomId("r1"), 3, [move(8)])
    await source.append_and_wait(OTHER, 0, [OPENED])

    result = await copy(source, target, silent)

    assert (result.copied, result.unchanged) == (2, 39 + 1)
    assert await contents(target) == await contents(source)


class Dying(MemoryStore):
    """Fails after some rooms."""

    left = 20

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        self.left -= 1
        if self.left < 0:
            done(Unavailable("disk full"))
        else:
            super().append(room, expected, take, done)


async def test_a_copy_that_was_interrupted_goes_on() -> None:
    source, target = await filled(MemoryStore()), Dying()
    with pytest.raises(Unavailable):
        await copy(source, target, silent)

    target.left = 1_000
    result = await copy(source, target, silent)

    assert 0 < result.unchanged < 41
    assert await contents(target) == await contents(source)


async def test_a_room_with_other_events_is_reported_and_left_alone() -> None:
    source, target = MemoryStore(), MemoryStore()
    await source.append_and_wait(ROOM, 0, [OPENED, SEATED])
    await source.append_and_wait(THIRD, 0, [OPENED])
    await target.append_and_wait(ROOM, 0, [OPENED, move(0)])

    result = await copy(source, target, silent)

    assert (result.copied, result.different) == (1, [ROOM])
    assert await target.load(ROOM) == [OPENED, move(0)]


async def test_rooms_move_to_nats_and_back(tmp_path: Path) -> None:
    source = open_store(f"sqlite:{tmp_path}/old.db", Times())
    before = await contents(await filled(source))
    await source.close()
    async with nats_server(tmp_path) as server:
        old, new = f"sqlite:{tmp_path}/old.db", f"sqlite:{tmp_path}/new.db"
        # In a thread, because the command has an event loop of its own.
        assert await asyncio.to_thread(main, [old, address(server)]) == 0
        assert await asyncio.to_thread(main, [address(server), new]) == 0
    copied = open_store(new, Times())
    assert await contents(copied) == before
    await copied.close()


def test_an_address_that_is_no_store_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["redis:x", "memory:"]) == 2

    assert "redis:x" in capsys.readouterr().err


def test_a_file_to_copy_from_is_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    misspelt = tmp_path / "nought.db"

    assert main([f"sqlite:{misspelt}", "memory:"]) == 1

    assert f"there is no file {misspelt}" in capsys.readouterr().err
    assert not misspelt.exists()
