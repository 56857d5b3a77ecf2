"""A line to a real NATS server, which is lost and comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from nats.aio.msg import Msg

from server.fleet.address import read_address
from server.fleet.line import Line, NoAnswer, NobodyListens
from tests.support.engines import NatsServer, address, nats_server

HANG = 20.0  # seconds; only a hang takes so long


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    async with nats_server(tmp_path) as started:
        yield started


class End:
    """One end of a line. `heard`: what has come under the subject `x`."""

    def __init__(self, server: NatsServer) -> None:
        self.heard: list[bytes] = []
        self.doubts = 0
        self.changed = asyncio.Event()
        self.line = Line(read_address(address(server)), self._doubt)

    @classmethod
    async def new(cls, server: NatsServer) -> End:
        end = cls(server)
        await end.line.dial()
        end.line.subscribe("x", end._hear)
        end.line.subscribe("echo", _echo)
        end.line.subscribe("silent", _keep_silent)
        return end

    async def until_heard(self, *texts: bytes) -> None:
        async with asyncio.timeout(HANG):
            while self.heard != [*texts]:
                self.changed.clear()
                await self.changed.wait()

    def _doubt(self) -> None:
        self.doubts += 1
        self.changed.set()

    async def _hear(self, message: Msg) -> None:
        self.heard.append(message.data)
        self.changed.set()


async def _echo(message: Msg) -> None:
    await message.respond(message.data * 2)


async def _keep_silent(_: Msg) -> None:
    pass


@pytest.fixture
async def ends(server: NatsServer) -> AsyncIterator[tuple[End, End]]:
    both = await End.new(server), await End.new(server)
    async with asyncio.timeout(HANG):  # until the subscriptions are there
        for one, other in (both, both[::-1]):
            while True:
                try:
                    await one.line.request("echo", b"?")
                    break
                except NobodyListens:
                    await asyncio.sleep(0.01)
            assert other.heard == []
    yield both
    for end in both:
        await end.line.close()


async def test_messages_arrive_in_their_order_and_not_at_the_sender(ends: tuple[End, End]) -> None:
    ann, bob = ends

    for number in range(50):
        ann.line.send("x", b"%d" % number)

    await bob.until_heard(*(b"%d" % number for number in range(50)))
    assert ann.heard == []


async def test_a_request_tells_an_answer_from_silence_and_from_nobody(
    ends: tuple[End, End],
) -> None:
    ann, _ = ends
    assert (await ann.line.request("echo", b"hi")).data == b"hihi"

    with pytest.raises(NoAnswer):
        await ann.line.request("silent", b"hi", within=0.1)
    with pytest.raises(NobodyListens):
        await ann.line.request("nobody", b"hi")


async def test_replies_come_until_they_are_forgotten(ends: tuple[End, End]) -> None:
    ann, _ = ends
    replies: list[bytes] = []
    came = asyncio.Event()

    def receive(message: Msg) -> None:
        replies.append(message.data)
        came.set()

    reply = ann.line.expect(receive)
    ann.line.send("echo", b"1", reply=reply)
    async with asyncio.timeout(HANG):
        await came.wait()
    ann.line.forget(reply)
    ann.line.send("echo", b"2", reply=reply)
    await ann.line.request("echo", b"3")

    assert replies == [b"11"]


async def test_a_client_that_has_closed_for_good_is_replaced_with_its_subscriptions(
    ends: tuple[End, End],
) -> None:
    ann, bob = ends

    await bob.line._client.close()  # as it does after some errors of the server
    async with asyncio.timeout(HANG):
        while not bob.doubts:
            bob.changed.clear()
            await bob.changed.wait()
    await bob.line.request("echo", b"?")  # behind the subscriptions, on the same line

    ann.line.send("x", b"again")
    await bob.until_heard(b"again")


async def test_subscriptions_may_change_while_a_client_is_replaced(ends: tuple[End, End]) -> None:
    ann, bob = ends
    for number in range(3_000):  # more than a client takes in without a pause
        bob.line.subscribe(f"room{number}", bob._hear)
    bob.line.subscribe("last", _echo)
    async with asyncio.timeout(HANG):
        while "last" not in bob.line._subscriptions:
            await asyncio.sleep(0.01)
        closed = bob.line._client
        await closed.close()
        while bob.line._client is closed:
            await asyncio.sleep(0)
        bob.line.subscribe("late", bob._hear)
        bob.line.unsubscribe("room2998")
        while not bob.doubts:
            bob.changed.clear()
            await bob.changed.wait()
    await bob.line.request("echo", b"?")

    for number in range(2_997, 3_000):
        ann.line.send(f"room{number}", b"room%d" % number)
    ann.line.send("late", b"late")
    await bob.until_heard(b"room2997", b"room2999", b"late")
