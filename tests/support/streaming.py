"""A reader of a room's stream over plain HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.support.bare import HANG, Bare, connected
from tests.support.schema import check_frame
from tests.support.serving import Served

State = dict[str, Any]


class Reader:
    """`head`: the first lines of the answer."""

    def __init__(self, peer: Bare, head: str) -> None:
        self.peer = peer
        self.head = head

    async def chunk(self) -> bytes:
        """The next chunk. The last one is empty, and nothing comes behind it."""
        reader = self.peer.reader
        async with asyncio.timeout(HANG):
            size = int(await reader.readuntil(b"\r\n"), 16)
            data = await reader.readexactly(size)
            assert await reader.readexactly(2) == b"\r\n"
            assert size or not await reader.read(), "something comes behind the end"
        return data

    async def state(self) -> State:
        line = await self.chunk()
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        state: State = json.loads(line)
        check_frame(state)
        assert state["type"] == "state"
        return state

    async def state_at(self, seq: int) -> State:
        """The first state with this `seq` or a later one."""
        while (state := await self.state())["seq"] < seq:
            pass
        return state


@asynccontextmanager
async def reading(
    server: Served, room: str, *, version: str = "1.1", window: int = 0
) -> AsyncIterator[Reader]:
    async with connected(server.port, "127.0.0.1", window=window) as peer:
        host = f"127.0.0.1:{server.port}"
        peer.write(f"GET /api/rooms/{room}/stream HTTP/{version}\r\nHost: {host}\r\n\r\n".encode())
        yield Reader(peer, await peer.head())
