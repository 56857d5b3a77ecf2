"""One WebSocket from handshake to close: origin, counts, reading, and how it ends.

What is said over it is the peer's business. Most frames come by the short way, the others one by
one through aiohttp; all are written by the connection straight to the transport. Nothing here ever
waits for a peer that does not read.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Any

from aiohttp import WSMsgType, web

from server.live.conversation import Closing
from server.live.house import House
from server.live.outbox import Connection, Ticker
from server.live.peer import Peer
from server.web.proxies import Proxies
from server.web.shortway import ShortWay

POLICY_VIOLATION, UNSUPPORTED_DATA, OUR_FAULT, RESTARTING = 1008, 1003, 1011, 1012
TEXT = WSMsgType.TEXT  # a name is found sooner than a member of an enum
PING, PONG = b"\x89\x00", b"\x8a"
CLOSE_WITHIN = 2.0  # seconds for the closing handshake; then the socket is given up
ANSWER_WITHIN = 1.0  # of them, for what is being answered

log = logging.getLogger(__name__)


class Sockets:
    """All open sockets of the server."""

    def __init__(self, house: House, origins: tuple[str, ...], proxies: Proxies) -> None:
        self._house = house
        self._proxies = proxies
        self._origins = frozenset(origins)
        self._open: set[Socket] = set()
        self._ticker = Ticker(house.metrics.broadcast)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """The handler of `GET /ws`."""
        house = self._house
        if not self._is_welcome(request):
            raise web.HTTPForbidden(text="This page may not open the socket. See --origin.")
        if not request.headers.get("Sec-WebSocket-Key", "").isascii():  # aiohttp would stumble
            raise web.HTTPBadRequest(text="This is not a WebSocket key.")
        if house.is_draining:
            raise web.HTTPServiceUnavailable(text="The server is restarting.")
        forwarded = request.headers.getall("X-Forwarded-For", ())
        address = self._proxies.client(request.remote or "", forwarded)
        if house.addresses.is_full:
            raise web.HTTPServiceUnavailable(text="The server is full. Try again in a while.")
        if not house.addresses.connect(address):
            raise web.HTTPTooManyRequests(text="Too many connections from your address.")
        house.metrics.connections += 1
        try:
            response = new_response(house.limits.frame)
            try:
                await response.prepare(request)
            except ConnectionError:  # gone in the middle of the handshake
                return web.Response()
            transport = request.transport
            if transport is not None:  # gone already: then there is nobody to serve
                way = transport.get_protocol()
                descriptor = _descriptor(transport) if isinstance(way, ShortWay) else None
                socket = Socket(response, transport, self._ticker, house, address, descriptor)
                self._open.add(socket)
                if isinstance(way, ShortWay):
                    way.open(socket.take, socket.lost, house.limits.frame)
                try:
                    await socket.run()
                finally:
                    self._open.discard(socket)
                # A peer that reads nothing would keep its socket, and what is buffered, for ever.
                asyncio.get_running_loop().call_later(CLOSE_WITHIN, transport.abort)
            return response
        finally:
            house.metrics.connections -= 1
            house.addresses.disconnect(address)

    def sweep(self) -> None:
        """Ping those who have been quiet, and give up those who stay so."""
        now = monotonic()
        for socket in tuple(self._open):
            socket.check(now)

    async def close(self) -> None:
        """Tell everybody that the server restarts."""
        await asyncio.gather(*(s.close(RESTARTING, "restarting") for s in tuple(self._open)))

    def _is_welcome(self, request: web.Request) -> bool:
        """Only `Origin` tells another site's page from ours; programs without one are welcome."""
        origin = request.headers.get("Origin")
        if origin is None or origin.lower() in self._origins:
            return True
        host = request.headers.get("Host", "")
        return bool(host) and origin in (f"http://{host}", f"https://{host}")


class Response(web.WebSocketResponse[bool]):
    """aiohttp says goodbye by itself when the peer does: what we hold goes out before that."""

    before_close: Callable[[], Awaitable[None]] | None = None

    async def close(self, **how: Any) -> bool:
        if self.before_close is not None and not self.closed:
            await self.before_close()
        return await super().close(**how)


def new_response(largest: int) -> Response:
    """How we receive: frames of up to so many bytes, as they are."""
    return Response(
        compress=False,
        autoping=False,
        decode_text=False,
        max_msg_size=largest + 1,  # aiohttp refuses what reaches its limit
        timeout=CLOSE_WITHIN,
    )


