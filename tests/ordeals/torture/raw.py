"""A WebSocket without a library, for peers that break the rules."""

from __future__ import annotations

import asyncio
import json
import os
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.support.dialling import HANG

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def request(port: int, *headers: str) -> bytes:
    """The handshake request. Further headers are whole lines."""
    lines = (
        "GET /ws HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {b64encode(os.urandom(16)).decode()}",
        "Sec-WebSocket-Version: 13",
        *headers,
    )
    return "\r\n".join((*lines, "", "")).encode()


def frame(payload: bytes, opcode: int = TEXT) -> bytes:
    """One final frame of up to 65535 bytes, with a mask of zeros."""
    size = len(payload)
    length = bytes((128 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2)
    return bytes((128 | opcode,)) + length + bytes(4) + payload


def command(type: str, **fields: object) -> bytes:
    return frame(json.dumps({"type": type, **fields}).encode())


HELLO = command("hello", protocol=1)


@asynccontextmanager
async def connected(port: int, source: str = "127.0.0.1") -> AsyncIterator[Streams]:
    """A TCP connection on which nothing has been sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


@asynccontextmanager
async def opened(port: int, source: str = "127.0.0.1") -> AsyncIterator[Streams]:
    """A WebSocket after its handshake."""
    async with connected(port, source) as (reader, writer):
        writer.write(request(port))
        async with asyncio.timeout(HANG):
            head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101 "):
            raise ConnectionRefusedError(head.decode())
        yield reader, writer


async def read(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The opcode and the payload of the next frame."""
    opcode, size = await reader.readexactly(2)
    if size == 126:
        size = int.from_bytes(await reader.readexactly(2))
    elif size == 127:
        size = int.from_bytes(await reader.readexactly(8))
    return opcode & 15, await reader.readexactly(size)
