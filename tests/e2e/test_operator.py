"""The operator's commands, on a real server through its real door."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.support.commands import noughts, said
from tests.support.dialling import Player, dialled, play_out, seated_pair
from tests.support.fetching import fetch
from tests.support.serving import Served, serving

FAR, NEAR = "198.51.100.7", "198.51.100.8"


@pytest.fixture
def door() -> Iterator[str]:
    """The address of a door. Paths of Unix sockets must be short."""
    folder = tempfile.mkdtemp(prefix="noughts-")
    yield f"unix:{folder}/admin.sock"
    shutil.rmtree(folder)


async def ask(*arguments: object, code: int = 0) -> str:
    return said(await asyncio.to_thread(noughts, *arguments), code)


@asynccontextmanager
async def behind_a_proxy(server: Served, address: str, **hello: str) -> AsyncIterator[Player]:
    """A player whose address a trusted proxy tells."""
    headers = {"X-Forwarded-For": address}
    async with connect(server.ws, compression=None, additional_headers=headers) as socket:
        player = Player(socket)
        player.welcome = await player.ask("hello", protocol=1, **hello)
        yield player


async def refused_status(server: Served, address: str) -> int:
    with pytest.raises(InvalidStatus) as refusal:
        async with behind_a_proxy(server, address):
            pass
    return int(refusal.value.response.status_code)


async def test_only_the_servers_user_may_open_the_door(tmp_path: Path, door: str) -> None:
    path = Path(door.removeprefix("unix:"))
    async with serving(tmp_path, "--admin", door) as server:
        assert stat.S_ISSOCK(path.stat().st_mode)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        for place in ("/connections", "/bans", "/ban", "/announce", "/close/x"):
            assert fetch(server, place).status == 404
        assert f"admin door: {door}" in server.log
        assert await server.stop() == 0
    assert not path.exists()
    assert await ask("bans", door, code=1) == (
        f"no server has a door at {door}: start it with --admin {door}\n"
    )


async def test_a_door_left_by_a_dead_server_is_replaced_and_one_in_use_is_not(
    tmp_path: Path, door: str
) -> None:
    async with serving(tmp_path, "--admin", door) as server:
        await server.kill()
    async with serving(tmp_path, "--admin", door):
        second = await asyncio.to_thread(
            noughts, "serve", "--port=0", "--store=memory:", "--admin", door
        )
        assert said(second, 1) == f"cannot listen on {door}: [Errno 98] another server has it\n"
        assert await ask("bans", door) == "0 bans\n"


async def test_connections_are_listed_with_the_players_own_address(
    tmp_path: Path, door: str
) -> None:
    async with (
        serving(tmp_path, "--admin", door, "--trusted-proxy=127.0.0.1") as server,
        behind_a_proxy(server, FAR, name="Ada") as ada,
        behind_a_proxy(server, "2001:db8::7", name="Bo"),
        connect(server.ws),
    ):
        await ada.create()
        text = await ask("connections", door)
        listed = json.loads(await ask("connections", door, "--json"))["connections"]
        only = await ask("connections", door, "--address", FAR)

    assert [(each["address"], each["name"], each["rooms"]) for each in listed] == [
        (FAR, "Ada", 1),
        ("2001:db8::/64", "Bo", 0),
        ("127.0.0.1", None, 0),
    ]
    assert listed[0]["player"] == ada.id
    assert 0 <= listed[0]["age"] < 60_000
    assert text.splitlines()[-1] == "3 connections from 3 addresses"
    assert only.splitlines()[-1] == "1 connection from 1 address"
    assert ada.token not in text


async def test_a_banned_address_is_closed_and_refused_until_the_ban_is_lifted(
    tmp_path: Path, door: str
) -> None:
    options = ("--admin", door, "--trusted-proxy=127.0.0.1")
    store = f"sqlite:{tmp_path}/noughts.db"
    async with (
        serving(tmp_path, *options, store=store) as server,
        behind_a_proxy(server, FAR) as far,
        behind_a_proxy(server, NEAR) as near,
    ):
        told = await ask("ban", door, FAR)
        assert told == f"{FAR}/32 is banned; 1 of its connections were closed\n"
        assert await far.closed() == 1008
        assert await refused_status(server, FAR) == 403
        await near.accept("lobby", on=True)
        metrics = fetch(server, "/metrics").text
        assert 'noughts_handshakes_refused_total{reason="banned",status="403"} 1.0' in metrics
        assert "noughts_bans 1.0" in metrics
        assert f"turned away: {FAR}: 1008 banned" in server.log
        assert f"the operator has banned {FAR}/32 for good" in server.log
        await server.kill()
    kept = tmp_path / "noughts.db.bans"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600

    async with serving(tmp_path, *options, store=store) as server:
        assert await refused_status(server, FAR) == 403
        assert f"turned away: {FAR}: 403 banned" in server.log
        assert f"{FAR}/32" in await ask("bans", door)
        assert await ask("unban", door, FAR) == f"{FAR}/32 may connect again\n"
        assert f"the operator has lifted the ban of {FAR}/32" in server.log
        assert await ask("unban", door, FAR, code=1) == f"{FAR}/32 is not banned.\n"
        async with behind_a_proxy(server, FAR):
            pass
        await ask("ban", door, "2001:db8::1", "--for", "2h")
        [ban] = json.loads(await ask("bans", door, "--json"))["bans"]
        assert (ban["network"], ban["until"] - ban["since"]) == ("2001:db8::/64", 7_200_000)
        assert await refused_status(server, "2001:db8::99") == 403


async def test_everybody_gets_an_announcement_also_who_comes_later(
    tmp_path: Path, door: str
) -> None:
    async with (
        serving(tmp_path, "--admin", door) as server,
        dialled(server.ws) as ada,
        connect(server.ws),  # it has not said hello, and gets nothing
    ):
        told = await ask("announce", door, "Back  in a\tminute.", "--restart-in", "60s")
        first = await ada.of_type("notice")
        async with dialled(server.ws) as bob:
            assert bob.seen[-1]["type"] == "welcome"
            assert await bob.of_type("notice") == first
            await ask("announce", door, "--withdraw")
            assert await bob.of_type("notice") == {"type": "notice", "text": "", "at": None}
        async with dialled(server.ws) as cid:
            await cid.ask("ping")
            assert "notice" not in [frame["type"] for frame in cid.seen]
        welcome = ada.welcome
        assert "the operator has announced: 'Back in a minute.'" in server.log
        assert server.log.count("the operator has withdrawn the announcement") == 1

    assert told == "announced to 1 connection here\n"
    assert first["text"] == "Back in a minute."
    assert 55_000 < first["at"] - welcome["now"] < 120_000


async def test_a_room_that_is_closed_is_gone_for_everybody_and_for_good(
    tmp_path: Path, door: str
) -> None:
    store = f"sqlite:{tmp_path}/noughts.db"
    async with (
        serving(tmp_path, "--admin", door, store=store) as server,
        dialled(server.ws) as ada,
        dialled(server.ws) as bob,
        dialled(server.ws) as eve,
    ):
        room = await seated_pair(ada, bob)
        other = await ada.create(seats={"X": {"ai": "easy"}, "O": {"ai": "easy"}})
        await eve.watch(room)
        await eve.accept("lobby", on=True)
        assert await ask("close", door, "--", room) == f"room {room} is closed\n"
        for player in (ada, bob, eve):
            closed = await player.of_type("closed")
            assert closed == {
                "type": "closed",
                "room": room,
                "text": "The operator has closed this room.",
            }
        await eve.until(lambda frame: room in frame.get("gone", ()))
        assert await ada.reason("play", room=room, cell=0, ply=0) == "no_such_room"
        assert await eve.reason("watch", room=room) == "no_such_room"
        assert fetch(server, f"/api/rooms/{room}").status == 404
        await ask("close", door, "--", other)  # in the middle of a game of two AIs
        assert await ask("close", door, "--", room, code=1) == f"There is no room {room}.\n"
        assert await ask("close", door, "../x", code=1) == "There is no room ../x.\n"
        await ada.accept("create")
        assert server.log.count(f"the operator has closed room {room}") == 1
        assert await server.stop() == 0
        assert "our fault" not in server.log
    listed = json.loads(await ask("rooms", store, "--json"))["rooms"]
    assert room not in {each["room"] for each in listed}


async def test_a_sleeping_room_is_closed_as_well(tmp_path: Path, door: str) -> None:
    store = f"sqlite:{tmp_path}/noughts.db"
    async with serving(tmp_path, store=store) as server, dialled(server.ws) as ada:
        room = await ada.create()
    async with serving(tmp_path, "--admin", door, store=store) as server:
        await ask("close", door, "--", room)
        assert fetch(server, f"/api/rooms/{room}").status == 404


async def play_on(room: str, pair: tuple[Player, Player]) -> None:
    """Play game after game until something is refused."""
    while True:
        await play_out(room, pair, [0, 3, 1, 4, 2])
        for player in pair:
            await player.accept("rematch", room=room)
        pair = pair[::-1]


async def test_a_move_on_its_way_does_not_keep_a_room_from_being_closed(
    tmp_path: Path, door: str
) -> None:
    async with (
        serving(tmp_path, "--admin", door, "--no-limits") as server,
        dialled(server.ws) as ada,
        dialled(server.ws) as bob,
    ):
        room = await seated_pair(ada, bob)
        closing = asyncio.create_task(ask("close", door, "--", room))
        with pytest.raises(AssertionError, match="no_such_room"):
            await play_on(room, (ada, bob))
        await closing


async def test_games_that_end_are_counted_by_how_and_by_whom(tmp_path: Path) -> None:
    async with (
        serving(tmp_path) as server,
        dialled(server.ws) as ada,
        dialled(server.ws) as bob,
    ):
        room = await seated_pair(ada, bob)
        await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
        alone = await ada.create(seats={"X": "me", "O": {"ai": "easy"}}, variant="drop")
        await ada.accept("resign", room=alone)
        metrics = fetch(server, "/metrics").text

    name = "noughts_games_finished_total"
    for labels in (
        'outcome="line",players="people",variant="3x3"',
        'outcome="resignation",players="person_and_ai",variant="drop"',
    ):
        assert f"{name}{{{labels}}} 1.0" in metrics
    assert "noughts_joins_total 2.0" in metrics


async def test_the_metrics_have_a_port_of_their_own_if_that_is_asked_for(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with serving(tmp_path, f"--metrics=127.0.0.1:{port}") as server:
        assert fetch(server, "/metrics").status == 404
        assert fetch(server, "/healthz").status == 200
        beside = Served(server._process, f"http://127.0.0.1:{port}", server._log)
        assert "noughts_rooms 0.0" in fetch(beside, "/metrics").text
        assert fetch(beside, "/api/rooms").status == 404
        second = await asyncio.to_thread(
            noughts, "serve", "--port=0", "--store=memory:", f"--metrics=127.0.0.1:{port}"
        )
        assert f"cannot listen on 127.0.0.1:{port}" in said(second, 1)
