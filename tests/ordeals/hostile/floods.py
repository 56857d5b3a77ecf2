"""Too many commands, control frames, connections and rooms."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from tests.ordeals.hostile.arena import CONNECTIONS, ROOMS, Attack
from tests.ordeals.hostile.catalogue import Group
from tests.support.bare import HANG, PING, PONG, Bare, Frame, frame, handshake, text

group = Group(__name__)

FLOOD = 2_000  # frames; even on a slow server more than a hundred of them are too fast


def flood(name: str, what: bytes) -> None:
    async def act(attack: Attack) -> None:
        async with attack.greeted() as peer:
            peer.write(what * FLOOD)
            assert await peer.closed() == 1008

    group.add(name, "it is closed with 1008", act)


flood("sends 2000 commands at once", text({"type": "ping"}))
flood("sends 2000 pings", frame(PING, b"ping"))
flood("sends 2000 pongs", frame(PONG, b"pong"))
flood("asks 2000 times for the lobby", text({"type": "lobby", "on": True}))
flood("sends 2000 texts that are no commands", text("?"))
flood("sends 2000 hellos", text({"type": "hello", "protocol": 1}))


@group.case("plays 2000 good moves at once", "too_fast changes nothing, and then it is 1008")
async def _(attack: Attack) -> None:
    again = {"type": "play", "room": attack.arena.rooms["theirs"], "cell": 4, "ply": 0}
    async with attack.greeted() as peer:
        peer.write(text(again) * FLOOD)
        assert await peer.closed() == 1008
        reasons = [seen.get("reason") for seen in peer.seen]
        assert reasons.count("too_fast") == 100
        assert set(reasons) == {None, "too_fast"}


@group.case("sends ten malformed texts", "each is answered, and then it is 1008")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        peer.write(text("?") * 10)
        assert await peer.closed() == 1008
        assert [seen.get("reason") for seen in peer.seen] == [None] + ["malformed"] * 10


@group.case("floods before hello", "it is closed with 1008")
async def _(attack: Attack) -> None:
    async with attack.upgraded() as peer:
        peer.write(text({"type": "ping"}) * FLOOD)
        assert await peer.closed() == 1008


@group.case("connects more often than an address may", "the last is told 429")
async def _(attack: Attack) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(CONNECTIONS):
            await stack.enter_async_context(attack.upgraded())
        last = await stack.enter_async_context(attack.tcp())
        last.write(handshake(attack.host))
        assert await last.status() == 429


@group.case("makes up addresses it is forwarded for", "none counts: the last is told 429")
async def _(attack: Attack) -> None:
    async with AsyncExitStack() as stack:
        for number in range(CONNECTIONS + 1):
            peer = await stack.enter_async_context(attack.tcp())
            peer.write(handshake(attack.host, X_Forwarded_For=f"192.0.2.{number}"))
            assert await peer.status() == (101 if number < CONNECTIONS else 429)


@group.case("opens rooms under ever new names", "only its own address is full", opens=ROOMS + 1)
async def _(attack: Attack) -> None:
    for number in range(ROOMS // 10):
        async with attack.greeted(token=f"{number:N>43}") as peer:
            for _ in range(10):
                assert (await _open_room(peer))["type"] == "accepted"
    async with attack.greeted(token="O" * 43) as peer:
        refused = await _open_room(peer)
        assert (refused["reason"], refused["whose"]) == ("too_many_rooms", "address")
    async with attack.arena.attack().greeted(token="O" * 43) as elsewhere:
        assert (await _open_room(elsewhere))["type"] == "accepted"


async def _open_room(peer: Bare) -> Frame:
    return await peer.ask_on("create", seats={"X": "open", "O": "open"})


@group.case("opens rooms by meeting its own shadow", "its address is full", opens=ROOMS)
async def _(attack: Attack) -> None:
    async with attack.greeted(token="1" * 43) as one, attack.greeted(token="2" * 43) as two:
        for number in range(ROOMS + 1):
            for peer in (one, two):
                await peer.ask_on("quick", on=True)
            await one.ask_on("meet", player=two.welcome["player"]["id"])
            met = await two.ask_on("meet", player=one.welcome["player"]["id"])
            assert met["type"] == ("accepted" if number < ROOMS else "refused"), met


def crowd(name: str, said: int | None) -> None:
    """A thousand connections that send this part of a handshake and are never upgraded."""

    async def act(attack: Attack) -> None:
        async with AsyncExitStack() as stack:
            for _ in range(1_000):
                peer = await stack.enter_async_context(attack.tcp())
                peer.write(handshake(attack.host)[:said])
            async with attack.arena.attack().greeted() as other:
                assert (await other.ask("ping", id=1))["re"] == 1

    group.add(name, "who comes from elsewhere is served at once", act)


crowd("opens a thousand connections and says nothing", 0)
crowd("begins a thousand handshakes and ends none", -2)


@group.case("comes and goes two hundred times", "it is served each time")
async def _(attack: Attack) -> None:
    async def come_and_go() -> None:
        async with attack.greeted() as peer:
            await peer.ask("watch", room=attack.arena.rooms["victim"])

    async with asyncio.timeout(HANG):
        for _ in range(10):
            await asyncio.gather(*(come_and_go() for _ in range(20)))


@group.case("asks for the most expensive thing there is", "others are answered meanwhile")
async def _(attack: Attack) -> None:
    empty = attack.arena.many[65]
    async with AsyncExitStack() as stack:
        peers: list[Bare] = [await stack.enter_async_context(attack.greeted()) for _ in range(10)]
        for peer in peers:
            peer.write(text({"type": "analyse", "room": empty, "id": 1}) * 15)
        async with attack.greeted() as other:
            assert (await other.ask("ping", id=2))["re"] == 2
        for peer in peers:
            assert [(await peer.answer())["re"] for _ in range(15)] == [1] * 15
