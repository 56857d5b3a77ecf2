"""Who gets in: as many TCP connections as the process can bear, of no address more than its share.

Out of descriptors nothing works any more, not even a polite refusal. So what is too much is turned
away at once, before a byte of it is read. What one address may do once it is in is counted later,
at the handshake, where there is an answer.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from socket import SO_SNDBUF, SOL_SOCKET
from time import monotonic
from typing import cast

from aiohttp import web

from server.live.limits import Limits
from server.web.proxies import Proxies

BACKLOG = 1024
SEND_BUFFER = 16 * 1024  # bytes; a peer that stops reading would else take 4 MB before it shows
FEW = 256  # connections that have gone may be remembered for a while
LOOK_EVERY = 0.1  # seconds between two looks for them, at least
SAY_EVERY = 60.0  # seconds between two lines about it in the log

log = logging.getLogger(__name__)


def most_connections(limits: Limits) -> int:
    """How many the descriptors of this process are good for; asks for as many as it may have."""
    try:
        import resource
    except ImportError:  # not on every platform
        return 2 * limits.connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return 2 * limits.connections
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return max(1, int(limits.descriptors * soft))


class Door:
    """`most` may be inside at once, `each` of one address unless it is a trusted proxy's."""

    def __init__(self, *, most: int, each: int, proxies: Proxies) -> None:
        self._most = most
        self._each = each
        self._proxies = proxies
        self._inside: dict[str, list[asyncio.Transport]] = {}
        self._count = 0  # with those that have gone since somebody looked
        self._look_at = min(most, FEW)
        self._looked = self._said = float("-inf")

    async def open(self, server: web.Server, host: str, port: int) -> asyncio.Server:
        """Listen, and hand those who come in over to aiohttp's `server`."""
        loop = asyncio.get_running_loop()
        opened = await loop.create_server(
            lambda: _Visitor(self, server), host, port, backlog=BACKLOG
        )
        for listening in opened.sockets:
            listening.setsockopt(SOL_SOCKET, SO_SNDBUF, SEND_BUFFER)
        return opened

    def admits(self, transport: asyncio.Transport) -> bool:
        address = (transport.get_extra_info("peername") or ("",))[0]
        if self._count >= self._look_at:
            self._look()
        company = self._inside.setdefault(address, [])
        if self._count >= self._most or not self._has_share(address, company):
            self._say(address, len(company))
            return False
        company.append(transport)
        self._count += 1
        return True

    def _look(self) -> None:
        """Forget those that have gone."""
        now = monotonic()
        if now - self._looked > LOOK_EVERY:
            self._looked = now
            self._inside = {who: left for who, of in self._inside.items() if (left := _open(of))}
            self._count = sum(map(len, self._inside.values()))
            self._look_at = min(self._most, 2 * self._count + FEW)

    def _has_share(self, address: str, company: list[asyncio.Transport]) -> bool:
        if len(company) >= self._each:
            still = _open(company)
            self._count -= len(company) - len(still)
            company[:] = still
        return len(company) < self._each or self._proxies.trust(address)

    def _say(self, address: str, company: int) -> None:
        if monotonic() - self._said > SAY_EVERY:
            self._said = monotonic()
            what = "connections are turned away: %d are open, %d of them from %s"
            log.warning(what, self._count, company, address)


class _Visitor(asyncio.Protocol):
    """A connection in the doorway."""

    def __init__(self, door: Door, server: web.Server) -> None:
        self._door = door
        self._server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast(asyncio.Transport, transport)  # uvloop's is not one by name
        if self._door.admits(transport):
            handler = self._server()
            transport.set_protocol(handler)
            handler.connection_made(transport)
        else:
            transport.abort()


def _open(transports: list[asyncio.Transport]) -> list[asyncio.Transport]:
    return [transport for transport in transports if not transport.is_closing()]
