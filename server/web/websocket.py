"""One WebSocket from handshake to close: admission, reading, and how it ends.

Theory of operation
-------------------
aiohttp reads the request and writes the 101. Then the transport gets a protocol of ours, `Socket`,
and aiohttp only learns of the end of the connection: its handler awaits a future. There is no other
coroutine or task for a socket. Everything below happens in callbacks of the event loop.

A socket moves through four phases, and never back:

| phase   | what is received                   | goes on when                                      |
|---------|------------------------------------|---------------------------------------------------|
| OPEN    | is handled, one request at a time  | a close is decided (`_end`)                       |
| ENDING  | is kept                            | the request under way is answered (ANSWER_WITHIN) |
| CLOSING | is ignored, up to a close frame    | the connection is lost (CLOSE_WITHIN)             |
| CLOSED  | nothing                            |                                                   |

A close is decided by the peer's close frame or a broken one (the reader raises `Closing`), by the
peer's conduct (`Peer` raises `Closing`), by our own fault (1011), by a restart (1012) and by a
missing hello (1008). The close frame is written behind everything that is held for the peer. The
connection is then closed once the peer's own close frame has come, and aborted CLOSE_WITHIN
seconds after the decision, even if the peer does not read. A lost connection leads from any phase
to CLOSED.

**Reading.** The usual chunk is one small, whole, masked text frame: it is unmasked and handled
where it arrives. Everything else goes to `Reader`. A text that arrives while the peer's
last request is still under way waits, and all bytes behind it stay unread in the reader until the
peer calls back. If more than WAITING bytes have to wait, the transport stops reading. So answers
keep the order of their requests, and memory is bounded.

For example, a chunk brings `create`, `ping` and a close frame. `create` has to wait for the store;
`ping` is read and waits for it, the close frame is not even parsed. The store answers. The answer
to `create` and the state leave in one write. Then the socket goes on: `ping` is answered, the close
frame ends the socket, and both leave in a second write.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from enum import Enum
from time import monotonic
from typing import assert_never

from aiohttp import web

from noughts.messages import Close
from server.live.house import House
from server.live.peer import Peer
from server.live.stalls import FORGIVEN
from server.web.direct import new_outbox
from server.web.entrance import Entrance
from server.web.handshake import accept, is_handshake, take_early
from server.web.reader import BINARY, MASKED, PING, SMALL, TEXT, Reader, close_frame, unmask
from server.wire.closing import Closing

CLOSE_WITHIN = 2.0  # seconds from the decision to close until the socket is aborted
ANSWER_WITHIN = 1.0  # of them, for the request under way
RESTART_WITHIN = 0.5  # seconds a restart waits for the peers' close frames
WAITING = 64 * 1024  # bytes received but not handled, before the transport stops reading

FINAL_TEXT = 0x80 | TEXT
EMPTY_PING = b"\x89\x00"
PONG_HEAD = b"\x8a"

log = logging.getLogger(__name__)


class Sockets:
    """All open sockets of the server."""

    def __init__(self, house: House, entrance: Entrance) -> None:
        self._house = house
        self._entrance = entrance
        self._open: set[Socket] = set()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """The handler of `GET /ws`."""
        if not is_handshake(request):
            return self._entrance.answer(request)
        with self._entrance.admit(request) as address:
            return await self._upgrade(request, address)

    async def _upgrade(self, request: web.Request, address: str) -> web.StreamResponse:
        """Answer the handshake, and serve the socket until the connection is lost."""
        response = web.StreamResponse(status=101, headers=accept(request))
        response.force_close()
        try:
            await response.prepare(request)
        except ConnectionError:  # lost during the handshake
            return response
        early = take_early(request)
        if request.transport is None:
            return response
        socket = Socket(request.transport, self._house, address)
        self._open.add(socket)
        try:
            if early:
                socket.data_received(early)
            await socket.lost
        finally:
            self._open.discard(socket)
        return response

    def sweep(self) -> None:
        """Ping the peers that have been quiet, and abort those that stay so.

        Called every `MEASURE_EVERY` seconds.
        """
        now, limits = monotonic(), self._house.limits
        lost = self._house.stalls.measure(now)
        since = now - min(limits.quiet, 0.75 * limits.ping)  # whoever was heard since is well
        for socket in tuple(self._open):
            if lost:
                socket.forgive(lost, now)
            if socket.heard < since or socket.is_absent:
                socket.check(now)

    async def close(self) -> None:
        """Tell every peer that the server restarts, and wait until all have gone."""
        sockets = tuple(self._open)
        for socket in sockets:
            socket.close(Close.RESTARTING, "restarting")
        lost = [socket.lost for socket in sockets]
        if lost:
            await asyncio.wait(lost, timeout=RESTART_WITHIN)
        for socket in sockets:
            socket.stop_waiting()
        await asyncio.gather(*lost)


class Phase(Enum):
    OPEN, ENDING, CLOSING, CLOSED = range(4)


OPEN = Phase.OPEN  # a name is found sooner than a member of an enum


class Socket(asyncio.Protocol):
    """Takes the transport over from aiohttp. `lost` is done when the connection is.

    `heard`: when it was last heard. `is_absent`: it has pinged, fell silent, and does not answer.
    """

    __slots__ = (
        "_alarm",
        "_close_frame",
        "_house",
        "_http",
        "_limits",
        "_loop",
        "_next",
        "_outbox",
        "_peer",
        "_phase",
        "_pinged",
        "_reader",
        "_transport",
        "heard",
        "is_absent",
        "lost",
    )

    def __init__(self, transport: asyncio.Transport, house: House, address: str) -> None:
        limits = house.limits
        self._loop = asyncio.get_running_loop()
        self._transport = transport
        self._http = transport.get_protocol()
        self._outbox = new_outbox(transport, house.scheduler)
        self._peer = Peer(house, self._outbox, address, self._continue)
        self._reader = Reader(limits.frame)
        self._next: bytes | None = None  # a text that waits for the request under way
        self._house = house
        self._limits = limits
        self.heard = monotonic()
        self.is_absent = False
        self._pinged = 0.0
        self._phase = OPEN
        self._close_frame = b""  # the close frame, from ENDING on
        self._alarm = self._loop.call_later(limits.hello, self._miss_hello)
        self.lost: asyncio.Future[None] = self._loop.create_future()
        most = limits.outbox_bytes
        transport.set_write_buffer_limits(high=most, low=most // 2)
        transport.set_protocol(self)

    # --------------------------------------------------------------------------------- reading

    def data_received(self, data: bytes) -> None:
        self.heard = now = monotonic()
        size = len(data) - 6
        if (
            0 <= size <= SMALL
            and data[0] == FINAL_TEXT
            and data[1] == MASKED + size
            and self._reader.is_fresh
            and self._phase is OPEN
            and not self._peer.is_busy
        ):
            try:
                self._peer.handle(unmask(data, 6, size + 6), now)
            except Exception as problem:
                self._end(problem)
        else:
            self._reader.feed(data)
            self._go_on()

    def _go_on(self) -> None:
        """Do with what has been received what the phase allows."""
        match self._phase:
            case Phase.OPEN:
                self._handle_all()
            case Phase.ENDING:
                if not self._peer.is_busy:
                    self._send_close()
            case Phase.CLOSING:
                self._wait_for_close()
            case Phase.CLOSED:
                return
            case _:
                assert_never(self._phase)
        self._throttle()

    def _throttle(self) -> None:
        if self._transport.is_closing():
            return
        is_waiting = self._next is not None or self._phase is Phase.ENDING
        if is_waiting and self._reader.held > WAITING:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _handle_all(self) -> None:
        """Handle all messages, up to a text that has to wait for the request under way."""
        try:
            while self._phase is OPEN:
                if self._next is None:
                    message = self._reader.read()
                    if message is None:
                        return
                    kind, data = message
                    if kind != TEXT:
                        self._handle_other(kind, data)
                        continue
                    self._next = data
                if self._peer.is_busy:
                    return
                text, self._next = self._next, None
                self._peer.handle(text, self.heard)
        except Exception as problem:
            self._end(problem)

    def _handle_other(self, kind: int, data: bytes) -> None:
        if kind == BINARY:
            raise Closing(Close.NOT_TEXT, "text frames only")
        if self._peer.count_control_frame(self.heard) and kind == PING:
            self._peer.has_pinged = True
            self._outbox.send(PONG_HEAD + bytes((len(data),)) + data)

    def _continue(self, problem: Exception | None) -> None:
        """The peer has answered, or has met a problem: go on, but not inside of its call."""
        if problem is not None:
            self._loop.call_soon(self._end, problem)
        if self._next is not None or self._phase is not OPEN:
            self._loop.call_soon(self._go_on)

    # ----------------------------------------------------------------------------------- ending

    def close(self, code: Close, why: str) -> None:
        """Answer the request under way, send what is held, and close."""
        self._end(Closing(code, why))

    def _end(self, problem: Exception) -> None:
        """Decide to close. The first reason counts."""
        if not isinstance(problem, Closing):
            log.error("our fault: a socket is closed", exc_info=problem)
        if self._phase is not OPEN:
            return
        self._phase = Phase.ENDING
        closing = _closing_for(problem)
        self._close_frame = close_frame(closing.code, closing.why)
        self._peer.note_end(closing, monotonic())
        self._next = None
        self._alarm.cancel()
        self._alarm = self._loop.call_later(CLOSE_WITHIN, self._outbox.abort)
        self._peer.drop()
        if self._peer.is_busy:
            self._loop.call_later(ANSWER_WITHIN, self._send_close)
        else:
            self._send_close()

    def _send_close(self) -> None:
        if self._phase is Phase.ENDING:
            self._phase = Phase.CLOSING
            self._outbox.finish(self._close_frame)
            self._go_on()

    def _wait_for_close(self) -> None:
        """Close once the peer's close frame has come.

        If we closed before, bytes that the peer still sends would be answered with a reset, which
        can discard our last frames.
        """
        with suppress(Closing):
            while self._reader.read() is not None:
                pass
        if self._reader.is_over:
            self._transport.close()

    def stop_waiting(self) -> None:
        """Close now, if only the peer's close frame is missing."""
        if self._phase is Phase.CLOSING:
            self._transport.close()

    def pause_writing(self) -> None:
        self._outbox.pause()

    def resume_writing(self) -> None:
        self._outbox.resume()

    def connection_lost(self, exc: Exception | None) -> None:
        """The transport is about to close its descriptor: write nothing from now on."""
        self._phase = Phase.CLOSED
        self._outbox.stop()
        self._alarm.cancel()
        self._peer.drop()
        if not self.lost.done():
            self.lost.set_result(None)
        self._http.connection_lost(exc)

    def _miss_hello(self) -> None:
        if self._outbox.person is not None:
            return
        if self._house.stalls.is_recent(monotonic()):
            self._alarm = self._loop.call_later(FORGIVEN, self._miss_hello)
        else:
            self.close(Close.POLICY, "no hello")

    # ----------------------------------------------------------------------------------- silence

    def check(self, now: float) -> None:
        """Ping a quiet peer within `ping` seconds, and abort it within 1.5 times as many, never
        without such a ping.

        One that has pinged by itself, and then falls silent, is asked sooner whether it is there.
        It is asked only once: a browser slows the pings of a hidden page to one a minute.
        """
        quiet, limits = now - self.heard, self._limits
        is_asked = self._pinged > self.heard
        if self.is_absent and not is_asked:
            self._set_absent(False)
        if is_asked:
            if quiet > 1.2 * limits.ping and now - self._pinged > 0.4 * limits.ping:
                self._outbox.abort()
        elif quiet > 0.75 * limits.ping:
            self._ping(now)
        elif quiet > limits.quiet and self._peer.has_pinged:
            self._peer.has_pinged = False
            self._ping(now)
            self._loop.call_later(limits.pong, self._miss_pong)

    def forgive(self, lost: float, now: float) -> None:
        """For so many seconds nobody could be heard."""
        if self._pinged > self.heard:
            self._pinged += lost
        self.heard = min(now, self.heard + lost)

    def _ping(self, now: float) -> None:
        self._pinged = now
        self._outbox.send(EMPTY_PING)

    def _miss_pong(self) -> None:
        if self._pinged < self.heard or self._phase is not OPEN:
            return
        if self._house.stalls.is_recent(monotonic()):
            self._loop.call_later(FORGIVEN, self._miss_pong)
        else:
            self._set_absent(True)

    def _set_absent(self, is_absent: bool) -> None:
        self.is_absent = is_absent
        self._peer.set_absent(is_absent)


def _closing_for(problem: Exception) -> Closing:
    return problem if isinstance(problem, Closing) else Closing(Close.OUR_FAULT, "our fault")
