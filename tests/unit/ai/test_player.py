"""The AI as a player: when it moves, when it does not, and that its games can be repeated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from server.ai.player import AIPlayer
from server.ai.pool import SearchPool
from server.core.commands import DismissAI, Play, SeatAI, Sit
from server.core.events import Event, MovePlayed, Person
from server.core.room import RoomId
from server.core.rules import Mark
from server.live.host import RoomHost
from server.live.rooms import Rooms
from server.metrics import Metrics
from server.store.memory import MemoryStore
from tests.support.rooms import ADA, new_rooms, open_room
from tests.support.searching import new_pool


@pytest.fixture(scope="module")
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
async def pool(metrics: Metrics) -> AsyncIterator[SearchPool]:
    opened = new_pool(metrics)
    await opened.wake()
    yield opened
    await opened.close()


async def with_ai(
    pool: SearchPool, metrics: Metrics, store: MemoryStore | None = None, pause: int = 0
) -> tuple[Rooms, AIPlayer]:
    rooms, ai = new_rooms(store), AIPlayer(pool, metrics, pause=pause)
    rooms.on_change.append(ai.look)
    return rooms, ai


async def until(host: RoomHost, ply: int) -> None:
    async with asyncio.timeout(20):
        while len(host.room.moves) < ply and host.room.outcome is None:
            await asyncio.sleep(0.005)


async def test_the_ai_answers_a_move(pool: SearchPool, metrics: Metrics) -> None:
    rooms, _ = await with_ai(pool, metrics)
    host = await open_room(rooms, ADA, "perfect")

    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await until(host, 2)

    assert host.room.turn is Mark.X


async def test_the_ai_begins_when_it_has_x(pool: SearchPool, metrics: Metrics) -> None:
    rooms, _ = await with_ai(pool, metrics)

    host = await open_room(rooms, "easy", ADA)
    await until(host, 1)

    assert host.room.turn is Mark.O


async def test_the_ai_takes_over_in_the_middle_of_a_game(
    pool: SearchPool, metrics: Metrics
) -> None:
    rooms, _ = await with_ai(pool, metrics)
    host = await open_room(rooms, ADA, None)

    await host.submit_and_wait(SeatAI(ADA.id, Mark.O, "hard"))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await until(host, 2)

    assert len(host.room.moves) == 2


async def test_two_ais_play_to_the_end(pool: SearchPool, metrics: Metrics) -> None:
    rooms, ai = await with_ai(pool, metrics)
    host = await open_room(rooms, "perfect", "perfect")
    async with asyncio.timeout(20):
        while host.room.outcome is None:
            await asyncio.sleep(0.005)

    assert host.room.draws == 1
    async with asyncio.timeout(5):
        while ai.is_playing(host.id):
            await asyncio.sleep(0)


async def test_an_ai_that_was_dismissed_while_it_paused_does_not_move(
    pool: SearchPool, metrics: Metrics
) -> None:
    rooms, ai = await with_ai(pool, metrics, pause=200)
    host = await open_room(rooms, ADA, "easy")
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    await host.submit_and_wait(DismissAI(ADA.id, Mark.O))
    async with asyncio.timeout(10):
        while ai.is_playing(host.id):
            await asyncio.sleep(0.01)

    assert host.room.moves == (4,)


async def test_a_pause_is_not_begun_again_by_whatever_else_happens_in_the_room(
    pool: SearchPool, metrics: Metrics
) -> None:
    rooms, _ = await with_ai(pool, metrics, pause=100)
    host = await open_room(rooms, ADA, "easy")
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    for number in range(40):
        await host.submit_and_wait(Sit(Person(ADA.id, f"Ada {number}"), Mark.X))
        await asyncio.sleep(0.02)
        if len(host.room.moves) == 2:
            break

    assert len(host.room.moves) == 2


async def test_an_ai_that_failed_plays_on_after_a_while(
    pool: SearchPool, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms, ai = await with_ai(pool, metrics)
    monkeypatch.setattr("server.ai.player.TRY_AGAIN", 0.01)
    choose, fails = ai._choose, [True]

    async def fail_once(*question: Any) -> int:
        if fails.pop() if fails else False:
            raise OSError("no descriptors left")
        return await choose(*question)

    monkeypatch.setattr(ai, "_choose", fail_once)
    host = await open_room(rooms, "easy", ADA)
    await until(host, 1)

    assert len(host.room.moves) == 1


async def test_the_same_room_game_ply_and_level_give_the_same_moves(
    pool: SearchPool, metrics: Metrics
) -> None:
    async def game(id: str) -> list[Event]:
        store = MemoryStore()
        rooms, _ = await with_ai(pool, metrics, store)
        host = await open_room(rooms, "easy", "medium", id=id)
        await until(host, 9)
        return [e for e in await store.load(RoomId(id)) if isinstance(e, MovePlayed)]

    assert await game("same") == await game("same")
    games = [await game(f"other-{number}") for number in range(5)]
    assert any(game != games[0] for game in games)


async def test_an_ai_that_was_to_move_when_the_server_stopped_moves_after_the_start(
    pool: SearchPool, metrics: Metrics
) -> None:
    store = MemoryStore()
    before = await open_room(new_rooms(store), ADA, "perfect")  # nobody looks on here
    await before.submit_and_wait(Play(ADA.id, 4, 0))

    rooms, _ = await with_ai(pool, metrics, store)
    host = await rooms.find("room")
    await until(host, 2)

    assert len(host.room.moves) == 2
