"""The stream of a room over a wire one can read: what is left out, and how it ends."""

from __future__ import annotations

import asyncio
import json
from ipaddress import ip_network
from time import monotonic

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from noughts.messages import Close
from server.core.events import Person, PlayerId
from server.live.host import RoomHost
from server.live.house import House
from server.web.proxies import Proxies
from server.web.stream import END_WITHIN, Stream, Streams
from server.wire import frames
from server.wire.closing import Closing
from tests.support.houses import new_house, open_room
from tests.support.outboxes import tick
from tests.support.wire import Wire


async def streamed(*, is_chunked: bool = False) -> tuple[Stream, Wire, RoomHost, House]:
    house, wire = new_house(), Wire()
    host = await open_room(house.rooms)
    return Stream(wire, house, host, "192.0.2.1", is_chunked=is_chunked), wire, host, house


def states(wire: Wire) -> list[int]:
    return [json.loads(line)["seq"] for line in b"".join(wire.written).splitlines()]


async def test_only_states_become_lines() -> None:
    _, wire, host, _ = await streamed()
    await tick()
    host.audience.send(frames.said(host.id, Person(PlayerId("ada"), "Ada"), "wow", 1))
    host.audience.broadcast(frames.text_frame(b'{"type":"state","seq":99}'))
    await tick()

    assert states(wire) == [host.room.seq, 99]


async def test_a_chunk_holds_one_line_and_the_last_one_is_empty() -> None:
    stream, wire, _, _ = await streamed(is_chunked=True)
    await tick()
    stream.end()

    size, line = b"".join(wire.written).split(b"\r\n")[:2]
    assert int(size, 16) == len(line)
    assert b"".join(wire.written).endswith(b"}\n\r\n0\r\n\r\n")
    assert wire.closed


async def test_a_reader_of_a_closed_room_gets_the_end_and_follows_nothing_any_more() -> None:
    _, wire, host, house = await streamed(is_chunked=True)
    await tick()
    await house.rooms.remove(host.id)
    await tick()

    assert b"closed" not in b"".join(wire.written)
    assert b"".join(wire.written).endswith(b"\r\n0\r\n\r\n")
    assert wire.closed
    assert not host.audience


async def test_the_state_comes_again_only_once_it_is_old() -> None:
    stream, wire, _, house = await streamed()
    await tick()
    written = len(wire.written)
    stream.check(monotonic())
    await tick()
    assert len(wire.written) == written
    stream.check(monotonic() + house.limits.ping)
    await tick()
    assert states(wire) == [states(wire)[0]] * 2


async def test_a_reader_that_is_behind_gets_the_newest_state_and_then_the_end() -> None:
    stream, wire, host, _ = await streamed()
    await tick()
    wire.stalled = True
    stream.pause_writing()
    for seq in (7, 8, 9):
        host.audience.broadcast(frames.text_frame(b'{"type":"state","seq":%d}' % seq))
        await tick()
    assert states(wire) == [host.room.seq]
    wire.catch_up()
    stream.resume_writing()
    await tick()
    assert states(wire) == [host.room.seq, 9]


@pytest.mark.parametrize("is_lost", [True, False])
async def test_a_reader_that_does_not_take_the_end_is_aborted(is_lost: bool) -> None:
    stream, wire, _, _ = await streamed()
    stream.end()
    if is_lost:
        stream.connection_lost(None)
    await asyncio.sleep(END_WITHIN + 1)

    assert wire.aborted is not is_lost
    assert stream.lost.done() is is_lost


async def test_the_operator_sees_a_reader_and_can_end_the_stream() -> None:
    stream, wire, _, house = await streamed()
    [peer] = house.peers
    assert (peer.address, peer.following) == ("192.0.2.1", 1)

    peer.close(Closing(Close.POLICY, "banned"))
    assert wire.closed
    stream.connection_lost(None)
    assert len(house.peers) == 0


async def test_a_banned_address_gets_no_stream_but_a_reason() -> None:
    app, house = web.Application(), new_house()
    house.bans.add(ip_network("127.0.0.0/8"))
    app.add_routes(Streams(house, Proxies(())).routes())
    async with TestClient(TestServer(app)) as client:
        answer = await client.get("/api/rooms/room/stream")
        assert (answer.status, (await answer.json())["reason"]) == (403, "banned")
    await house.close()
