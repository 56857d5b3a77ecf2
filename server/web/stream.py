"""A room as a stream over plain HTTP: one state per line of JSON, for as long as anybody reads.

A reader is a spectator like any other: it follows the room through the same audience, and has an
outbox of its own (`live/outbox.py`). So it gets the state now and after every change, only the
newest if it reads slowly, and is aborted if it reads nothing for ten seconds. `LineOutbox` is all
that differs: it writes the states among its frames as lines, and leaves out all other frames.

aiohttp reads the request and writes the head of the answer. Then the transport gets a protocol of
ours, `Stream`, as a WebSocket does. The stream ends with the last chunk of the answer when the
server restarts or the room is closed.

Nothing is ever received, so a quiet stream says nothing about its reader. After a while without a
change the state is therefore sent again. That keeps a proxy from cutting the connection, and lets
the kernel find out that nobody is there.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from time import monotonic

from aiohttp import web

from server import identity
from server.core.commands import Reason, Refused
from server.live.host import RoomHost
from server.live.house import House
from server.live.limits import Limits
from server.live.outbox import Outbox, Scheduler
from server.web.api import refusal, refused
from server.web.proxies import Proxies
from server.wire.closing import Closing
from server.wire.frames import split_texts, text_frame

END_WITHIN = 2.0  # seconds in which a reader has to take what is held when the stream ends
RESTART_WITHIN = 0.5  # of them, when the server restarts
END = text_frame(b"")  # an empty chunk ends the answer
STATE = b'{"type":"state"'
TURNED_AWAY = {
    "banned": (403, "banned", "Your address may not connect. Ask the operator of this server why."),
    "full": (503, "full", "The server is full. Try again in a while."),
    "address": (
        429,
        "too_many_connections",
        "Too many connections from your address. Close one, then try again.",
    ),
}


class Streams:
    """All open streams of the server."""

    def __init__(self, house: House, proxies: Proxies) -> None:
        self._house = house
        self._proxies = proxies
        self._open: set[Stream] = set()

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/rooms/{room}/stream", self.serve)]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        house = self._house
        forwarded = request.headers.getall("X-Forwarded-For", ())
        address = self._proxies.client(request.remote or "", forwarded)
        if house.is_draining:
            return refused(Reason.DRAINING)
        if house.bans.refuses(address):
            return self._turn_away(address, "banned")
        if reason := house.addresses.reason_against(address):
            return self._turn_away(address, reason)
        house.addresses.add_connection(address)
        house.metrics.connections += 1
        try:
            return await self._stream(request, address)
        finally:
            house.metrics.connections -= 1
            house.addresses.remove_connection(address)

    def _turn_away(self, address: str, reason: str) -> web.Response:
        status, code, text = TURNED_AWAY[reason]
        self._house.turned_away.note(address, f"{status} {code}", monotonic())
        return refusal(code, text, status)

    async def _stream(self, request: web.Request, address: str) -> web.StreamResponse:
        """Send the head of the answer, and its lines until the connection is lost."""
        room = request.match_info["room"]
        try:
            await self._house.rooms.find(room)
        except Refused as why:
            return refused(why.reason)
        response = web.StreamResponse(headers={"Cache-Control": "no-store"})
        response.content_type = "application/x-ndjson"
        response.headers["X-Accel-Buffering"] = "no"  # nginx passes each line on at once
        response.force_close()
        with suppress(ConnectionError):  # nobody reads any more
            await response.prepare(request)
        host = self._house.rooms.find_awake(room)
        if request.method == "HEAD" or request.transport is None or host is None:
            return response
        is_chunked = response.headers.get("Transfer-Encoding") == "chunked"
        stream = Stream(request.transport, self._house, host, address, is_chunked=is_chunked)
        self._open.add(stream)
        if self._house.is_draining:  # since the head was sent
            stream.end()
        await stream.lost
        self._open.discard(stream)
        return response

    def sweep(self) -> None:
        """Send the state again to readers who have not had one for a while."""
        now = monotonic()
        for stream in tuple(self._open):
            stream.check(now)

    async def close(self) -> None:
        """End every stream, and wait until all are lost."""
        streams = tuple(self._open)
        for stream in streams:
            stream.end()
        lost = [stream.lost for stream in streams]
        if lost:
            await asyncio.wait(lost, timeout=RESTART_WITHIN)
        for stream in streams:
            stream.abort()
        await asyncio.gather(*lost)


class Stream(asyncio.Protocol):
    """Takes the transport over from aiohttp, and follows the room. `lost` is done when the
    connection is. One of `house.peers` until then.
    """

    __slots__ = (
        "_alarm",
        "_host",
        "_house",
        "_http",
        "_loop",
        "_outbox",
        "_transport",
        "address",
        "lost",
        "since",
    )

    def __init__(
        self,
        transport: asyncio.Transport,
        house: House,
        host: RoomHost,
        address: str,
        *,
        is_chunked: bool,
    ) -> None:
        self.address = address
        self.since = house.now()
        self._loop = asyncio.get_running_loop()
        self._transport = transport
        self._http = transport.get_protocol()
        self._house = house
        self._host = host
        self._alarm: asyncio.TimerHandle | None = None
        self.lost: asyncio.Future[None] = self._loop.create_future()
        self._outbox = LineOutbox(transport, house.scheduler, is_chunked=is_chunked)
        self._outbox.person = identity.person(identity.new_token(), None)
        most = house.limits.outbox_bytes
        transport.set_write_buffer_limits(high=most, low=most // 2)
        _give_up_on_silence(transport, house.limits)
        transport.set_protocol(self)
        house.peers.add(self)
        host.audience.add(self._outbox)
        host.show(self._outbox)

    @property
    def outbox(self) -> Outbox:
        return self._outbox

    @property
    def following(self) -> int:
        return int(not self._outbox.is_gone)

    def forget(self, host: RoomHost) -> None:
        """End if this room has been removed."""
        if host is self._host:
            self.end()

    def close(self, _: Closing) -> None:
        """End, because the operator wants it."""
        self.end()

    def check(self, now: float) -> None:
        """Send the state again if the last one is old."""
        if now - self._outbox.written_at > 0.75 * self._house.limits.ping:
            self._host.show(self._outbox)

    def end(self) -> None:
        """Write what is held, end the answer, and close."""
        if self._alarm is None and not self.lost.done():
            self._alarm = self._loop.call_later(END_WITHIN, self.abort)
            self._unfollow()
            self._outbox.finish(END)
            self._transport.close()

    def abort(self) -> None:
        """Close now, whatever the reader has not taken."""
        self._outbox.abort()

    def data_received(self, data: bytes) -> None:
        """A reader has nothing more to say."""

    def pause_writing(self) -> None:
        self._outbox.pause()

    def resume_writing(self) -> None:
        self._outbox.resume()

    def connection_lost(self, exc: Exception | None) -> None:
        self._outbox.stop()
        self._unfollow()
        self._house.peers.remove(self)
        if self._alarm is not None:
            self._alarm.cancel()
        if not self.lost.done():
            self.lost.set_result(None)
        self._http.connection_lost(exc)

    def _unfollow(self) -> None:
        self._outbox.is_gone = True
        self._host.audience.remove(self._outbox)


class LineOutbox(Outbox):
    """Writes states as lines, each a chunk of its own if the answer is chunked.

    `written_at`: when the last state was written.
    """

    __slots__ = ("_is_chunked", "written_at")

    def __init__(
        self, transport: asyncio.WriteTransport, scheduler: Scheduler, *, is_chunked: bool
    ) -> None:
        super().__init__(transport, scheduler)
        self._is_chunked = is_chunked
        self.written_at = monotonic()

    def put(self, frames: bytes) -> None:
        for text in split_texts(frames):
            if text.startswith(STATE):
                self.written_at = monotonic()
                super().put(self._chunk(text + b"\n"))
            elif not text:
                super().put(self._chunk(b""))

    def _chunk(self, data: bytes) -> bytes:
        return b"%x\r\n%b\r\n" % (len(data), data) if self._is_chunked else data


def _give_up_on_silence(transport: asyncio.Transport, limits: Limits) -> None:
    """Have the kernel drop a reader whose machine acknowledges nothing, where it can."""
    option = getattr(socket, "TCP_USER_TIMEOUT", None)
    plain = transport.get_extra_info("socket")
    if option is not None and plain is not None:
        with suppress(OSError):
            plain.setsockopt(socket.IPPROTO_TCP, option, round(1_500 * limits.ping))