class Socket:
    """`descriptor`: of the transport's socket, if `lost` is called before that is closed.

    `_queued`: how many texts that came by the short way wait in aiohttp's queue.
    """

    __slots__ = (
        "_connection",
        "_heard",
        "_is_ending",
        "_limits",
        "_peer",
        "_pinged",
        "_problem",
        "_queued",
        "_response",
        "_running",
    )

    def __init__(
        self,
        response: Response,
        transport: asyncio.Transport,
        ticker: Ticker,
        house: House,
        address: str,
        descriptor: int | None = None,
    ) -> None:
        self._response = response
        limits = house.limits
        self._connection = Connection(
            transport,
            ticker,
            descriptor=descriptor,
            patience=limits.patience,
            behind=limits.outbox_bytes,
            small=limits.outbox_frames,
        )
        response.before_close = self._last_words
        self._peer = Peer(house, self._connection, address, self._fail)
        self._limits = limits
        self._heard = monotonic()
        self._pinged = 0.0
        self._queued = 0
        self._is_ending = False
        self._problem: Exception | None = None
        self._running: asyncio.Task[Any] | None = None

    async def run(self) -> None:
        """Read until the end, whoever ends it."""
        loop = asyncio.get_running_loop()
        self._peer.hello_due = loop.call_later(self._limits.hello, self._no_hello)
        self._running = running = asyncio.current_task()
        assert running is not None
        receive, peer = self._response.receive, self._peer
        try:
            while True:
                kind, data, _ = await receive()
                self._heard = monotonic()
                if kind is TEXT:
                    await peer.rest()
                    if self._queued:
                        self._queued -= 1
                    peer.handle(data, self._heard)
                elif not self._heed(kind, data):
                    return
        except asyncio.CancelledError:
            if self._problem is None:
                raise
            running.uncancel()
            await self.close(*_farewell(self._problem))
        except Exception as problem:
            await self.close(*_farewell(problem))
        finally:
            self._running = None
            peer.leave()

    def take(self, text: bytes) -> bool:
        """A text that came by the short way; False if it has to wait for its turn."""
        if self._peer.is_busy or self._queued or self._is_ending:
            self._queued += 1
            return False
        self._heard = now = monotonic()
        try:
            self._peer.handle(text, now)
        except Exception as problem:
            self._fail(problem)
        return True

    def lost(self) -> None:
        """The socket is about to be closed, whoever wanted that."""
        self._connection.lost()

    def _heed(self, kind: WSMsgType, data: Any) -> bool:
        """What is not text; False when it is the end."""
        if kind is WSMsgType.PING:
            if self._peer.may_ask():
                self._connection.send(PONG + bytes((len(data),)) + data)
        elif kind is WSMsgType.PONG:
            self._peer.may_ask()
        elif kind is WSMsgType.BINARY:
            raise Closing(UNSUPPORTED_DATA, "text frames only")
        else:
            return False  # closed, closing or broken: aiohttp has answered already
        return True

    def check(self, now: float) -> None:
        """With four sweeps in `ping` seconds: pinged by then, given up before half as much more."""
        quiet = now - self._heard
        if quiet > 1.2 * self._limits.ping:
            self._connection.abort()
        elif quiet > 0.75 * self._limits.ping and self._pinged < self._heard:
            self._pinged = now
            self._connection.send(PING)

    async def close(self, code: int, why: str) -> None:
        """Send what is still held, say goodbye, and do not wait long for an answer."""
        self._is_ending = True
        self._peer.leave()
        try:
            async with asyncio.timeout(CLOSE_WITHIN):
                await self._response.close(code=code, message=why.encode())
        except TimeoutError:
            self._connection.abort()

    async def _last_words(self) -> None:
        """Let what is being answered be answered, and write what is held."""
        self._is_ending = True
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_WITHIN):
                await self._peer.rest()
        self._connection.finish()

    def _fail(self, problem: Exception) -> None:
        """The end has come outside of `run`, which stops reading and says goodbye.

        Only so does aiohttp wait for the peer's goodbye: else what the peer still writes would
        meet a closed socket, and the reset takes our last words from it.
        """
        if self._is_ending or self._running is None:
            _farewell(problem)  # nobody hears it, but the log does
            return
        self._is_ending = True
        self._problem = problem
        self._running.cancel()

    def _no_hello(self) -> None:
        self._fail(Closing(POLICY_VIOLATION, "no hello"))


def _descriptor(transport: asyncio.Transport) -> int | None:
    """Of the transport's socket, where that is something one can write to."""
    return int(transport.get_extra_info("socket").fileno()) if os.name == "posix" else None


def _farewell(problem: Exception) -> tuple[int, str]:
    if isinstance(problem, Closing):
        return problem.code, problem.why
    log.error("our fault: a socket is closed", exc_info=problem)
    return OUR_FAULT, "our fault"
