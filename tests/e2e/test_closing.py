"""docs/protocol.md §4: every end of a socket has its close code."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.dialling import HANG, Player, dialled, seated_pair
from tests.support.serving import Served, outlived, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

MASK = bytes(4)  # a mask of zeros leaves the payload readable


@asynccontextmanager
async def bare(server: Served) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A WebSocket without a library, which can break the rules."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    key = b64encode(os.urandom(16)).decode()
    writer.write(
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUpgrade: websocket\r\n".encode()
        + f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n".encode()
        + b"Sec-WebSocket-Version: 13\r\n\r\n"
    )
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HANG)
    assert head.startswith(b"HTTP/1.1 101 ")
    try:
        yield reader, writer
    finally:
        writer.close()


async def close_code(reader: asyncio.StreamReader) -> int:
    """The code of the close frame. Frames before it are skipped."""
    async with asyncio.timeout(HANG):
        while True:
            opcode, size = await reader.readexactly(2)
            payload = await reader.readexactly(size if size < 126 else await _long(reader))
            if opcode & 15 == 8:
                return int.from_bytes(payload[:2])


async def _long(reader: asyncio.StreamReader) -> int:
    return int.from_bytes(await reader.readexactly(2))


async def test_a_close_by_the_client_is_answered_with_1000(server: Served) -> None:
    async with dialled(server.ws) as player:
        await player.socket.close()
        assert await player.closed() == 1000


async def test_a_binary_frame_closes_with_1003(ada: Player) -> None:
    await ada.socket.send(b'{"type":"ping"}', text=False)
    assert await ada.closed() == 1003


@pytest.mark.parametrize(
    "text",
    [
        b"\xff",
        b'{"type":"ping","id":"\xff"}',
        b'{"type":"ping","id":"\xc3"}',
        b'{"type":"watch","room":"\xed\xa0\x80"}',
        b'{"type":"ping"}\x80',
        b'{"type":"hello","protocol":1,"name":"\xc0\xaf"}',
        b'{"\xfe":1}',
    ],
)
@pytest.mark.parametrize("hello", [True, False])
async def test_text_that_is_not_utf_8_closes_with_1007(
    server: Served, text: bytes, hello: bool
) -> None:
    async with dialled(server.ws, hello=hello) as player:
        await player.socket.send(text, text=True)
        assert await player.closed() == 1007


async def test_4096_bytes_are_read_and_one_more_closes_with_1009(server: Served) -> None:
    for size, fragments in ((4096, 1), (4096, 4)):
        async with dialled(server.ws) as player:
            text = json.dumps({"type": "ping"}).ljust(size)
            step = size // fragments
            await player.socket.send([text[i : i + step] for i in range(0, size, step)])
            assert (await player.of_type("pong"))["re"] is None
    for text in ("x" * 4097, json.dumps({"type": "ping"}).ljust(4097), "é" * 2049, "x" * 100_000):
        async with dialled(server.ws) as player:
            await player.socket.send(text)
            assert await player.closed() == 1009
    async with dialled(server.ws) as player:
        await player.socket.send(["x" * 2048, "x" * 2048, "x"])
        assert await player.closed() == 1009


@pytest.mark.parametrize("hello", [True, False])
async def test_the_tenth_malformed_frame_within_a_minute_closes_with_1008(
    server: Served, hello: bool
) -> None:
    async with dialled(server.ws, hello=hello) as player:
        for _ in range(9):
            assert (await player.raw("?"))["reason"] == "malformed"
            await player.ask("ping")  # a good frame in between resets nothing
        assert (await player.raw("?"))["reason"] == "malformed"  # still answered
        assert await player.closed() == 1008


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(b"\xc1\x80" + MASK, id="a reserved bit"),
        pytest.param(b"\x83\x80" + MASK, id="an unknown opcode"),
        pytest.param(b"\x80\x80" + MASK, id="a continuation of nothing"),
        pytest.param(b"\x09\x80" + MASK, id="a fragmented ping"),
        pytest.param(b"\x89\xfe\x00\x7e" + MASK + bytes(126), id="a ping of 126 bytes"),
        pytest.param(b"\x01\x81" + MASK + b"{" + b"\x81\x81" + MASK + b"{", id="text inside text"),
    ],
)
async def test_broken_framing_closes_with_1002(server: Served, frame: bytes) -> None:
    async with bare(server) as (reader, writer):
        writer.write(frame)
        assert await close_code(reader) == 1002


async def test_a_ping_is_answered_with_the_same_bytes(ada: Player) -> None:
    pong = await ada.socket.ping(b"are you there?")
    await asyncio.wait_for(pong, HANG)


async def test_a_connection_that_ends_badly_disturbs_nobody_else(
    server: Served, ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob)
    async with dialled(server.ws) as mallory:
        await mallory.watch(room)
        await mallory.socket.send(b"\x00", text=False)
        assert await mallory.closed() == 1003
    await ada.accept("play", room=room, cell=4, ply=0)
    assert (await bob.state(room))["moves"] == [4]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_closes_every_socket_with_1012_and_the_exit_code_is_0(
    tmp_path: Path, number: signal.Signals
) -> None:
    async with (
        serving(tmp_path, store=f"sqlite:{tmp_path / 'rooms.db'}") as server,
        dialled(server.ws, name="Ada") as ada,
        dialled(server.ws, name="Bob") as bob,
        dialled(server.ws, hello=False) as nobody,
    ):
        await seated_pair(ada, bob)
        await bob.accept("lobby", on=True)
        await ada.create(seats={"X": {"ai": "easy"}, "O": {"ai": "easy"}})
        family = server.family
        begin = time.monotonic()
        assert await server.stop(number) == 0
        assert time.monotonic() - begin < 20  # promised within five seconds
        for player in (ada, bob, nobody):
            assert await player.closed() == 1012
        assert not await outlived(family)
        assert "Traceback" not in server.log
        assert "ERROR" not in server.log
