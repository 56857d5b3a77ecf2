"""The short way in, for the frames that nearly all are: whole, masked, of modest size.

aiohttp hands a frame over by waking a task, which takes an eighth of the time of a move. So a text
that arrives whole is read here, where it arrives, and handled at once. Everything else, and from
the first byte that is not of this kind on really everything, goes the long way through aiohttp,
which knows all of RFC 6455.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

TEXT, PING, PONG = 0x81, 0x89, 0x8A  # each final, and without reserved bits
SHORT = (TEXT, PING, PONG)
MASKED = 0x80
SMALL = 125  # bytes; a larger payload has its size in two or in eight bytes of their own
TWO_BYTES = 126

_number = int.from_bytes


class ShortWay(asyncio.Protocol):
    """Stands between a transport and aiohttp's protocol, and passes on all but short texts."""

    __slots__ = ("_ends_well", "_handler", "_largest", "_lost", "_take")

    def __init__(self, handler: asyncio.Protocol) -> None:
        self._handler = handler
        self._take: Callable[[bytes], bool] | None = None
        self._lost: Callable[[], None] | None = None
        self._largest = 0
        self._ends_well = False  # nothing has come behind the handshake yet

    def open(self, take: Callable[[bytes], bool], lost: Callable[[], None], largest: int) -> None:
        """From now on let `take` have the texts; those it does not want go on to aiohttp.

        `lost` hears of the end at once, while the descriptor of the socket is still its own.
        """
        self._lost = lost
        if self._ends_well and largest >= SMALL:
            self._take, self._largest = take, largest

    def data_received(self, data: bytes) -> None:
        if self._take is None:
            self._ends_well = data.endswith(b"\r\n\r\n")
            self._handler.data_received(data)
        elif data[0] == TEXT and 6 <= len(data) <= SMALL + 6 and data[1] == MASKED + len(data) - 6:
            if not self._take(_unmasked(data, 6, len(data))):  # the only frame, and a small one
                self._handler.data_received(data)
        elif len(data) <= self._largest + 8:
            self._take_apart(data)
        else:  # more than anybody has to say at once
            self._take = None
            self._handler.data_received(data)

    def _take_apart(self, data: bytes) -> None:
        start = 0
        while start < len(data) and self._take is not None:
            body, end = self._measure(data, start)
            if not end:
                self._take = None
                end = len(data)
                self._handler.data_received(data[start:])
            elif data[start] != TEXT or not self._take(_unmasked(data, body, end)):
                self._handler.data_received(data[start:end])
            start = end

    def _measure(self, data: bytes, start: int) -> tuple[int, int]:
        """Where the payload begins and where it ends; nowhere if it is not for the short way."""
        body = start + 6
        if body > len(data) or data[start] not in SHORT:
            return 0, 0
        size = data[start + 1] - MASKED
        if size == TWO_BYTES and data[start] == TEXT:
            body, size = start + 8, int.from_bytes(data[start + 2 : start + 4])
        elif size > SMALL:
            return 0, 0
        end = body + size
        return (body, end) if 0 <= size <= self._largest and end <= len(data) else (0, 0)

    # ------------------------------------------------------------------- aiohttp's business alone

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._handler.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._take = None
        if self._lost is not None:
            self._lost()
            self._lost = None
        self._handler.connection_lost(exc)

    def eof_received(self) -> bool | None:
        return self._handler.eof_received()

    def pause_writing(self) -> None:
        self._handler.pause_writing()

    def resume_writing(self) -> None:
        self._handler.resume_writing()


def _unmasked(data: bytes, body: int, end: int) -> bytes:
    """The payload, each byte of it combined with one of the four of its key.

    >>> _unmasked(b"\\x81\\x85\\x01\\x02\\x03\\x04igohn", 6, 11)
    b'hello'
    """
    size = end - body
    keys = data[body - 4 : body] * (size // 4 + 1)
    return (_number(data[body:end]) ^ _number(keys[:size])).to_bytes(size)
