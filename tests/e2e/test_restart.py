"""docs/reliability.md P1 and P4: the server dies and restarts, and the game goes on."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.dialling import Frame, Player, dialled, play_out, seated_pair
from tests.support.fetching import fetch
from tests.support.serving import Served, outlived, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

CLOCK = {"budget": 60_000, "increment": 0}


@dataclass
class Restarted:
    """A server that has been restarted, and the states of its rooms before that."""

    server: Served
    ada: str  # tokens
    bob: str
    before: dict[str, Frame]
    down: int
    up: int


def now() -> int:
    return time.time_ns() // 1_000_000


@pytest_asyncio.fixture(
    scope="module", loop_scope="session", params=["SIGKILL", "SIGTERM"], name="it"
)
async def restarted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Restarted]:
    folder = tmp_path_factory.mktemp("restart")
    store = f"sqlite:{folder / 'rooms.db'}"
    async with (
        serving(folder, "--no-limits", store=store, ai_pause=60_000) as first,
        dialled(first.ws, name="Ada") as ada,
        dialled(first.ws, name="Bob") as bob,
    ):
        before = await rooms_of_all_kinds(ada, bob)
        if request.param == "SIGKILL":
            await first.kill()
            assert await ada.closed() in (1006, None)
        else:
            assert await first.stop() == 0
            assert await ada.closed() == 1012
        down = now()
    async with serving(folder, "--no-limits", store=store, port=first.port) as second:
        assert second.url == first.url
        yield Restarted(second, ada.token, bob.token, before, down, now())
        assert "Traceback" not in second.log, second.log


async def rooms_of_all_kinds(ada: Player, bob: Player) -> dict[str, Frame]:
    rooms = {"second game": await second_game(ada, bob)}
    timed = await seated_pair(ada, bob, clock=CLOCK)
    rooms["on the clock"] = await play_out(timed, (ada, bob), [4, 0])
    others: dict[str, Frame] = {
        "clock stands": {"seats": {"X": "me", "O": "me"}, "clock": CLOCK},
        "against an AI": {"seats": {"X": "me", "O": {"ai": "easy"}}, "public": False},
        "the AI's turn": {"seats": {"X": {"ai": "perfect"}, "O": "me"}},
        "with a nonce": {"nonce": "mine"},
    }
    for name, create in others.items():
        rooms[name] = await ada.watch(await ada.create(**create))
    return rooms


async def second_game(ada: Player, bob: Player) -> Frame:
    """A room in the middle of its second game, with a score."""
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
    await ada.accept("rematch", room=room)
    await bob.accept("rematch", room=room)
    for player in (ada, bob):
        await player.state(room, lambda state: state["game"] == 2)
    return await play_out(room, (bob, ada), [4, 0])


async def test_a_game_in_the_middle_goes_on_after_a_restart(it: Restarted) -> None:
    before = it.before["second game"]
    room = before["room"]
    assert fetch(it.server, f"/api/rooms/{room}").json == before  # even while the room is asleep
    async with (
        dialled(it.server.ws, token=it.ada, name="Ada") as ada,
        dialled(it.server.ws, token=it.bob, name="Bob") as bob,
        dialled(it.server.ws, name="Eve") as eve,
    ):
        for player in (ada, bob, eve):
            assert await player.watch(room) == before  # every field
        assert await eve.reason("play", room=room, cell=8, ply=2) == "not_seated"
        assert (await ada.accept("play", room=room, cell=0, ply=1))["seq"] == before["seq"]
        await bob.accept("play", room=room, cell=8, ply=2)
        state = await ada.state(room)
        assert (state["seq"], state["moves"]) == (before["seq"] + 1, [4, 0, 8])
        assert state["seats"] == before["seats"]
        assert await eve.state(room) == state


async def test_the_time_the_server_was_down_is_charged_to_nobody(it: Restarted) -> None:
    before = it.before["on the clock"]
    room, stopped = before["room"], before["clock"]
    assert it.up > it.down
    async with dialled(it.server.ws, token=it.ada, name="Ada") as ada:
        after = await ada.watch(room)
        clock = after["clock"]
        assert clock["since"] >= it.up
        assert clock["left"] == stopped["left"]
        changed = {"clock": {**stopped, "since": clock["since"]}, "seq": before["seq"] + 1}
        assert after == {**before, **changed}  # one event, which set `since`
        await ada.accept("play", room=room, cell=8, ply=2)
        left = (await ada.state(room))["clock"]["left"]["X"]
        assert clock["left"]["X"] - (now() - clock["since"]) <= left <= clock["left"]["X"]


async def test_a_clock_that_stands_is_woken_as_it_was(it: Restarted) -> None:
    before = it.before["clock stands"]
    async with dialled(it.server.ws, token=it.ada, name="Ada") as ada:
        assert await ada.watch(before["room"]) == before


async def test_a_game_against_an_ai_goes_on_and_the_ai_makes_the_move_it_owed(
    it: Restarted,
) -> None:
    mine, owed = it.before["against an AI"], it.before["the AI's turn"]
    assert owed["moves"] == []
    async with dialled(it.server.ws, token=it.ada, name="Ada") as ada:
        assert await ada.watch(mine["room"]) == mine
        await ada.accept("play", room=mine["room"], cell=4, ply=0)
        await ada.state(mine["room"], lambda state: len(state["moves"]) == 2)
        await ada.accept("watch", room=owed["room"])
        await ada.state(owed["room"], lambda state: len(state["moves"]) == 1)


async def test_a_room_created_again_with_its_nonce_is_the_same(it: Restarted) -> None:
    before = it.before["with a nonce"]
    async with dialled(it.server.ws, token=it.ada, name="Ada") as ada:
        assert await ada.create(nonce="mine") == before["room"]
        assert await ada.watch(before["room"]) == before


async def test_a_killed_server_leaves_no_worker_behind(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, dialled(server.ws) as player:
        room = await player.create(seats={"X": "me", "O": "me"})
        await player.accept("play", room=room, cell=1, ply=0)
        assert (await player.ask("analyse", room=room))["type"] == "analysis"
        family = server.family
        assert len(family) > 1  # the AI's workers
        await server.kill()
        assert not await outlived(family)
