"""docs/protocol.md §5: the pages that may open the socket."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from tests.support.dialling import Player, dialled
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    also = ("--origin", "https://play.example", "--origin", "http://embed.example:8081")
    own = ("--public-url", "https://own.example")
    async with serving(tmp_path_factory.mktemp("origin"), *also, *own) as served:
        yield served


async def welcomed(server: Served, origin: str) -> bool:
    """Whether a page of this origin gets a welcome. Any other answer must be 403."""
    status = 0
    try:
        async with connect(server.ws, origin=Origin(origin), compression=None) as socket:
            welcome = await Player(socket).ask("hello", protocol=1)
            return bool(welcome["type"] == "welcome")
    except InvalidStatus as refused:
        status = refused.response.status_code
    assert status == 403
    return False


async def test_the_servers_own_page_is_accepted_over_http_and_https(server: Served) -> None:
    assert await welcomed(server, f"http://127.0.0.1:{server.port}")
    assert await welcomed(server, f"https://127.0.0.1:{server.port}")


async def test_its_own_page_at_the_public_address_is_accepted_whatever_the_host(
    server: Served,
) -> None:
    assert await welcomed(server, "https://own.example")


async def test_an_origin_given_as_an_option_is_accepted(server: Served) -> None:
    assert await welcomed(server, "https://play.example")
    assert await welcomed(server, "http://embed.example:8081")


async def test_a_program_without_an_origin_is_accepted(server: Served) -> None:
    async with dialled(server.ws) as player:
        assert player.welcome["type"] == "welcome"


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://localhost:{port}",
        "http://127.0.0.1:{port}/",
        "http://127.0.0.1:{port}.evil.example",
        "http://evil.example#127.0.0.1:{port}",
        "ws://127.0.0.1:{port}",
        "127.0.0.1:{port}",
        "http://play.example",
        "https://play.example:444",
        "https://play.example.evil.example",
        "http://embed.example",
    ],
)
async def test_any_other_page_is_refused_with_403(server: Served, origin: str) -> None:
    assert not await welcomed(server, origin.format(port=server.port))
