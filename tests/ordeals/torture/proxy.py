"""A TCP proxy that simulates a bad network: it can delay, stall, reset, close or swallow.

It knows only bytes. `python -m tests.ordeals.torture.proxy HOST HOST:PORT` runs one that only
forwards, for use in another network namespace.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

CHUNK = 65_536
AT_ONCE = struct.pack("ii", 1, 0)  # SO_LINGER: close discards unsent data and sends RST


class End:
    """One side of a connection. `left`: the instant its peer ended it, 0 until then."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.left = 0.0

    def reset(self) -> None:
        own: socket.socket | None = self.writer.get_extra_info("socket")
        if own is not None:
            with suppress(OSError):
                own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        self.writer.transport.abort()

    async def closed(self) -> None:
        with suppress(OSError):
            await self.writer.wait_closed()


class Link:
    """One connection through the proxy: `near` is the client, `far` the server.

    Once dead, it swallows all data, and neither side gets anything from the other.
    """

    def __init__(self, proxy: Proxy, near: End, far: End) -> None:
        self.near = near
        self.far = far
        self.is_dead = False
        self._proxy = proxy

    async def run(self) -> None:
        """Forward until one side ends it. A dead link stays until both sides have ended."""
        pumps = {
            asyncio.ensure_future(self._pass_on(self.near, self.far)),
            asyncio.ensure_future(self._pass_on(self.far, self.near)),
        }
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            if self.is_dead:
                await asyncio.wait(pumps)
        finally:
            for pump in pumps:
                pump.cancel()
            self.close()  # before anything is awaited, since this may be cancelled
            await asyncio.gather(*pumps, return_exceptions=True)
            await asyncio.gather(self.near.closed(), self.far.closed())

    def close(self) -> None:
        self.near.writer.close()
        self.far.writer.close()

    async def _pass_on(self, source: End, target: End) -> None:
        with suppress(OSError):
            while data := await source.reader.read(CHUNK):
                if self._proxy.delay:
                    await asyncio.sleep(self._proxy.delay)
                await self._proxy.flowing.wait()
                if not self.is_dead:
                    target.writer.write(data)
                    await target.writer.drain()
        source.left = time.monotonic()


class Proxy:
    """`delay`: seconds each way. `is_refusing`: new connections are closed at once."""

    def __init__(self, host: str, port: int) -> None:
        self.delay = 0.0
        self.is_refusing = False
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.links: list[Link] = []
        self.dialled = 0
        self.url = ""
        self._to = (host, port)
        self._is_black_hole = False
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def ws(self) -> str:
        return self.url.replace("http", "ws", 1) + "/ws"

    # ----------------------------------------------------------------------------- troubles

    def stall(self) -> None:
        """Nothing moves and nothing is lost, until `heal`."""
        self.flowing.clear()

    def reset(self) -> None:
        """Reset both sides of every connection."""
        for link in self.links:
            link.near.reset()
            link.far.reset()

    def cut(self) -> None:
        """Close both sides of every connection properly, wherever the traffic is."""
        for link in self.links:
            link.close()

    def swallow(self, *, new_ones_too: bool = False) -> list[Link]:
        """Half open: connections stay, but nothing comes through any more."""
        self._is_black_hole = new_ones_too
        for link in self.links:
            link.is_dead = True
        return list(self.links)

    def heal(self) -> None:
        """End every fault. Swallowed data is lost, and its connection stays dead."""
        self.delay, self.is_refusing, self._is_black_hole = 0.0, False, False
        self.flowing.set()

    # ---------------------------------------------------------------------------- its workings

    async def serve(self, host: str) -> asyncio.Server:
        server = await asyncio.start_server(self._accept, host, 0)
        port = server.sockets[0].getsockname()[1]
        self.url = f"http://{host}:{port}"
        return server

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.dialled += 1
        task = asyncio.get_running_loop().create_task(self._link(End(reader, writer)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _link(self, near: End) -> None:
        try:
            far = None if self.is_refusing else await self._dial()
            if far is not None:
                link = Link(self, near, far)
                link.is_dead = self._is_black_hole
                self.links.append(link)
                try:
                    await link.run()
                finally:
                    self.links.remove(link)
        finally:
            near.reset()
            await near.closed()

    async def _dial(self) -> End | None:
        try:
            return End(*await asyncio.open_connection(*self._to))
        except OSError:
            return None  # the server is down, and the client sees that


@asynccontextmanager
async def proxied(url: str) -> AsyncIterator[Proxy]:
    """A proxy on loopback in front of the server at `url`."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    proxy = Proxy(host, int(port))
    server = await proxy.serve("127.0.0.1")
    try:
        yield proxy
    finally:
        server.close()
        await proxy.close()
        await server.wait_closed()


async def main(listen: str, to: str) -> None:
    host, _, port = to.rpartition(":")
    proxy = Proxy(host, int(port))
    async with await proxy.serve(listen) as server:
        print(f"listening on {proxy.url}", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
