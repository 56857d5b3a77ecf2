"""Too many TCP connections: the last ones are turned away, and the first ones do not notice."""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_network

import pytest
from aiohttp import web

from server.live.limits import Limits
from server.web.admission import Admission, reserve_descriptors
from server.web.proxies import Proxies

HANG = 15.0  # seconds; only a hang takes so long

NOBODY = Proxies(())
QUESTION = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"

Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Street:
    """Where people come from, who all go home in the end."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._writers: list[asyncio.StreamWriter] = []

    async def knock(self, from_: str = "127.0.0.1") -> Wire:
        wire = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(from_, 0))
        self._writers.append(wire[1])
        return wire

    async def clear(self) -> None:
        for writer in self._writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


@asynccontextmanager
async def opened(admission: Admission) -> AsyncIterator[Street]:
    """A small server, and the street from which people come to it."""

    async def answer(_: web.BaseRequest) -> web.Response:
        return web.Response(text="come in")

    server = web.Server(answer)
    listening = await admission.listen(server, "127.0.0.1", 0)
    street = Street(listening.sockets[0].getsockname()[1])
    try:
        yield street
    finally:
        await street.clear()
        listening.close()
        await server.shutdown(1)


async def is_served(wire: Wire) -> bool:
    """Whether a question is answered; False if nobody is there any more."""
    reader, writer = wire
    with suppress(ConnectionError):
        writer.write(QUESTION)
        async with asyncio.timeout(HANG):
            line = await reader.readline()
            return line.startswith(b"HTTP/1.1 200") and bool(await reader.readuntil(b"come in"))
    return False


async def test_one_too_many_is_turned_away_until_another_leaves() -> None:
    async with opened(Admission(limit=3, share=99, proxies=NOBODY)) as street:
        inside = [await street.knock() for _ in range(3)]
        assert [await is_served(wire) for wire in inside] == [True] * 3
        assert not await is_served(await street.knock())
        assert await is_served(inside[0])

        inside[1][1].close()
        async with asyncio.timeout(HANG):
            while not await is_served(await street.knock()):
                await asyncio.sleep(0.01)
        assert await is_served(inside[0])


async def test_an_address_has_its_share_and_others_have_theirs() -> None:
    async with opened(Admission(limit=99, share=2, proxies=NOBODY)) as street:
        here = [await street.knock() for _ in range(3)]
        assert [await is_served(wire) for wire in here] == [True, True, False]
        assert await is_served(await street.knock("127.0.0.2"))

        here[0][1].close()
        async with asyncio.timeout(HANG):
            while not await is_served(await street.knock()):
                await asyncio.sleep(0.01)


async def test_a_trusted_proxy_is_many_people() -> None:
    proxies = Proxies([ip_network("127.0.0.1")])
    async with opened(Admission(limit=99, share=2, proxies=proxies)) as street:
        assert all([await is_served(await street.knock()) for _ in range(5)])


async def test_a_flood_is_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async with opened(Admission(limit=2, share=99, proxies=NOBODY)) as street:
        inside = [await street.knock() for _ in range(2)]
        assert all([await is_served(wire) for wire in inside])
        with caplog.at_level(logging.INFO):
            assert not any([await is_served(await street.knock()) for _ in range(50)])
    assert len(caplog.records) == 1
    assert "turned away" in caplog.text


async def test_those_who_have_left_are_forgotten_in_time() -> None:
    admission = Admission(limit=10_000, share=10_000, proxies=NOBODY)
    async with opened(admission) as street:
        for _ in range(1_200):
            wire = await street.knock()
            assert await is_served(wire)
            wire[1].close()
            await wire[1].wait_closed()
        kept = sum(map(len, admission._transports.values()))
    assert kept < 1_000


def test_the_descriptors_set_the_bound() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        assert reserve_descriptors(Limits(descriptors=0.5)) == hard // 2
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
