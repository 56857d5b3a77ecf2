"""Several servers and one engine: a client sees on any of them what it would see on one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.dialling import Frame, dialled, play_out
from tests.support.engines import NatsServer, address, nats_server
from tests.support.fetching import fetch
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def engine(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[NatsServer]:
    async with nats_server(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def nodes(
    engine: NatsServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Served, Served]]:
    folder, store = tmp_path_factory.mktemp("nodes"), address(engine)
    async with (
        serving(folder, "--no-limits", store=store) as ann,
        serving(folder, "--no-limits", store=store) as bob,
    ):
        yield ann, bob
        for served in (ann, bob):
            assert await served.stop() == 0
            assert "Traceback" not in served.log, served.log


def is_playing(state: Frame) -> bool:
    return bool(state["status"] == "playing")


async def test_two_players_on_two_nodes_play_a_game_and_a_rematch(
    nodes: tuple[Served, Served],
) -> None:
    async with dialled(nodes[0].ws, name="Ada") as ada, dialled(nodes[1].ws, name="Bo") as bo:
        room = await ada.create()
        await bo.watch(room)
        await bo.accept("sit", room=room, seat="O")
        await ada.state(room, is_playing)
        await bo.state(room, is_playing)

        state = await play_out(room, (ada, bo), [0, 3, 1, 4, 2])
        assert (state["status"], state["outcome"]["winner"]) == ("over", "X")

        await ada.accept("rematch", room=room, game=1)
        await bo.state(room, lambda s: bool(s["rematch"]))
        await bo.accept("rematch", room=room, game=1)
        await ada.state(room, lambda s: bool(s["game"] == 2))


async def test_presence_phrases_and_the_lobby_cross_nodes(nodes: tuple[Served, Served]) -> None:
    async with dialled(nodes[0].ws, name="Ada") as ada, dialled(nodes[1].ws, name="Bo") as bo:
        await bo.accept("lobby", on=True)
        room = await ada.create(seats={"X": "me", "O": "open"})
        await bo.until(
            lambda f: f["type"] == "lobby" and any(r["room"] == room for r in f["rooms"])
        )
        await bo.watch(room)
        await bo.accept("sit", room=room, seat="O")
        for player in (ada, bo):
            await player.until(lambda f: f["type"] == "presence" and f["online"] == ["X", "O"])

        await bo.accept("say", room=room, phrase="hello")
        said = await ada.of_type("said")
        assert (said["player"]["name"], said["phrase"]) == ("Bo", "hello")

        await bo.socket.close()
        await ada.until(lambda f: f["type"] == "presence" and f["online"] == ["X"])


async def test_quick_play_pairs_players_of_two_nodes(nodes: tuple[Served, Served]) -> None:
    async with dialled(nodes[0].ws, name="Ada") as ada, dialled(nodes[1].ws, name="Bo") as bo:
        await ada.accept("quick", on=True, variant="5x5")
        await bo.accept("quick", on=True, variant="5x5")
        for player in (ada, bo):
            await player.until(lambda f: f["type"] == "quick" and f["partner"] is not None)

        await ada.accept("meet", player=bo.id)
        await bo.until(lambda f: f["type"] == "quick" and f["asks"])
        room = (await bo.accept("meet", player=ada.id))["room"]

        met = await ada.until(lambda f: f["type"] == "quick" and f["room"] is not None)
        assert met["room"] == room
        assert (await ada.watch(room))["status"] == "playing"


async def test_a_bot_is_marked_on_the_other_node_too(nodes: tuple[Served, Served]) -> None:
    async with (
        dialled(nodes[0].ws, name="Robo", bot=True) as robo,
        dialled(nodes[1].ws, name="Bo") as bo,
    ):
        room = await robo.create(variant="reverse")
        await bo.accept("quick", on=True, variant="reverse")
        await robo.accept("quick", on=True, variant="reverse")
        told = await bo.until(lambda f: f["type"] == "quick" and f["partner"] is not None)
        assert told["partner"] == {"id": robo.id, "name": "Robo", "bot": True}
        assert (await bo.watch(room))["seats"]["X"]["bot"] is True
        async with asyncio.timeout(30):
            while room not in await asyncio.to_thread(listed, nodes[1], "?bots=1"):
                await asyncio.sleep(0.1)
        assert room not in listed(nodes[1], "?bots=0")
        await bo.accept("quick", on=False)


def listed(server: Served, query: str) -> list[str]:
    return [entry["room"] for entry in fetch(server, f"/api/rooms{query}").json["rooms"]]


async def test_an_ai_and_a_clock_go_on_on_the_other_node_when_theirs_is_killed(
    engine: NatsServer, tmp_path_factory: pytest.TempPathFactory, nodes: tuple[Served, Served]
) -> None:
    folder = tmp_path_factory.mktemp("third")
    async with (
        serving(folder, "--no-limits", store=address(engine)) as third,
        dialled(third.ws, name="Ada") as ada,
    ):
        seats = {"X": "me", "O": {"ai": "hard"}}
        room = await ada.create(seats=seats, clock={"budget": 60_000, "increment": 0})
        await ada.accept("play", room=room, cell=4, ply=0)
        await ada.state(room, lambda s: len(s["moves"]) == 2)
        token = ada.token
        await third.kill()

        async with dialled(nodes[0].ws, token=token) as again:
            state = await again.watch(room)
            assert len(state["moves"]) == 2
            free = [cell for cell, mark in enumerate(state["board"]) if mark is None]
            await again.accept("play", room=room, cell=free[0], ply=2)
            await again.state(room, lambda s: len(s["moves"]) == 4 or s["status"] == "over")


async def test_while_the_engine_is_away_commands_are_refused_and_boards_stay(
    engine: NatsServer, nodes: tuple[Served, Served]
) -> None:
    async with dialled(nodes[0].ws, name="Ada") as ada, dialled(nodes[1].ws, name="Bo") as bo:
        room = await ada.create(seats={"X": "me", "O": "me"})
        await bo.watch(room)
        await engine.end()

        assert await ada.reason("play", room=room, cell=4, ply=0) == "retry"
        assert (await asyncio.to_thread(fetch, nodes[1], "/readyz")).status == 503
        assert (await asyncio.to_thread(fetch, nodes[1], f"/api/rooms/{room}")).status == 200

        await engine.start()
        async with asyncio.timeout(30):
            while (await ada.ask("play", room=room, cell=4, ply=0))["type"] != "accepted":
                await asyncio.sleep(0.1)
            while (await asyncio.to_thread(fetch, nodes[1], "/readyz")).status != 200:
                await asyncio.sleep(0.1)
        await bo.state(room, lambda s: bool(s["moves"] == [4]))
        async with asyncio.timeout(30):
            while "the engine answers again" not in nodes[0].log:
                await asyncio.sleep(0.1)
    assert nodes[0].log.count("the engine does not answer") == 1
    assert nodes[0].log.count("the engine answers again") == 1
