"""Too many TCP connections: new ones are refused, and existing ones are not affected."""

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
REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Clients:
    """Opens connections, and closes them all in the end."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._writers: list[asyncio.StreamWriter] = []

    async def connect(self, from_: str = "127.0.0.1") -> Streams:
        streams = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(from_, 0))
        self._writers.append(streams[1])
        return streams

    async def close(self) -> None:
        for writer in self._writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


@asynccontextmanager
async def opened(admission: Admission) -> AsyncIterator[Clients]:
    """Clients of a small server."""

    async def answer(_: web.BaseRequest) -> web.Response:
        return web.Response(text="welcome")

    server = web.Server(answer)
    listening = await admission.listen(server, "127.0.0.1", 0)
    clients = Clients(listening.port)
    try:
        yield clients
    finally:
        await clients.close()
        listening.close()
        await server.shutdown(1)


async def is_served(streams: Streams) -> bool:
    """Whether a request is answered. False if the connection has been aborted."""
    reader, writer = streams
    with suppress(ConnectionError):
        writer.write(REQUEST)
        async with asyncio.timeout(HANG):
            line = await reader.readline()
            return line.startswith(b"HTTP/1.1 200") and bool(await reader.readuntil(b"welcome"))
    return False


async def test_one_connection_too_many_is_refused_until_another_closes() -> None:
    async with opened(Admission(limit=3, share=99, proxies=NOBODY)) as clients:
        admitted = [await clients.connect() for _ in range(3)]
        assert [await is_served(wire) for wire in admitted] == [True] * 3
        assert not await is_served(await clients.connect())
        assert await is_served(admitted[0])

        admitted[1][1].close()
        async with asyncio.timeout(HANG):
            while not await is_served(await clients.connect()):
                await asyncio.sleep(0.01)
        assert await is_served(admitted[0])


async def test_an_address_has_its_share_and_others_have_theirs() -> None:
    async with opened(Admission(limit=99, share=2, proxies=NOBODY)) as clients:
        here = [await clients.connect() for _ in range(3)]
        assert [await is_served(wire) for wire in here] == [True, True, False]
        assert await is_served(await clients.connect("127.0.0.2"))

        here[0][1].close()
        async with asyncio.timeout(HANG):
            while not await is_served(await clients.connect()):
                await asyncio.sleep(0.01)


async def test_a_trusted_proxy_has_no_limit_per_address() -> None:
    proxies = Proxies([ip_network("127.0.0.1")])
    async with opened(Admission(limit=99, share=2, proxies=proxies)) as clients:
        assert all([await is_served(await clients.connect()) for _ in range(5)])


async def test_a_flood_of_connections_is_one_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with opened(Admission(limit=2, share=99, proxies=NOBODY)) as clients:
        admitted = [await clients.connect() for _ in range(2)]
        assert all([await is_served(wire) for wire in admitted])
        with caplog.at_level(logging.INFO):
            assert not any([await is_served(await clients.connect()) for _ in range(50)])
    assert len(caplog.records) == 1
    assert "turned away" in caplog.text


async def test_closed_connections_are_forgotten_in_time() -> None:
    admission = Admission(limit=10_000, share=10_000, proxies=NOBODY)
    async with opened(admission) as clients:
        for _ in range(1_200):
            wire = await clients.connect()
            assert await is_served(wire)
            wire[1].close()
            await wire[1].wait_closed()
        kept = sum(map(len, admission._transports.values()))
    assert kept < 1_000


def test_the_limit_of_descriptors_sets_the_limit_of_connections() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        assert reserve_descriptors(Limits(descriptors=0.5)) == hard // 2
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("soft", [1_024, resource.RLIM_INFINITY])
def test_without_a_hard_limit_of_descriptors_the_limits_set_that_of_connections(
    soft: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))

    assert reserve_descriptors(Limits(connections=500)) == 1_000
    assert set(asked) <= {(resource.RLIM_INFINITY, resource.RLIM_INFINITY)}


def test_a_limit_of_descriptors_that_cannot_be_raised_sets_the_limit_of_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(resource, "getrlimit", lambda _: (1_000, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", refuse)

    assert reserve_descriptors(Limits(descriptors=0.5)) == 500
