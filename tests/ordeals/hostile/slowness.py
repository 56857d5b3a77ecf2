"""Peers that are slow to send a request, to say hello, or to read."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from tests.ordeals.hostile.arena import Attack
from tests.ordeals.hostile.catalogue import Group
from tests.support.bare import HANG, PING, PONG, Bare, frame, handshake, text

group = Group(__name__)

WINDOW = 4096  # bytes that the kernel buffers for a peer that does not read
HALF = 0.5  # second


@group.case("connects and says nothing", "it is given up", slow=True)
async def _(attack: Attack) -> None:
    async with attack.tcp() as peer:
        await peer.gone()


@group.case("sends half a request and then nothing", "it is given up", slow=True)
async def _(attack: Attack) -> None:
    async with attack.tcp() as peer:
        peer.write(handshake(attack.host)[:60])
        await peer.gone()


@group.case("sends a header one byte at a time, without end", "it is given up", slow=True)
async def _(attack: Attack) -> None:
    async with attack.tcp() as peer:
        dripping = asyncio.create_task(peer.drip(handshake(attack.host) * 99, 0.05))
        try:
            await peer.gone()
        finally:
            dripping.cancel()


@group.case("never says hello", "it is closed with 1008", slow=True)
async def _(attack: Attack) -> None:
    async with attack.upgraded() as peer:
        assert await peer.closed() == 1008


@group.case("says anything but hello", "it is closed with 1008 all the same", slow=True)
async def _(attack: Attack) -> None:
    async with attack.upgraded() as peer:
        chatting = asyncio.create_task(_chat(peer))
        try:
            assert await peer.closed() == 1008
        finally:
            chatting.cancel()


async def _chat(peer: Bare) -> None:
    while True:
        peer.write(text({"type": "ping"}), frame(PING))
        await asyncio.sleep(HALF)


@group.case("says hello so slowly that it takes minutes", "it is closed with 1008", slow=True)
async def _(attack: Attack) -> None:
    async with attack.upgraded() as peer:
        hello = text('{"type":"hello","protocol":1}'.ljust(4096))
        dripping = asyncio.create_task(peer.drip(hello, 0.05))
        try:
            assert await peer.closed() == 1008
        finally:
            dripping.cancel()


@group.case("sends a command one byte at a time", "it gets its answer", slow=True)
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        await peer.drip(text('{"type":"ping","id":7}'), 0.02)
        assert (await peer.answer())["re"] == 7


@group.case("greets and is never heard of again, not even a pong", "it is swept out", slow=True)
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        await peer.ask("watch", room=attack.arena.rooms["victim"])
        await peer.gone()


@group.case("asks and asks and reads nothing", "it is aborted", settings="lifted")
async def _(attack: Attack) -> None:
    async with attack.greeted(window=WINDOW) as peer:
        peer.stop_reading()
        await _until_dropped(peer, text({"type": "lobby", "on": True}) * 100)


@group.case("follows a busy room and reads nothing", "it is aborted", settings="lifted", slow=True)
async def _(attack: Attack) -> None:
    async with attack.greeted(window=WINDOW) as peer:
        await peer.ask("watch", room=attack.arena.neighbours.room)
        peer.stop_reading()
        with attack.arena.neighbours.hurrying():
            await _until_dropped(peer, frame(PONG))


@group.case(
    "follows it and reads a byte now and then", "it is aborted", settings="lifted", slow=True
)
async def _(attack: Attack) -> None:
    async with attack.greeted(window=WINDOW) as peer:
        await peer.ask("watch", room=attack.arena.neighbours.room)
        peer.stop_reading()
        with attack.arena.neighbours.hurrying():
            await _until_dropped(peer, frame(PONG), read=1)


@group.case("follows it and reads slowly", "it gets what is newest", settings="lifted", slow=True)
async def _(attack: Attack) -> None:
    neighbours = attack.arena.neighbours
    async with attack.greeted(window=WINDOW) as peer:
        await peer.ask("watch", room=neighbours.room)
        with neighbours.hurrying():
            begin = neighbours.seq
            while neighbours.seq < begin + 400:
                for _ in range(3):
                    await peer.heard()
                await asyncio.sleep(0.02)
        newest = neighbours.seq
        async with asyncio.timeout(HANG):
            while (await peer.heard()).get("seq", 0) < newest:
                pass
        seqs = [seen["seq"] for seen in peer.seen if seen["type"] == "state"]
        assert seqs == sorted(set(seqs))


async def _until_dropped(peer: Bare, again: bytes, read: int = 0) -> None:
    """Write until the server drops the connection, and read only `read` bytes each time."""
    async with asyncio.timeout(HANG):
        with suppress(ConnectionError):
            while not peer.writer.is_closing():
                peer.write(again)
                await asyncio.sleep(0.05)
                peer.taste(read)
