"""Writes past the transport, straight to the descriptor of its socket, while that is safe.

A transport looks at a dozen things before it writes. Most are settled here: the transport holds
nothing, the socket is plain TCP, and the connection is not lost. Then one system call is enough.
What the socket does not take, and all that comes behind it, is left to the transport.
"""

from __future__ import annotations

import asyncio
import os


class NotDirect(Exception):
    """There is nothing to write to directly: TLS, another platform, or no socket at all."""


class DirectTransport(asyncio.WriteTransport):
    """Takes a transport's place for writing, with the same verbs.

    Nothing may be written once the connection is lost: the kernel can then reuse the descriptor.
    `Outbox.stop` sees to that.
    """

    __slots__ = ("_descriptor", "_free", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        socket = transport.get_extra_info("socket")
        if os.name != "posix" or socket is None or transport.get_extra_info("sslcontext"):
            raise NotDirect
        self._transport = transport
        self._descriptor: int | None = socket.fileno()
        self._free: int | None = None  # the descriptor, while the transport holds nothing

    def write(self, data: bytes) -> None:  # type: ignore[override]  # ours are all bytes
        if self._free is None:
            self._write_in_line(data)
            return
        try:
            written = os.write(self._free, data)
        except OSError:  # full, or lost: the transport finds out which
            written = 0
        if written < len(data):
            self._write_in_line(data[written:])

    def get_write_buffer_size(self) -> int:
        return self._transport.get_write_buffer_size()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def abort(self) -> None:
        self._descriptor = self._free = None
        self._transport.abort()

    def _write_in_line(self, data: bytes) -> None:
        """By the transport, behind what it holds."""
        if self._descriptor is not None:
            self._transport.write(data)
            is_held = self._transport.get_write_buffer_size()
            self._free = None if is_held else self._descriptor


def direct(transport: asyncio.Transport) -> asyncio.WriteTransport:
    """The shortest way to write to this transport."""
    try:
        return DirectTransport(transport)
    except NotDirect:
        return transport
