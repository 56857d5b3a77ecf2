"""Accepts as many TCP connections as the process can bear, and from each address only its share.

A process without free descriptors cannot even refuse politely. So a connection that is one too many
is aborted at once, before a byte of it is read. The limits for what an address may do once it is
connected are checked at the handshake, where a refusal can be sent.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress
from time import monotonic
from typing import cast

from aiohttp import web

from server.live.limits import Limits
from server.metrics import Metrics
from server.web.binding import bind
from server.web.proxies import Proxies

BACKLOG = 1024  # connections that the kernel queues
SEND_BUFFER = 16 * 1024  # bytes; by default, a peer that does not read takes 4 MB before it shows
SLACK = 256  # closed connections that may still be counted
PRUNE_EVERY = 0.1  # seconds between two searches for closed connections, at least
WARN_EVERY = 60.0  # seconds between two warnings in the log, at least

log = logging.getLogger(__name__)


def reserve_descriptors(limits: Limits) -> int:
    """Raise the process's limit of descriptors, and return how many connections it is good for."""
    try:
        import resource
    except ImportError:  # not on every platform
        return 2 * limits.connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    if soft == resource.RLIM_INFINITY:
        return 2 * limits.connections
    return max(1, int(limits.descriptors * soft))


class Listening:
    """Sockets that listen, all on the same port."""

    def __init__(self, sockets: list[socket.socket], servers: list[asyncio.Server]) -> None:
        self.port: int = sockets[0].getsockname()[1]
        self._servers = servers

    def close(self) -> None:
        for server in self._servers:
            server.close()


class Admission:
    """`limit`: connections at once. `share`: connections of one address, unless a trusted proxy's.

    Closed connections are not removed one by one, which would need a hook in every transport. They
    are searched for when the count may have grown too large.
    """

    def __init__(
        self, *, limit: int, share: int, proxies: Proxies, metrics: Metrics | None = None
    ) -> None:
        self._limit = limit
        self._share = share
        self._proxies = proxies
        self._metrics = metrics or Metrics()
        self._transports: dict[str, list[asyncio.Transport]] = {}  # by address
        self._count = 0  # of all transports, with those that have closed since the last search
        self._prune_at = min(limit, SLACK)  # connections
        self._last_prune = self._last_warning = float("-inf")

    async def listen(self, server: web.Server, host: str, port: int) -> Listening:
        """Listen, and pass the connections that are admitted on to aiohttp's `server`.

        Raises `OSError`.
        """
        loop = asyncio.get_running_loop()
        sockets = await asyncio.to_thread(bind, host, port)
        servers = []
        for each in sockets:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            servers.append(
                await loop.create_server(
                    lambda: _Newcomer(self, server), sock=each, backlog=BACKLOG
                )
            )
        return Listening(sockets, servers)

    def admit(self, transport: asyncio.Transport) -> bool:
        """Count a new connection. False, and not counted, if it is one too many."""
        address = (transport.get_extra_info("peername") or ("",))[0]
        if self._count >= self._prune_at:
            self._prune()
        siblings = self._transports.setdefault(address, [])  # connections of the same address
        if self._count >= self._limit or not self._is_within_share(address, siblings):
            self._metrics.aborted += 1
            self._warn(address, len(siblings))
            return False
        siblings.append(transport)
        self._count += 1
        return True

    def _is_within_share(self, address: str, siblings: list[asyncio.Transport]) -> bool:
        if len(siblings) >= self._share:  # some may have closed
            before = len(siblings)
            siblings[:] = _only_open(siblings)
            self._count -= before - len(siblings)
        return len(siblings) < self._share or self._proxies.is_trusted(address)

    def _prune(self) -> None:
        """Forget connections that have closed."""
        now = monotonic()
        if now - self._last_prune > PRUNE_EVERY:
            self._last_prune = now
            pruned = ((address, _only_open(all)) for address, all in self._transports.items())
            self._transports = {address: still for address, still in pruned if still}
            self._count = sum(map(len, self._transports.values()))
            self._prune_at = min(self._limit, 2 * self._count + SLACK)

    def _warn(self, address: str, of_address: int) -> None:
        now = monotonic()
        if now - self._last_warning > WARN_EVERY:
            self._last_warning = now
            text = "connections are turned away: %d are open, %d of them from %s"
            log.warning(text, self._count, of_address, address)


class _Newcomer(asyncio.Protocol):
    """The protocol of a connection until it is admitted."""

    def __init__(self, admission: Admission, server: web.Server) -> None:
        self._admission = admission
        self._server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast(asyncio.Transport, transport)  # uvloop's is not a subclass of it
        if self._admission.admit(transport):
            handler = self._server()
            transport.set_protocol(handler)
            handler.connection_made(transport)
        else:
            transport.abort()


def _only_open(transports: list[asyncio.Transport]) -> list[asyncio.Transport]:
    return [transport for transport in transports if not transport.is_closing()]
