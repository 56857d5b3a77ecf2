from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from server.core.commands import DismissAI, Play, SeatAI, Sit
from server.core.events import Event, MovePlayed, Person
from server.core.room import RoomId
from server.core.rules import Mark
from server.live.ai import AIPlayer
from server.live.host import RoomHost
from server.live.lobby import Lobby
from server.live.thinker import Thinker
from server.metrics import Metrics
from server.store.memory import MemoryStore
from tests.live.rooms import ADA, new_lobby, open_room


@pytest.fixture(scope="module")
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
async def thinker(metrics: Metrics) -> AsyncIterator[Thinker]:
    opened = Thinker(metrics, workers=1)
    await opened.wake()
    yield opened
    await opened.close()


async def with_ai(
    thinker: Thinker, metrics: Metrics, store: MemoryStore | None = None, pause: int = 0
) -> tuple[Lobby, AIPlayer]:
    lobby, ai = new_lobby(store), AIPlayer(thinker, metrics, pause=pause)
    lobby.on_change.append(ai.look)
    return lobby, ai


async def until(host: RoomHost, ply: int) -> None:
    async with asyncio.timeout(20):
        while len(host.room.moves) < ply and host.room.outcome is None:
            await asyncio.sleep(0.005)


async def test_the_ai_answers_a_move(thinker: Thinker, metrics: Metrics) -> None:
    lobby, _ = await with_ai(thinker, metrics)
    host = await open_room(lobby, ADA, "perfect")

    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await until(host, 2)

    assert host.room.turn is Mark.X


async def test_the_ai_begins_when_it_has_x(thinker: Thinker, metrics: Metrics) -> None:
    lobby, _ = await with_ai(thinker, metrics)

    host = await open_room(lobby, "easy", ADA)
    await until(host, 1)

    assert host.room.turn is Mark.O


async def test_the_ai_takes_over_in_the_middle_of_a_game(
    thinker: Thinker, metrics: Metrics
) -> None:
    lobby, _ = await with_ai(thinker, metrics)
    host = await open_room(lobby, ADA, None)

    await host.submit_and_wait(SeatAI(ADA.id, Mark.O, "hard"))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await until(host, 2)

    assert len(host.room.moves) == 2


async def test_two_ais_play_to_the_end(thinker: Thinker, metrics: Metrics) -> None:
    lobby, ai = await with_ai(thinker, metrics)
    host = await open_room(lobby, "perfect", "perfect")
    async with asyncio.timeout(20):
        while host.room.outcome is None:
            await asyncio.sleep(0.005)

    assert host.room.draws == 1
    async with asyncio.timeout(5):
        while ai.is_playing(host.id):
            await asyncio.sleep(0)


async def test_an_ai_that_was_dismissed_while_it_paused_does_not_move(
    thinker: Thinker, metrics: Metrics
) -> None:
    lobby, ai = await with_ai(thinker, metrics, pause=200)
    host = await open_room(lobby, ADA, "easy")
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    await host.submit_and_wait(DismissAI(ADA.id, Mark.O))
    async with asyncio.timeout(10):
        while ai.is_playing(host.id):
            await asyncio.sleep(0.01)

    assert host.room.moves == (4,)


async def test_a_pause_is_not_begun_again_by_whatever_else_happens_in_the_room(
    thinker: Thinker, metrics: Metrics
) -> None:
    lobby, _ = await with_ai(thinker, metrics, pause=100)
    host = await open_room(lobby, ADA, "easy")
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    for number in range(40):
        await host.submit_and_wait(Sit(Person(ADA.id, f"Ada {number}"), Mark.X))
        await asyncio.sleep(0.02)
        if len(host.room.moves) == 2:
            break

    assert len(host.room.moves) == 2


async def test_an_ai_that_stumbled_gets_up_again(
    thinker: Thinker, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobby, ai = await with_ai(thinker, metrics)
    monkeypatch.setattr("server.live.ai.TRY_AGAIN", 0.01)
    choose, falls = ai._choose, [True]

    async def stumble(*question: Any) -> int:
        if falls.pop() if falls else False:
            raise OSError("no descriptors left")
        return await choose(*question)

    monkeypatch.setattr(ai, "_choose", stumble)
    host = await open_room(lobby, "easy", ADA)
    await until(host, 1)

    assert len(host.room.moves) == 1


async def test_the_same_room_game_ply_and_level_give_the_same_moves(
    thinker: Thinker, metrics: Metrics
) -> None:
    async def game(id: str) -> list[Event]:
        store = MemoryStore()
        lobby, _ = await with_ai(thinker, metrics, store)
        host = await open_room(lobby, "easy", "medium", id=id)
        await until(host, 9)
        return [e for e in await store.load(RoomId(id)) if isinstance(e, MovePlayed)]

    assert await game("same") == await game("same")
    games = [await game(f"other-{number}") for number in range(5)]
    assert any(game != games[0] for game in games)


async def test_an_ai_that_was_to_move_when_the_server_stopped_moves_after_the_start(
    thinker: Thinker, metrics: Metrics
) -> None:
    store = MemoryStore()
    before = await open_room(new_lobby(store), ADA, "perfect")  # nobody looks on here
    await before.submit_and_wait(Play(ADA.id, 4, 0))

    lobby, _ = await with_ai(thinker, metrics, store)
    host = await lobby.find("room")
    await until(host, 2)

    assert len(host.room.moves) == 2
