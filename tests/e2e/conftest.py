"""One real server for all tests that leave it as they found it, and players who dial it.

These tests share one event loop (`loop_scope="session"`), since the sockets live in it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.dialling import Player, dialled
from tests.support.serving import Served, serving


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """A server without limits; whatever the tests do to it, it prints no traceback."""
    async with serving(tmp_path_factory.mktemp("server"), "--no-limits") as served:
        yield served
        assert await served.stop() == 0
        assert "Traceback" not in served.log, served.log


@pytest_asyncio.fixture(loop_scope="session")
async def ada(server: Served) -> AsyncIterator[Player]:
    async with dialled(server.ws, name="Ada") as player:
        yield player


@pytest_asyncio.fixture(loop_scope="session")
async def bob(server: Served) -> AsyncIterator[Player]:
    async with dialled(server.ws, name="Bob") as player:
        yield player


@pytest_asyncio.fixture(loop_scope="session")
async def eve(server: Served) -> AsyncIterator[Player]:
    """Somebody who sits nowhere."""
    async with dialled(server.ws, name="Eve") as player:
        yield player
