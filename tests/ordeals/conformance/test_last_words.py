"""What Autobahn found in our socket, and so is tried with every run of the tests."""

from __future__ import annotations

import asyncio
import os
from base64 import b64encode
from pathlib import Path

from tests.support.dialling import HANG
from tests.support.serving import Served, serving

MASK = bytes(4)  # a mask of zeros leaves the payload readable


def masked(first: int, payload: bytes = b"") -> bytes:
    return bytes((first, 0x80 | len(payload))) + MASK + payload


async def frames(reader: asyncio.StreamReader) -> list[bytes]:
    """The payloads of all short frames up to and with the close frame."""
    payloads: list[bytes] = []
    opcode = 0
    while opcode != 8:
        first, size = await reader.readexactly(2)
        length = int.from_bytes(await reader.readexactly(2)) if size == 126 else size
        payloads.append(await reader.readexactly(length))
        opcode = first & 15
    return payloads


async def last_words(server: Served, ending: bytes) -> list[bytes]:
    """What is heard after a hello, a ping and this ending, all in one go."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(
        b"GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %b\r\n\r\n" % b64encode(os.urandom(16))
    )
    await reader.readuntil(b"\r\n\r\n")
    hello = masked(0x81, b'{"type":"hello","protocol":1}')
    writer.write(hello + masked(0x81, b'{"type":"ping","id":7}') + ending)
    try:
        return await frames(reader)
    finally:
        writer.close()


async def test_what_was_asked_just_before_the_end_is_answered_before_it(tmp_path: Path) -> None:
    goodbye, reserved_bit, reserved_kind = masked(0x88, b"\x03\xe8"), masked(0xA1), masked(0x83)
    endings = {goodbye: 1000, reserved_bit: 1002, reserved_kind: 1002}
    async with serving(tmp_path) as server, asyncio.timeout(HANG):
        for ending, code in endings.items():
            *answers, close = await last_words(server, ending)
            assert [b'"welcome"' in answers[0], b'"pong"' in answers[-1]] == [True, True]
            assert int.from_bytes(close[:2]) == code
