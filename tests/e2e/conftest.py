"""One real server, shared by all tests that do not stop it, and players who connect to it.

These tests share one event loop (`loop_scope="session"`), because the sockets belong to it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.dialling import Player, dialled
from tests.support.serving import Served, serving


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """A server without limits. Whatever the tests do, it must print no traceback."""
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
    """A player without a seat."""
    async with dialled(server.ws, name="Eve") as player:
        yield player
