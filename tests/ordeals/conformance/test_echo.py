"""That there is something for Autobahn to talk to, whenever somebody asks it."""

from __future__ import annotations

import asyncio

import pytest
from websockets.asyncio.client import connect

from tests.ordeals.conformance.echo import echoing
from tests.support.dialling import HANG


@pytest.mark.parametrize(
    "said",
    ["", "a", "é" * 100, "x" * 100_000, b"", b"\x00" * 70_000],
    ids=["nothing", "short", "medium", "long", "no bytes", "many bytes"],
)
async def test_whatever_is_said_comes_back(said: str | bytes) -> None:
    async with asyncio.timeout(HANG), echoing() as address, connect(address) as socket:
        for _ in range(3):
            await socket.send(said)
            assert await socket.recv() == said
