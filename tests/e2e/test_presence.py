"""docs/protocol.md §3: presence, which is never stored, and sockets that never say hello."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from websockets.asyncio.client import connect

from tests.support.dialling import Frame, Player, dialled, play_out, seated_pair
from tests.support.serving import ROOT, Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def silent(server: Served) -> AsyncIterator[tuple[Player, float]]:
    """A socket that is opened when this file begins and never says hello."""
    async with connect(server.ws, compression=None) as socket:
        yield Player(socket), time.monotonic()


async def presence(player: Player, room: str, online: list[str], watchers: int) -> Frame:
    """Wait for a presence frame with these values."""
    wanted = {"type": "presence", "room": room, "online": online, "watchers": watchers}
    return await player.until(lambda frame: frame == wanted)


async def test_the_first_presence_comes_by_itself_after_watch(ada: Player, eve: Player) -> None:
    room = await ada.create()
    assert (await ada.of_type("presence")).keys() == {"type", "room", "online", "watchers"}
    await presence_after_watch(eve, room)


async def presence_after_watch(player: Player, room: str) -> None:
    await player.watch(room)
    begin = time.monotonic()
    await presence(player, room, ["X"], 1)
    assert time.monotonic() - begin < 5  # promised within a second


async def test_online_are_the_human_seats_with_a_live_socket(server: Served, ada: Player) -> None:
    room = await ada.create()
    await presence(ada, room, ["X"], 0)
    async with dialled(server.ws, name="Bob") as bob:
        await bob.accept("sit", room=room, seat="O")
        await presence(ada, room, ["X", "O"], 0)
    await presence(ada, room, ["X"], 0)
    async with dialled(server.ws, token=bob.token) as bob:
        await bob.watch(room)
        await presence(ada, room, ["X", "O"], 0)
    assert (await ada.watch(room))["seq"] == 3  # presence makes no events


async def test_both_seats_of_one_player_are_online_and_an_ai_never_is(ada: Player) -> None:
    both = await ada.create(seats={"X": "me", "O": "me"})
    await presence(ada, both, ["X", "O"], 0)
    against_ai = await ada.create(seats={"X": {"ai": "easy"}, "O": "me"})
    await presence(ada, against_ai, ["O"], 0)


async def test_spectators_are_counted_as_people_not_tabs(server: Served, ada: Player) -> None:
    room = await ada.create()
    async with (
        dialled(server.ws) as eve,
        dialled(server.ws, token=eve.token) as tab,
        dialled(server.ws) as guest,
        dialled(server.ws, token=ada.token) as phone,
    ):
        for player in (eve, tab, guest, phone):
            await player.watch(room)
        await presence(ada, room, ["X"], 2)
        await eve.accept("unwatch", room=room)  # her other tab still follows
        await guest.accept("unwatch", room=room)
        await presence(ada, room, ["X"], 1)
    await presence(ada, room, ["X"], 0)


async def test_a_spectator_who_sits_down_is_no_longer_counted(ada: Player, eve: Player) -> None:
    room = await ada.create()
    await eve.watch(room)
    await presence(ada, room, ["X"], 1)
    await eve.accept("sit", room=room, seat="O")
    await presence(ada, room, ["X", "O"], 0)
    await eve.accept("leave", room=room, seat="O")
    await presence(ada, room, ["X"], 1)


async def test_presence_comes_at_most_once_a_second_however_many_come_and_go(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    await presence(ada, room, ["X", "O"], 0)
    begin = time.monotonic()
    ada.seen.clear()
    while time.monotonic() - begin < 2.2:
        await eve.watch(room)
        await eve.accept("unwatch", room=room)
        await ada.ask("ping")  # reads the frames that have arrived
    lasted = time.monotonic() - begin
    told = [frame for frame in ada.seen if frame["type"] == "presence"]
    assert 1 <= len(told) <= lasted + 2


async def test_a_socket_without_a_hello_is_closed_with_1008_after_ten_seconds(
    silent: tuple[Player, float],
) -> None:
    player, since = silent
    assert await player.closed() == 1008
    assert time.monotonic() - since > 9


PINGS = """
import asyncio, sys
from tests.support.dialling import dialled

async def main(ws, room):
    async with dialled(ws) as player:
        await player.accept("sit", room=room, seat="O")
        while True:
            await player.ask("ping")
            await asyncio.sleep(0.1)

asyncio.run(main(*sys.argv[1:]))
"""


async def test_a_player_whose_process_is_frozen_is_absent_until_it_goes_on(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, "--limit=quiet=1", "--limit=pong=0.5") as server,
        dialled(server.ws, name="Ada") as ada,
    ):
        room = await ada.create()
        frozen = subprocess.Popen([sys.executable, "-c", PINGS, server.ws, room], cwd=ROOT)
        try:
            await presence(ada, room, ["X", "O"], 0)
            frozen.send_signal(signal.SIGSTOP)
            await presence(ada, room, ["X"], 0)
            assert (await ada.watch(room))["seats"]["O"]["kind"] == "human"  # the seat is kept
            frozen.send_signal(signal.SIGCONT)
            await presence(ada, room, ["X", "O"], 0)
            assert frozen.poll() is None
        finally:
            frozen.kill()
            frozen.wait()


async def test_nobody_is_dropped_because_the_server_itself_was_stopped(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, "--limit=ping=1") as server,
        dialled(server.ws) as ada,
        dialled(server.ws) as bo,
    ):
        room = await seated_pair(ada, bo)
        os.kill(server.pid, signal.SIGSTOP)
        await asyncio.sleep(2)  # longer than a peer may be silent
        os.kill(server.pid, signal.SIGCONT)
        await asyncio.sleep(0.5)  # the server looks at all sockets
        await play_out(room, (ada, bo), [4, 0])
