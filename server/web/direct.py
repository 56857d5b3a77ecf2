"""An outbox that writes past the transport, straight to the descriptor, while that is safe.

A transport looks at a dozen things before it writes. Most are settled here: it holds nothing, the
socket is plain TCP, and the connection is not lost. Then one system call is enough. What the socket
does not take, and all that comes behind it, is left to the transport.
"""

from __future__ import annotations

import asyncio
import os

from server.live.outbox import Outbox, Scheduler


class NotDirect(Exception):
    """There is nothing to write to directly: TLS, another platform, or no socket at all."""


class DirectOutbox(Outbox):
    """Forgets the descriptor in `stop`, and so before the kernel can reuse it."""

    __slots__ = ("_descriptor", "_free")

    def __init__(self, transport: asyncio.Transport, scheduler: Scheduler) -> None:
        super().__init__(transport, scheduler)
        socket = transport.get_extra_info("socket")
        if os.name != "posix" or socket is None or transport.get_extra_info("sslcontext"):
            raise NotDirect
        self._descriptor: int | None = socket.fileno()
        self._free: int | None = None  # the descriptor, while the transport holds nothing

    def put(self, frames: bytes) -> None:
        if self._free is None:
            self._put_in_line(frames)
            return
        try:
            written = os.write(self._free, frames)
        except OSError:  # full, or lost: the transport finds out which
            written = 0
        if written < len(frames):
            self._put_in_line(frames[written:])

    def stop(self) -> None:
        self._descriptor = self._free = None
        super().stop()

    def _put_in_line(self, frames: bytes) -> None:
        """By the transport, behind what it holds."""
        if self._descriptor is not None:
            super().put(frames)
            is_held = self._transport.get_write_buffer_size()
            self._free = None if is_held else self._descriptor


def new_outbox(transport: asyncio.Transport, scheduler: Scheduler) -> Outbox:
    """One that writes to this transport in the shortest way."""
    try:
        return DirectOutbox(transport, scheduler)
    except NotDirect:
        return Outbox(transport, scheduler)
