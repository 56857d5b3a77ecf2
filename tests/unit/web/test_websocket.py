"""Frames by the short way and by aiohttp's, in one order."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from socket import socketpair
from typing import cast

import pytest
from aiohttp import WSMsgType

from server.core.events import Event
from server.core.room import RoomId
from server.live.house import House
from server.live.outbox import Ticker
from server.metrics import Times
from server.store.memory import MemoryStore
from server.web.shortway import ShortWay
from server.web.websocket import Response, Socket
from tests.support.bare import TEXT, frame
from tests.support.rooms import Slow, Wire, new_house, new_rooms, open_room, split, tick

HELLO = b'{"type":"hello","protocol":1}'
CREATE = b'{"type":"create","id":1}'  # takes a task of its own
PING = b'{"type":"ping","id":2}'


class LongWay:
    """What aiohttp's response is to a socket."""

    before_close: Callable[[], Awaitable[None]]

    def __init__(self) -> None:
        self.queue: asyncio.Queue[tuple[WSMsgType, bytes, None]] = asyncio.Queue()
        self.receive = self.queue.get
        self.code: int | None = None
        self.closed_by: asyncio.Task[object] | None = None

    def put(self, text: bytes) -> None:
        self.queue.put_nowait((WSMsgType.TEXT, text, None))

    async def close(self, *, code: int, message: bytes) -> None:
        await self.before_close()
        self.code, self.closed_by = code, asyncio.current_task()
        self.queue.put_nowait((WSMsgType.CLOSED, message, None))


def served(
    house: House | None = None, descriptor: int | None = None
) -> tuple[Socket, LongWay, Wire]:
    wire, response, house = Wire(), LongWay(), house or new_house()
    ticker = Ticker(Times())
    socket = Socket(cast(Response, response), wire, ticker, house, "192.0.2.1", descriptor)
    return socket, response, wire


async def test_what_comes_while_another_is_answered_waits_its_turn() -> None:
    socket, long_way, wire = served()
    running = asyncio.create_task(socket.run())
    await tick()
    assert socket.take(HELLO)
    assert socket.take(CREATE)

    for text in (PING, CREATE, PING):
        assert not socket.take(text), "behind the first"
        long_way.put(text)
    async with asyncio.timeout(10):
        while len([frame for frame in wire.frames if "re" in frame]) < 5:
            await tick()

    assert [frame["re"] for frame in wire.frames if "re" in frame] == [None, 1, 2, 1, 2]
    assert socket.take(PING), "the short way is open again"
    await socket.close(1012, "restarting")
    await running


async def test_what_is_being_answered_is_answered_before_the_end() -> None:
    socket, long_way, wire = served()
    running = asyncio.create_task(socket.run())
    await tick()
    socket.take(HELLO)
    socket.take(CREATE)

    await socket.close(1012, "restarting")

    assert [frame["type"] for frame in wire.frames if "re" in frame] == ["welcome", "accepted"]
    assert long_way.code == 1012
    await running


async def test_the_last_straw_by_the_short_way_ends_it_once() -> None:
    socket, long_way, wire = served()
    running = asyncio.create_task(socket.run())
    await tick()
    socket.take(HELLO)

    taken = [socket.take(b"nonsense") for _ in range(15)]

    assert taken == [True] * 10 + [False] * 5
    async with asyncio.timeout(10):
        await running
    assert long_way.code == 1008
    assert long_way.closed_by is running, "else aiohttp would not wait for the peer's goodbye"
    assert not running.cancelled()
    assert len(wire.of_type("refused")) == 10


async def test_who_goes_before_a_room_is_found_does_not_follow_it() -> None:
    store = Slow()
    await open_room(new_rooms(store))
    house = new_house(store)
    socket, long_way, _ = served(house)
    running = asyncio.create_task(socket.run())
    await tick()
    socket.take(HELLO)
    socket.take(b'{"type":"watch","room":"room"}')
    await tick()

    long_way.queue.put_nowait((WSMsgType.CLOSED, b"", None))
    await running
    await socket._peer.rest()

    [host] = house.rooms
    assert not host.audience


class Stuck(MemoryStore):
    async def load(self, room: RoomId) -> list[Event]:
        await asyncio.Event().wait()
        return []


async def test_what_takes_too_long_to_answer_does_not_keep_the_goodbye(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.web.websocket.ANSWER_WITHIN", 0.05)
    socket, long_way, wire = served(new_house(Stuck()))
    running = asyncio.create_task(socket.run())
    await tick()
    socket.take(HELLO)
    socket.take(b'{"type":"watch","room":"room"}')

    await socket.close(1012, "restarting")

    assert (long_way.code, wire.aborted) == (1012, False)
    await running


async def test_our_fault_is_in_the_log_also_when_nobody_is_there_to_be_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    socket, long_way, _ = served()
    running = asyncio.create_task(socket.run())
    await tick()
    long_way.queue.put_nowait((WSMsgType.CLOSED, b"", None))
    await running

    socket._fail(ZeroDivisionError())

    assert "our fault" in caplog.text


@pytest.mark.skipif(os.name != "posix", reason="a socket is a descriptor on POSIX only")
async def test_by_the_short_way_frames_go_past_the_transport_until_the_socket_is_lost() -> None:
    near, far = socketpair()
    way = ShortWay(asyncio.Protocol())
    socket, _, wire = served(descriptor=near.fileno())
    way.data_received(b"\r\n\r\n")
    way.open(socket.take, socket.lost, 4_096)

    way.data_received(frame(TEXT, HELLO))
    await tick()
    assert [said["type"] for said in wire.frames] == ["welcome"], "in line, to begin with"
    for number in range(2):
        way.data_received(frame(TEXT, PING))
        await tick()
        assert [said["type"] for said in split(far.recv(1_000))] == ["pong"], number
    way.connection_lost(None)
    socket.take(PING)
    await tick()

    near.close()
    assert (far.recv(1_000), len(wire.frames)) == (b"", 1)
    far.close()
