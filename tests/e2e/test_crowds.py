"""docs/hosting.md, Limits: too many connections, and connections that never send a request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidHandshake, InvalidStatus

from tests.support.dialling import dialled, play_out, seated_pair
from tests.support.serving import HANG, Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

FEW = ("--limit=connections_per_address=2",)


async def status_of(ws: str, **headers: str) -> int:
    """The HTTP status of this handshake: 101 if it is accepted."""
    try:
        async with connect(ws, compression=None, additional_headers=headers):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


async def test_a_full_server_refuses_newcomers_and_serves_its_peers(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, "--no-limits", "--limit=connections=3") as server,
        dialled(server.ws) as ada,
        dialled(server.ws) as bob,
        dialled(server.ws) as eve,
    ):
        assert await status_of(server.ws) == 503
        room = await seated_pair(ada, bob)
        await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
        await eve.socket.close()
        async with asyncio.timeout(HANG):
            while await status_of(server.ws) != 101:
                await asyncio.sleep(0.01)


async def test_a_crowd_never_takes_the_last_descriptors(tmp_path: Path) -> None:
    """With too few descriptors, a game goes on, the AI plays, and moves are stored."""
    store = f"sqlite:{tmp_path / 'rooms.db'}"
    few = 100
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(
            serving(tmp_path, "--no-limits", store=store, descriptors=few)
        )
        ada = await stack.enter_async_context(dialled(server.ws))
        bob = await stack.enter_async_context(dialled(server.ws))
        crowd = [await _come(server) for _ in range(3 * few)]
        assert sum(each is None for each in crowd) >= few  # refused
        room = await seated_pair(ada, bob)
        await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
        with_ai = await ada.create(seats={"X": "me", "O": {"ai": "perfect"}})
        await ada.accept("play", room=with_ai, cell=4, ply=0)
        await ada.state(with_ai, lambda state: len(state["moves"]) == 2)
        for writer in filter(None, crowd):
            writer.close()
        assert "Traceback" not in server.log
        assert server.log.count("turned away") == 1


async def _come(server: Served) -> asyncio.StreamWriter | None:
    """A TCP connection that sends nothing; None if it was refused."""
    with suppress(ConnectionError):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            async with asyncio.timeout(0.02):
                if not await reader.read(1):
                    writer.close()
                    return None
        except TimeoutError:
            return writer
    return None


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def brisk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """A server with a short handshake time-out."""
    folder = tmp_path_factory.mktemp("brisk")
    async with serving(folder, "--limit=handshake=1") as served:
        yield served
        assert "Traceback" not in served.log


@pytest.mark.parametrize(
    ("begins", "goes_on"),
    [
        (b"", b""),
        (b"GET /ws HT", b""),
        (b"GET /ws HTTP/1.1\r\nHost: here\r\nX: ", b""),
        (b"GET /ws HTTP/1.1\r\nHost: here\r\nX: ", b"y"),
        (b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\nGET /", b""),
        (b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9999\r\n\r\n", b"y"),
    ],
    ids=["silence", "half a line", "half a header", "drop by drop", "one and a half", "a body"],
)
async def test_a_handshake_that_is_never_finished_times_out(
    brisk: Served, begins: bytes, goes_on: bytes
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", brisk.port)
    with suppress(ConnectionError):
        writer.write(begins)
        async with asyncio.timeout(HANG):
            while not reader.at_eof():
                writer.write(goes_on)
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await reader.read(1000)
    writer.close()


async def test_a_socket_may_be_quiet_for_longer_than_a_handshake(brisk: Served) -> None:
    async with dialled(brisk.ws) as ada:
        await asyncio.sleep(1.5)
        assert (await ada.ask("ping"))["type"] == "pong"


async def test_each_client_behind_a_trusted_proxy_has_its_own_share(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, "--trusted-proxy=127.0.0.1", *FEW) as server,
        AsyncExitStack() as stack,
    ):
        for _ in range(2):
            header = {"X-Forwarded-For": "203.0.113.9, 192.0.2.1"}
            dialling = connect(server.ws, compression=None, additional_headers=header)
            await stack.enter_async_context(dialling)
        assert await status_of(server.ws, **{"X-Forwarded-For": "192.0.2.1"}) == 429
        assert await status_of(server.ws, **{"X-Forwarded-For": "192.0.2.2"}) == 101
        assert await status_of(server.ws) == 101


async def test_forged_addresses_gain_no_share_without_a_trusted_proxy(
    tmp_path: Path,
) -> None:
    async with (
        serving(tmp_path, *FEW) as server,
        AsyncExitStack() as stack,
    ):
        for number in range(2):
            header = {"X-Forwarded-For": f"192.0.2.{number}"}
            dialling = connect(server.ws, compression=None, additional_headers=header)
            await stack.enter_async_context(dialling)
        with pytest.raises(InvalidHandshake):
            await stack.enter_async_context(
                connect(server.ws, additional_headers={"X-Forwarded-For": "192.0.2.9"})
            )
