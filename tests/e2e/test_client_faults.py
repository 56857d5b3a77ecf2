"""What `noughts.connect` survives: a killed server, lost answers, a dead line, a restart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import noughts
from noughts import line
from noughts.client import Connection
from noughts.messages import Frame, LobbyFrame
from tests.ordeals.torture.proxy import Proxy, proxied
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

LATE = 1.0  # seconds each way: long enough to cut the line before an answer comes


@asynccontextmanager
async def through_proxy(server: Served) -> AsyncIterator[tuple[Proxy, Connection, Connection]]:
    """A player behind a bad network, and one who sees everything."""
    async with (
        proxied(server.url) as proxy,
        noughts.connect(proxy.url, name="Far") as far,
        noughts.connect(server.url, name="Near") as near,
    ):
        yield proxy, far, near


async def when(room: noughts.Room, so: Callable[[noughts.State], bool]) -> None:
    async with asyncio.timeout(30):
        async for state in room.states():
            if so(state):
                return


async def test_a_move_whose_answer_is_lost_is_made_once(server: Served) -> None:
    async with through_proxy(server) as (proxy, far, near):
        room = await far.create(seats={"X": "me", "O": "me"}, public=False)
        seen = await near.watch(room.id)
        proxy.delay = LATE
        playing = asyncio.create_task(room.play(4))
        await when(seen, lambda state: state.moves == [4])
        proxy.reset()
        proxy.delay = 0
        await playing

        assert room.state.moves == [4]
        assert proxy.dialled == 2


async def test_a_room_whose_answer_is_lost_is_opened_once(server: Served) -> None:
    listed: set[str] = set()

    def note(frame: Frame) -> None:
        if isinstance(frame, LobbyFrame):
            listed.update(
                each.room
                for each in frame.rooms
                if getattr(each.seats.X, "name", "") == "Far away" and each.variant == "reverse"
            )

    async with (
        proxied(server.url) as proxy,
        noughts.connect(proxy.url, name="Far away") as far,
        noughts.connect(server.url, on_frame=note) as near,
    ):
        async for _ in near.lobby():
            break
        proxy.delay = LATE
        opening = asyncio.create_task(far.create("reverse"))
        async for _ in near.lobby():
            if listed:
                break
        proxy.reset()
        proxy.delay = 0
        room = await opening
        await far.watch(room.id)

        assert listed == {room.id}


async def test_a_half_open_line_is_noticed(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "PING_EVERY", 0.2)
    monkeypatch.setattr(line, "PONG_WITHIN", 0.5)
    async with through_proxy(server) as (proxy, far, near):
        room = await far.create(public=False)
        other = await near.sit(room.id)
        proxy.swallow()
        resigning = asyncio.create_task(other.resign())

        await when(room, lambda state: state.status == "over")  # nobody is told by this line
        await resigning
        assert proxy.dialled == 2


async def test_a_server_killed_in_mid_command_is_waited_for(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'rooms.db'}"
    async with (
        serving(tmp_path, store=store) as first,
        noughts.connect(first.url, name="Ada") as ada,
    ):
        room = await ada.create(seats={"X": "me", "O": "me"})
        await room.play(0)
        async for _ in ada.lobby():
            break
        playing = asyncio.create_task(room.play(4))
        opening = asyncio.create_task(ada.create("drop"))
        await first.kill()
        lobby = ada.lobby()
        async with serving(tmp_path, store=store, port=first.port) as second:
            await playing
            assert room.state.moves == [0, 4]
            assert (await opening).state.variant.name == "drop"
            await when(room, lambda state: len(state.moves) == 2)
            assert len(await anext(lobby)) > 0
            await second.stop()  # drains, and closes with 1012
        resigning = asyncio.create_task(room.resign())
        async with serving(tmp_path, store=store, port=first.port):
            await resigning
            assert room.state.status == "over"


async def test_two_in_quick_play_find_each_other_again_after_a_restart(tmp_path: Path) -> None:
    async with serving(tmp_path) as first, noughts.connect(first.url) as ada:
        seeking = asyncio.create_task(ada.quick())
        async for _ in ada.lobby():
            break
        await first.kill()
        async with (
            serving(tmp_path, port=first.port) as second,
            noughts.connect(second.url) as bo,
        ):
            theirs = await bo.quick()
            assert (await seeking).id == theirs.id


async def test_a_server_that_comes_back_younger_is_believed(tmp_path: Path) -> None:
    """As after a restore from a backup: the room has fewer events than the client has seen."""
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    async with (
        serving(tmp_path, store=f"sqlite:{new}") as first,
        noughts.connect(first.url) as me,
    ):
        room = await me.create(seats={"X": "me", "O": "me"})
        await room.play(0)
        await first.stop()
        old.write_bytes(new.read_bytes())
        async with serving(tmp_path, store=f"sqlite:{new}", port=first.port) as second:
            await room.play(1)
            await second.stop()
        async with serving(tmp_path, store=f"sqlite:{old}", port=first.port):
            await when(room, lambda state: state.moves == [0])
            await room.play(8)

            assert room.state.moves == [0, 8]


async def test_a_room_that_is_gone_after_a_restart_ends_with_a_refusal(tmp_path: Path) -> None:
    async with serving(tmp_path) as first, noughts.connect(first.url) as me:
        room = await me.create()
        await first.kill()
        async with serving(tmp_path, port=first.port):  # its memory is empty
            with pytest.raises(noughts.Refused) as refused:
                async for _ in room.states():
                    pass

    assert refused.value.reason == "no_such_room"
