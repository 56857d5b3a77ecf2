"""The server with another peer, which sends every frame back.

Admission, route, handshake, reader, pings, outbox, frame writer and closing are the server's own.
Only what Autobahn needs is changed: large messages, binary ones, and no rates.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from struct import pack
from unittest.mock import patch

from aiohttp import web

from noughts.messages import Close
from server.app import ADMISSION, create_app
from server.config import Settings
from server.live.limits import Limits
from server.live.outbox import Outbox
from server.web.reader import BINARY, FIN
from server.web.websocket import Socket
from server.wire.closing import Closing
from server.wire.frames import text_frame

LARGEST = 16 * 1024 * 1024  # bytes; Autobahn's own limit


class Echo:
    """Replaces `Peer`: sends every frame back, whatever it says."""

    is_busy = False

    def __init__(self, *given: object, **named: object) -> None:
        [self._outbox] = [one for one in given if isinstance(one, Outbox)]

    def handle(self, frame: bytes, now: float) -> None:
        try:
            frame.decode()
        except UnicodeDecodeError:
            raise Closing(Close.NOT_UTF8, "text frames are UTF-8") from None
        self._outbox.send(text_frame(frame))

    def count_control_frame(self) -> bool:
        return True

    def drop(self) -> None: ...


class EchoSocket(Socket):
    """The server's socket, which accepts binary frames too."""

    __slots__ = ()

    def _handle_other(self, kind: int, data: bytes) -> None:
        if kind == BINARY:
            self._outbox.send(binary_frame(data))
        else:
            super()._handle_other(kind, data)


def binary_frame(data: bytes) -> bytes:
    """The server sends none, so it has no writer for them."""
    size, first = len(data), FIN | BINARY
    if size < 126:
        return bytes((first, size)) + data
    if size < 65_536:
        return pack(">BBH", first, 126, size) + data
    return pack(">BBQ", first, 127, size) + data


@asynccontextmanager
async def echoing() -> AsyncIterator[str]:
    """The address of an echo server."""
    with (
        patch("server.web.websocket.Peer", Echo),
        patch("server.web.websocket.Socket", EchoSocket),
    ):
        settings = Settings(store="memory:", limits=Limits(frame=LARGEST).lift())
        app = await create_app(settings)
        runner = web.AppRunner(app, access_log=None, handle_signals=False)
        await runner.setup()
        assert runner.server is not None
        try:
            listening = await app[ADMISSION].listen(runner.server, "127.0.0.1", 0)
            yield f"ws://127.0.0.1:{listening.port}/ws"
            listening.close()
        finally:
            await runner.cleanup()
