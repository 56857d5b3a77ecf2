"""A peer without a WebSocket library, which can break every rule: raw handshakes and frames."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import cycle
from typing import Any

from tests.support.schema import check_frame

HANG = 30.0  # seconds; only a hang takes so long
KEY = "bm8gbWFubmVycyBhdCBhIQ=="
MASK = b"\x5a\x00\xa5\xff"

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
FIN = 0x80

Frame = dict[str, Any]


def masked(payload: bytes) -> bytes:
    return bytes(byte ^ key for byte, key in zip(payload, cycle(MASK), strict=False))


def frame(opcode: int, payload: bytes = b"", *, first: int = FIN, mask: bool = True) -> bytes:
    """One frame. `first` holds the bits of the first byte besides the opcode."""
    bit, size = (0x80 if mask else 0), len(payload)
    if size < 126:
        head = bytes((first | opcode, bit | size))
    elif size < 65_536:
        head = struct.pack("!BBH", first | opcode, bit | 126, size)
    else:
        head = struct.pack("!BBQ", first | opcode, bit | 127, size)
    return head + (MASK + masked(payload) if mask else payload)


def text(plain: object) -> bytes:
    """A text frame with this value as JSON. A string or bytes are sent as they are."""
    if isinstance(plain, bytes):
        return frame(TEXT, plain)
    return frame(TEXT, (plain if isinstance(plain, str) else json.dumps(plain)).encode())


def closing(code: int, why: bytes = b"") -> bytes:
    return frame(CLOSE, struct.pack("!H", code) + why)


def handshake(
    host: str, *more: str, start: str = "GET /ws HTTP/1.1", **instead: str | None
) -> bytes:
    """A correct upgrade request, with `more` lines added and headers changed by `instead`.

    None leaves a header out. Underscores in names stand for hyphens.
    """
    headers: dict[str, str | None] = {
        "Host": host,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": KEY,
        "Sec-WebSocket-Version": "13",
    }
    headers |= {name.replace("_", "-"): value for name, value in instead.items()}
    lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join((start, *lines, *more, "", "")).encode("latin-1")


class Bare:
    """One TCP connection, and the WebSocket on it after the upgrade."""

    def __init__(
        self, end: socket.socket, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._end = end
        self.reader = reader
        self.writer = writer
        self.welcome: Frame = {}
        self.seen: list[Frame] = []

    def write(self, *data: bytes) -> None:
        self.writer.write(b"".join(data))

    async def drip(self, data: bytes, every: float) -> None:
        """Write one byte at a time until the connection is closing."""
        for byte in data:
            if self.writer.is_closing():
                return
            self.writer.write(bytes((byte,)))
            await asyncio.sleep(every)

    async def status(self) -> int:
        """The status of an HTTP response. Reads the headers, but not the body."""
        return int((await self.head()).split(None, 2)[1])

    async def head(self) -> str:
        async with asyncio.timeout(HANG):
            return (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")

    async def next(self) -> tuple[int, bytes]:
        """The opcode and payload of the next frame, of any kind."""
        async with asyncio.timeout(HANG):
            first, size = await self.reader.readexactly(2)
            assert first & 0xF0 == FIN, "a whole frame without reserved bits"
            assert size < 128, "a server does not mask"
            if size == 126:
                size = int.from_bytes(await self.reader.readexactly(2))
            elif size == 127:
                size = int.from_bytes(await self.reader.readexactly(8))
            return first & 15, await self.reader.readexactly(size)

    async def heard(self) -> Frame:
        """The next text frame. Pings are answered; a close frame fails the test."""
        while True:
            opcode, payload = await self.next()
            if opcode == TEXT:
                self.seen.append(json.loads(payload))
                check_frame(self.seen[-1])
                return self.seen[-1]
            assert opcode in (PING, PONG), (opcode, payload)
            if opcode == PING:
                self.write(frame(PONG, payload))

    async def answer(self) -> Frame:
        """The next frame that answers a request."""
        while "re" not in (heard := await self.heard()):
            pass
        return heard

    async def ask(self, type: str, **fields: object) -> Frame:
        self.write(text({"type": type, **fields}))
        return await self.answer()

    async def ask_on(self, type: str, **fields: object) -> Frame:
        """Ask again as long as the answer is `too_fast`."""
        while (answer := await self.ask(type, **fields)).get("reason") == "too_fast":
            await asyncio.sleep(0.02)
        return answer

    async def closed(self, *, unanswered: bool = False) -> int:
        """Read to the close frame, answer it, check that nothing follows, and return its code."""
        while (read := await self.next())[0] != CLOSE:
            assert not unanswered, f"answered: {read[1]!r}"
            if read[0] == TEXT:
                self.seen.append(json.loads(read[1]))
                check_frame(self.seen[-1])
        self.write(frame(CLOSE, read[1]))
        async with asyncio.timeout(HANG):
            with suppress(ConnectionError):
                rest = await self.reader.read()
                assert not rest, f"after the close frame: {rest!r}"
        return int.from_bytes(read[1][:2])

    async def gone(self) -> None:
        """Wait until the server has closed the connection; ignore what it still sends."""
        async with asyncio.timeout(HANG):
            with suppress(ConnectionError):
                while await self.reader.read(65_536):
                    pass

    def reset(self) -> None:
        """End the connection with RST instead of FIN."""
        self._end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    def hang_up(self) -> None:
        """Close the sending side, and go on reading."""
        self._end.shutdown(socket.SHUT_WR)

    def stop_reading(self) -> None:
        """Read nothing from now on, so that the kernel's buffers fill up."""
        transport = self.writer.transport
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()

    def taste(self, size: int) -> None:
        """Read up to `size` bytes from the socket while the transport does not read."""
        with suppress(OSError):  # nothing to read, or the connection has ended
            self._end.recv(size)


@asynccontextmanager
async def connected(port: int, address: str, *, window: int = 0) -> AsyncIterator[Bare]:
    """A TCP connection from `address`, with a receive buffer of `window` bytes if given."""
    end = socket.socket()
    end.setblocking(False)
    if window:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    try:
        end.bind((address, 0))
        await asyncio.get_running_loop().sock_connect(end, ("127.0.0.1", port))
    except BaseException:
        end.close()
        raise
    reader, writer = await asyncio.open_connection(sock=end, limit=window or 65_536)
    try:
        yield Bare(end, reader, writer)
    finally:
        writer.transport.abort()  # without waiting until everything is sent
        with suppress(ConnectionError):
            await writer.wait_closed()
