"""One peer's outbox: whole frames go out with `transport.write`, and nobody ever waits for a peer.

Small frames (answers, remarks) wait for the end of the tick, or go out together with the state that
follows them: one write for both. A peer that does not read fast enough is *behind*: of each room it
then gets only the newest state once it has caught up, and it is aborted when it makes no progress.
"""

from __future__ import annotations

import asyncio

from server.core.events import Person

BEHIND = 64 * 1024  # bytes the transport may hold before a peer counts as behind
SMALL_FRAMES = 64  # held for a peer that is behind; one more and it is aborted
LOOK_AGAIN = 0.05  # seconds between two looks at a peer that is behind
PATIENCE = 10.0  # seconds without progress before a peer is aborted


class Connection:
    def __init__(
        self, transport: asyncio.Transport, *, patience: float = PATIENCE, behind: int = BEHIND
    ) -> None:
        self.person: Person | None = None
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._patience = patience
        self._limit = behind
        self._small: list[bytes] = []
        self._newest: dict[str, bytes] = {}
        self._flushing = False
        self._is_finished = False
        self._stuck_at = 0
        self._stuck_since: float | None = None

    @property
    def is_behind(self) -> bool:
        return self._stuck_since is not None

    def send(self, frame: bytes) -> None:
        """A frame that must arrive, in order, by the end of this tick."""
        self.hold(frame)
        if not self._flushing and self._stuck_since is None:
            self._flushing = True
            self._loop.call_soon(self.flush)

    def hold(self, frame: bytes) -> None:
        """The same, for somebody who will `flush` when all has been said."""
        self._small.append(frame)
        if self._stuck_since is not None and len(self._small) > SMALL_FRAMES:
            self.abort()

    def offer(self, about: str, frame: bytes) -> None:
        """A frame that makes every earlier one `about` the same thing superfluous."""
        if self._stuck_since is not None:
            self._newest[about] = frame
        elif self._small:
            self._small.append(frame)
            self._write_small()
        else:
            self._write(frame)

    def flush(self) -> None:
        """Write what is held for the end of the tick, now."""
        self._flushing = False
        if self._small and self._stuck_since is None:
            self._write_small()

    def finish(self) -> None:
        """Write what is held, and nothing more: a close frame comes next."""
        self.flush()
        self._is_finished = True

    def abort(self) -> None:
        """Give the socket up at once; the reader notices and cleans up."""
        self._small.clear()
        self._newest.clear()
        self._transport.abort()

    def _write_small(self) -> None:
        together = b"".join(self._small)
        self._small.clear()
        self._write(together)

    def _write(self, data: bytes) -> None:
        transport = self._transport
        if self._is_finished or transport.is_closing():
            return
        transport.write(data)
        held = transport.get_write_buffer_size()
        if held > self._limit:
            self._stuck_at, self._stuck_since = held, self._loop.time()
            self._loop.call_later(LOOK_AGAIN, self._look_again)

    def _look_again(self) -> None:
        """Has a peer that was behind caught up, moved on, or given no sign of life?"""
        if self._transport.is_closing():
            return
        assert self._stuck_since is not None
        held, now = self._transport.get_write_buffer_size(), self._loop.time()
        if held < self._limit // 2:
            self._stuck_since = None
            frames = [*self._small, *self._newest.values()]
            self._small.clear()
            self._newest.clear()
            self._write(b"".join(frames))
            return
        if held < self._stuck_at:
            self._stuck_at, self._stuck_since = held, now
        elif now - self._stuck_since > self._patience:
            self.abort()
            return
        self._loop.call_later(LOOK_AGAIN, self._look_again)
