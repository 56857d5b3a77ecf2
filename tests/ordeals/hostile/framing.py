"""Frames that violate RFC 6455, before and after hello."""

from __future__ import annotations

import struct

from tests.ordeals.hostile.arena import Attack
from tests.ordeals.hostile.catalogue import Group
from tests.support.bare import (
    BINARY,
    CLOSE,
    CONTINUATION,
    FIN,
    MASK,
    PING,
    PONG,
    TEXT,
    closing,
    frame,
    masked,
    text,
)

group = Group(__name__)

PING_COMMAND = b'{"type":"ping","id":"in parts"}'
ONE, TWO, FOUR = 0x40, 0x20, 0x10  # the reserved bits


def closed(name: str, code: int, *frames: bytes) -> None:
    async def act(attack: Attack) -> None:
        async with attack.greeted() as peer:
            peer.write(*frames)
            assert await peer.closed(unanswered=True) == code
        async with attack.upgraded() as stranger:
            stranger.write(*frames)
            assert await stranger.closed(unanswered=True) == code

    group.add(name, f"it is closed with {code}", act)


@group.case("does not mask its frames", "they are read all the same")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(frame(TEXT, PING_COMMAND, mask=False))
        assert (await peer.answer())["type"] == "pong"


closed("sets the first reserved bit", 1002, frame(TEXT, b"{}", first=FIN | ONE))
closed("sets the second reserved bit", 1002, frame(TEXT, b"{}", first=FIN | TWO))
closed("sets the third reserved bit of a ping", 1002, frame(PING, first=FIN | FOUR))
closed("compresses though it was declined", 1002, frame(TEXT, b"\xaa\x56\x2a", first=FIN | ONE))
closed("uses opcode 3", 1002, frame(3, b"{}"))
closed("uses opcode 15", 1002, frame(15, b"{}"))
closed("sends a ping in fragments", 1002, frame(PING, b"a", first=0))
closed("sends a close in fragments", 1002, frame(CLOSE, b"\x03\xe8", first=0))
closed("sends a ping of 126 bytes", 1002, frame(PING, bytes(126)))
closed("sends a pong of 65 536 bytes", 1002, frame(PONG, bytes(65_536)))
closed("continues what was never begun", 1002, frame(CONTINUATION, b"{}"))
closed("begins anew inside a text", 1002, frame(TEXT, b"{", first=0), frame(TEXT, b"{", first=0))
closed("ends a text with another", 1002, frame(TEXT, b"{", first=0), frame(TEXT, b"}"))
closed("sends a binary frame", 1003, frame(BINARY, PING_COMMAND))
closed("sends an empty binary frame", 1003, frame(BINARY))
closed("sends bytes that are no text", 1007, text(b'{"type":"ping","id":"\xff"}'))
closed("sends an overlong slash", 1007, text(b'{"type":"ping","id":"\xc0\xaf"}'))
closed("sends a surrogate in UTF-8", 1007, text(b'{"type":"ping","id":"\xed\xa0\x80"}'))
closed("sends 4097 bytes", 1009, text(b" " * 4097))
closed("sends 4097 bytes in parts", 1009, *[frame(TEXT, b" " * 4096, first=0)], frame(0, b" "))
closed("announces 2 GB", 1009, struct.pack("!BBQ", FIN | TEXT, 0x80 | 127, 2**31) + MASK)
closed("announces 2^63 bytes", 1009, struct.pack("!BBQ", FIN | TEXT, 0x80 | 127, 2**63) + MASK)
closed("announces 2^64 bytes", 1009, struct.pack("!BBQ", FIN | TEXT, 0x80 | 127, 2**64 - 1) + MASK)
closed("closes with half a code", 1002, frame(CLOSE, b"\x03"))
closed("closes with code 0", 1002, closing(0))
closed("closes with code 1005", 1002, closing(1005))
closed("closes with code 2999", 1002, closing(2999))
closed("closes for a reason that is no text", 1007, closing(1000, b"\xff"))


@group.case("sends a command in thirty-one fragments", "it is answered once")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        first, *middle, last = (PING_COMMAND[i : i + 1] for i in range(len(PING_COMMAND)))
        peer.write(frame(TEXT, first, first=0))
        peer.write(*[frame(CONTINUATION, part, first=0) for part in middle])
        peer.write(frame(CONTINUATION, last))
        assert (await peer.answer())["re"] == "in parts"


@group.case("sends fragments of nothing without an end", "a proper text still gets its answer")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(frame(TEXT, b"", first=0), frame(CONTINUATION, b"", first=0) * 2_000)
        peer.write(frame(CONTINUATION, PING_COMMAND))
        assert (await peer.answer())["re"] == "in parts"


@group.case("pings between the fragments of a command", "ping and command are both answered")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(frame(TEXT, PING_COMMAND[:9], first=0), frame(PING, b"are you there?"))
        assert await peer.next() == (PONG, b"are you there?")
        peer.write(frame(CONTINUATION, PING_COMMAND[9:]))
        assert (await peer.answer())["re"] == "in parts"


@group.case("writes its length in more bytes than it takes", "it is answered all the same")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        head = struct.pack("!BBQ", FIN | TEXT, 0x80 | 127, len(PING_COMMAND))
        peer.write(head + MASK + masked(PING_COMMAND))
        assert (await peer.answer())["re"] == "in parts"


@group.case("sends a pong that nobody asked for", "it is ignored")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(frame(PONG, bytes(125)), text(PING_COMMAND))
        assert (await peer.answer())["re"] == "in parts"


@group.case("goes on with commands behind a broken frame", "they are not even read")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        room = attack.arena.rooms["mine"]
        peer.write(frame(3, b"{}"), text({"type": "play", "room": room, "cell": 0, "ply": 1}))
        assert await peer.closed() == 1002
        assert [seen["type"] for seen in peer.seen] == ["welcome"]
