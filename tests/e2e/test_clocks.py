"""docs/protocol.md §3: clocks over the wire, in real seconds. Unit tests have the arithmetic."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.support.dialling import Frame, Player, dialled, play_out, seated_pair
from tests.support.serving import HANG, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

BUDGET = 5_000


def now() -> int:
    return time.time_ns() // 1_000_000


async def test_the_clock_starts_with_the_first_move_which_costs_and_earns_nothing(
    ada: Player, bob: Player
) -> None:
    clock = {"budget": 60_000, "increment": 1_000}
    room = await seated_pair(ada, bob, clock=clock)
    assert (await ada.watch(room))["clock"]["since"] is None
    before = now()
    state = await play_out(room, (ada, bob), [4])
    first = state["clock"]
    assert first["left"] == {"X": 60_000, "O": 60_000}
    assert before <= first["since"] <= now()
    state = await play_out_from(room, bob, cell=0, ply=1)
    second = state["clock"]
    used = second["since"] - first["since"]
    assert second["left"] == {"X": 60_000, "O": 60_000 - used + 1_000}
    assert (second["budget"], second["increment"]) == (60_000, 1_000)


async def play_out_from(room: str, player: Player, *, cell: int, ply: int) -> Frame:
    await player.accept("play", room=room, cell=cell, ply=ply)
    return await player.state(room, lambda state: len(state["moves"]) == ply + 1)


async def test_the_clock_stands_still_while_a_seat_is_open(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob, clock={"budget": 60_000, "increment": 0})
    running = (await play_out(room, (ada, bob), [4]))["clock"]
    await bob.accept("leave", room=room, seat="O")
    stopped = (await ada.state(room))["clock"]
    assert stopped["since"] is None
    assert stopped["left"]["X"] == 60_000
    used = 60_000 - stopped["left"]["O"]
    assert 0 <= used <= now() - running["since"]
    await eve.accept("sit", room=room, seat="O")
    again = (await ada.state(room))["clock"]
    assert again["left"] == stopped["left"]
    assert running["since"] <= again["since"] <= now()


async def test_the_clock_stops_with_the_game_and_is_full_again_in_the_next(
    ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob, clock={"budget": 60_000, "increment": 0})
    state = await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
    assert state["clock"]["since"] is None
    await ada.accept("rematch", room=room)
    await bob.accept("rematch", room=room)
    state = await bob.state(room, lambda s: s["game"] == 2)
    assert state["clock"]["left"] == {"X": 60_000, "O": 60_000}
    assert state["clock"]["since"] is None


async def test_the_player_whose_time_runs_out_loses_by_time(
    ada: Player, bob: Player, eve: Player
) -> None:
    fresh = await seated_pair(ada, bob, clock={"budget": BUDGET, "increment": 0})
    paused = await seated_pair(ada, bob, clock={"budget": BUDGET, "increment": 0})
    room = await seated_pair(ada, bob, clock={"budget": BUDGET, "increment": 0})
    await play_out(paused, (ada, bob), [4])
    await bob.accept("leave", room=paused, seat="O")
    last = await play_out(room, (ada, bob), [4, 0])
    deadline = last["clock"]["since"] + last["clock"]["left"]["X"]

    over = await ada.state(room, lambda s: s["status"] == "over")

    assert deadline <= now() < deadline + 3_000  # usually within a few milliseconds
    assert over["outcome"] == {"winner": "O", "by": "time", "line": None}
    assert over["score"] == {"X": 0, "O": 1, "draws": 0}
    assert over["moves"] == [4, 0]
    assert over["clock"]["left"]["X"] == 0
    assert over["clock"]["since"] is None
    assert await ada.reason("play", room=room, cell=8, ply=2) == "game_over"
    # X's first move is free, however long it takes, and nobody is charged while a seat is open
    assert (await eve.watch(fresh))["status"] == "playing"
    assert (await eve.watch(paused))["status"] == "waiting"


async def test_two_ais_on_five_seconds_each_end_their_games_on_the_board(tmp_path: Path) -> None:
    """With their usual pause and all their nodes, they would need twice that."""
    clock, ends = {"budget": BUDGET, "increment": 0}, {"line", "full"}
    async with serving(tmp_path, ai_pause=None) as server, dialled(server.ws) as ada:
        for variant in ("drop", "ultimate"):
            seats = {"X": {"ai": "best"}, "O": {"ai": "best"}}
            await ada.accept("create", variant=variant, seats=seats, clock=clock)
        for _ in range(2):
            over = await ada.until(
                lambda f: f["type"] == "state" and f["status"] == "over", within=HANG
            )
            assert over["outcome"]["by"] in ends, (over["moves"], over["clock"])
            assert min(over["clock"]["left"].values()) > 0
