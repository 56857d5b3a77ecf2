"""A hostile peer for the soak: attacks that are cheap to repeat.

The hostile catalogue checks the reaction to each attack. Here they only run again and again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from random import choice, randbytes, uniform

from tests.ordeals.torture import raw
from tests.support.fetching import fetch
from tests.support.serving import Served

Deed = Callable[[Served], Awaitable[None]]

SOURCE = "127.0.0.2"  # its own address, with its own limits
LONGEST = 3.0  # seconds for one attack

FRAMES = (
    raw.frame(randbytes(200), raw.BINARY),
    raw.frame(b"\xff\xfe"),
    raw.frame(b" " * 5000),
    raw.frame(b"{}") * 12,
    raw.frame(b"[" * 4000),
    raw.frame(b'{"type":"hello","protocol":2}'),
    raw.command("hello", protocol=1, token="x" * 43) * 3,
    raw.HELLO + raw.command("create", seats={"X": {"ai": "no such level"}}) * 3,
    raw.HELLO + b"".join(raw.command("watch", room=f"nowhere{n}") for n in range(80)),
    raw.HELLO + raw.command("ping") * 3000,
    raw.frame(b"", raw.PING) * 3000,
    raw.frame(b"\x03\xe8", raw.CLOSE) + raw.HELLO,
    b"\xf1\x80\x00\x00\x00\x00",  # reserved bits
    b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff",  # a huge length
    raw.HELLO[:10],
)
REQUESTS = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\n",  # an unfinished request
    b"POST /ws HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + bytes(1000),
    b"\x16\x03\x01\x02\x00" + bytes(512),
    b"GET /r/%00%ff/../../etc HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n",
)


async def misbehave(served: Served, is_over: asyncio.Event) -> None:
    """Run one attack after the other."""
    while not is_over.is_set():
        await do(choice(DEEDS), served)
        await asyncio.sleep(uniform(0, 0.1))


async def do(deed: Deed, served: Served) -> None:
    """Run one attack and ignore its outcome."""
    with suppress(OSError, EOFError, TimeoutError):
        async with asyncio.timeout(LONGEST):
            await deed(served)


async def _send_nonsense(served: Served) -> None:
    """Send malformed frames, and read until the server closes."""
    async with raw.opened(served.port, SOURCE) as (reader, writer):
        writer.write(choice(FRAMES))
        while await reader.read(65_536):
            pass


async def _send_and_vanish(served: Served) -> None:
    async with raw.opened(served.port, SOURCE) as (_, writer):
        writer.write(raw.HELLO + choice(FRAMES))
        await asyncio.sleep(uniform(0, 0.05))


async def _ask_nonsense(served: Served) -> None:
    headers = ("Origin: http://elsewhere.example", "Sec-WebSocket-Extensions: nonsense")
    asked = choice((*REQUESTS, raw.request(served.port, *headers)))
    async with raw.connected(served.port, SOURCE) as (reader, writer):
        writer.write(asked)
        async with asyncio.timeout(0.5):
            await reader.read(1000)


async def _come_in_numbers(served: Served) -> None:
    """Open some dozen connections at once; half of them send nothing."""
    async with AsyncExitStack() as stack:
        for number in range(40):
            opened = raw.opened(served.port, SOURCE)
            _, writer = await stack.enter_async_context(opened)
            writer.write(raw.HELLO * (number % 2))


async def _meddle(served: Served) -> None:
    """Send commands for other people's games, without reading the answers."""
    rooms = (await asyncio.to_thread(fetch, served, "/api/rooms")).json["rooms"]
    async with raw.opened(served.port, SOURCE) as (_, writer):
        writer.write(raw.HELLO + raw.command("lobby", on=True))
        for room in rooms:
            where = {"room": room["room"]}
            writer.write(raw.command("watch", **where) + raw.command("resign", **where))
            writer.write(raw.command("play", cell=4, ply=0, **where))
            writer.write(raw.command("leave", seat="X", **where) + raw.command("claim", **where))
            writer.write(raw.command("dismiss_ai", seat="O", **where))
        await asyncio.sleep(uniform(0, LONGEST))


async def _play_the_ai(served: Served) -> None:
    """Make one move and go, so that the AI answers in an empty room."""
    async with raw.opened(served.port, SOURCE) as (reader, writer):
        seats = {"X": "me", "O": {"ai": "easy"}}
        writer.write(raw.HELLO + raw.command("create", id=1, seats=seats))
        while True:
            _, payload = await raw.read(reader)
            said = json.loads(payload)
            if said["type"] == "refused":
                return
            if said["type"] == "state":
                writer.write(raw.command("play", room=said["room"], cell=4, ply=0))
                await asyncio.sleep(uniform(0, 0.05))
                return


DEEDS: tuple[Deed, ...] = (
    _send_nonsense,
    _send_and_vanish,
    _ask_nonsense,
    _come_in_numbers,
    _meddle,
    _play_the_ai,
)
