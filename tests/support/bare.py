"""A peer without a library, so that it can break every rule: hand-made handshakes and frames."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import cycle
from typing import Any

HANG = 30.0  # seconds; only a hang takes so long
KEY = "bm8gbWFubmVycyBhdCBhIQ=="
MASK = b"\x5a\x00\xa5\xff"

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
FIN = 0x80

Frame = dict[str, Any]


def masked(payload: bytes) -> bytes:
    return bytes(byte ^ key for byte, key in zip(payload, cycle(MASK), strict=False))


def frame(opcode: int, payload: bytes = b"", *, first: int = FIN, mask: bool = True) -> bytes:
    """One frame; `first` are the bits beside the opcode."""
    bit, size = (0x80 if mask else 0), len(payload)
    if size < 126:
        head = bytes((first | opcode, bit | size))
    elif size < 65_536:
        head = struct.pack("!BBH", first | opcode, bit | 126, size)
    else:
        head = struct.pack("!BBQ", first | opcode, bit | 127, size)
    return head + (MASK + masked(payload) if mask else payload)


def text(plain: object) -> bytes:
    """A text frame with this JSON, or with these very characters or bytes."""
    if isinstance(plain, bytes):
        return frame(TEXT, plain)
    return frame(TEXT, (plain if isinstance(plain, str) else json.dumps(plain)).encode())


def closing(code: int, why: bytes = b"") -> bytes:
    return frame(CLOSE, struct.pack("!H", code) + why)


def handshake(
    host: str, *more: str, start: str = "GET /ws HTTP/1.1", **instead: str | None
) -> bytes:
    """An upgrade as it should be, but for `more` lines and headers `instead`; None leaves one out.

    Underscores in names stand for hyphens.
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
    """One TCP connection, and the WebSocket on it once it is upgraded."""

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
        """Write one byte at a time, as long as anybody listens."""
        for byte in data:
            if self.writer.is_closing():
                return
            self.writer.write(bytes((byte,)))
            await asyncio.sleep(every)

    async def status(self) -> int:
        """The status of an answer in HTTP; its headers are read, its body is not."""
        return int((await self.head()).split(None, 2)[1])

    async def head(self) -> str:
        async with asyncio.timeout(HANG):
            return (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")

    async def next(self) -> tuple[int, bytes]:
        """The next frame, whatever it is: its opcode and what is in it."""
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
        """The next text frame. Pings are answered; an end is none."""
        while True:
            opcode, payload = await self.next()
            if opcode == TEXT:
                self.seen.append(json.loads(payload))
                return self.seen[-1]
            assert opcode in (PING, PONG), (opcode, payload)
            if opcode == PING:
                self.write(frame(PONG, payload))

    async def answer(self) -> Frame:
        """The next answer to anything."""
        while "re" not in (heard := await self.heard()):
            pass
        return heard

    async def ask(self, type: str, **fields: object) -> Frame:
        self.write(text({"type": type, **fields}))
        return await self.answer()

    async def ask_on(self, type: str, **fields: object) -> Frame:
        """Ask until it is no longer too fast."""
        while (answer := await self.ask(type, **fields)).get("reason") == "too_fast":
            await asyncio.sleep(0.02)
        return answer

    async def closed(self, *, unanswered: bool = False) -> int:
        """Read on to the close frame, answer it, and make sure that it was the last."""
        while (read := await self.next())[0] != CLOSE:
            assert not unanswered, f"answered: {read[1]!r}"
            if read[0] == TEXT:
                self.seen.append(json.loads(read[1]))
        self.write(frame(CLOSE, read[1]))
        async with asyncio.timeout(HANG):
            with suppress(ConnectionError):
                rest = await self.reader.read()
                assert not rest, f"behind the close frame: {rest!r}"
        return int.from_bytes(read[1][:2])

    async def gone(self) -> None:
        """Wait until the server has given this connection up, whatever it still says."""
        async with asyncio.timeout(HANG):
            with suppress(ConnectionError):
                while await self.reader.read(65_536):
                    pass

    def reset(self) -> None:
        """End without a goodbye: RST instead of FIN."""
        self._end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    def hang_up(self) -> None:
        """Say no more, but listen on."""
        self._end.shutdown(socket.SHUT_WR)

    def stop_reading(self) -> None:
        """Leave what comes from now on to the kernel, until that has no space for it either."""
        transport = self.writer.transport
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()

    def taste(self, size: int) -> None:
        """Read so many bytes behind the back of a transport that has stopped reading."""
        with suppress(OSError):  # there is nothing, or it is all over
            self._end.recv(size)


@asynccontextmanager
async def connected(port: int, address: str, *, window: int = 0) -> AsyncIterator[Bare]:
    """A TCP connection from an address of its own; `window` bytes is all it cares to receive."""
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
        writer.transport.abort()  # such a peer does not wait until all it wrote is sent
        with suppress(ConnectionError):
            await writer.wait_closed()
