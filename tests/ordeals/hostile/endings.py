"""Connections that end in the middle of a frame, a command or a close."""

from __future__ import annotations

import asyncio

from tests.ordeals.hostile.arena import Attack
from tests.ordeals.hostile.catalogue import Group
from tests.support.bare import CLOSE, HANG, Bare, closing, frame, text

group = Group(__name__)


def refused_move(attack: Attack) -> bytes:
    """A command that is looked up, decided and refused."""
    room = attack.arena.rooms["victim"]
    return text({"type": "play", "room": room, "cell": 8, "ply": 2})


async def _sent(peer: Bare, *data: bytes) -> None:
    peer.write(*data)
    await peer.writer.drain()


@group.case("resets in the middle of a frame", "nobody waits for the rest")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        await _sent(peer, refused_move(attack)[:20])
        peer.reset()


@group.case("resets right behind a command", "nothing comes of it")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        await _sent(peer, refused_move(attack))
        peer.reset()


@group.case("resets behind nineteen commands", "nothing comes of them")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        await _sent(peer, refused_move(attack) * 19)
        peer.reset()


@group.case("drops while it waits for an analysis", "nobody minds")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        await _sent(peer, text({"type": "analyse", "room": attack.arena.many[65]}))
        peer.reset()


@group.case("drops while it opens a room", "the room is there, whole", opens=1)
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        create = {"seats": {"X": "open", "O": "open"}, "nonce": attack.address}
        await _sent(peer, text({"type": "create", **create}))
        peer.reset()
    async with attack.greeted() as again:  # the reset may have overtaken the command
        assert (await again.ask("create", **create))["seq"] == 1


@group.case("closes and does not wait for the answer", "it is let go")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        await _sent(peer, closing(1000))


@group.case("closes and goes on with commands", "they are not answered any more")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(closing(1000), refused_move(attack) * 5, frame(3))
        assert await peer.closed() in (1000, 1002)
        assert [seen["type"] for seen in peer.seen] == ["welcome"]


@group.case("closes twice", "it is closed once")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(closing(1000), closing(1001))
        assert await peer.closed() == 1000


@group.case("closes with a code of its own", "it is closed with 1000")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(closing(4999, b"because"))
        assert await peer.closed() == 1000


@group.case("closes without a code", "it is closed with 1000")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(frame(CLOSE))
        assert await peer.closed() == 1000


@group.case("closes before hello", "it is closed with 1000")
async def _(attack: Attack) -> None:
    async with attack.upgraded() as peer:
        peer.write(closing(1000))
        assert await peer.closed() == 1000


@group.case("hangs up one way and keeps listening", "it is let go")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.hang_up()
        await peer.gone()


@group.case("hangs up one way in the middle of a frame", "it is let go")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        await _sent(peer, refused_move(attack)[:20])
        peer.hang_up()
        await peer.gone()


@group.case("does not answer the goodbye of the server", "it is given up", slow=True)
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(frame(2))
        async with asyncio.timeout(HANG):
            await peer.reader.read()


@group.case("talks on through the goodbye of the server", "it is given up", slow=True)
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(frame(2))
        talking = asyncio.create_task(peer.drip(refused_move(attack) * 99, 0.005))
        try:
            await peer.gone()
        finally:
            talking.cancel()
