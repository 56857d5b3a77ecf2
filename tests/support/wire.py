"""A transport that keeps what is written to it, so that tests can read the frames."""

from __future__ import annotations

import asyncio
import json
from typing import Any

Frame = dict[str, Any]


class Wire(asyncio.Transport):
    """Keeps all that is written. While `stalled`, it behaves as if the peer did not read."""

    high = 64 * 1024  # bytes it may hold before it pauses its protocol

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.held = 0  # bytes the peer has not read
        self.stalled = False
        self.aborted = False
        self.closed = False
        self.paused = False
        self._protocol: asyncio.BaseProtocol = asyncio.Protocol()

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.aborted, "written after an abort"
        self.written.append(bytes(data))
        if self.stalled:
            self.held += len(data)
            if self.held > self.high:
                self._protocol.pause_writing()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self.high = high or self.high

    def catch_up(self) -> None:
        """Let the peer read everything that is held."""
        self.stalled, self.held = False, 0
        self._protocol.resume_writing()

    def get_write_buffer_size(self) -> int:
        return self.held

    def is_closing(self) -> bool:
        return self.aborted or self.closed

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        self.closed = True

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False

    @property
    def close_code(self) -> int | None:
        """The code in the close frame, which is the last frame written; None without one."""
        _, sign, close = b"".join(self.written).rpartition(b"\x88")
        return int.from_bytes(close[1:3]) if sign else None

    @property
    def frames(self) -> list[Frame]:
        return [frame for data in self.written for frame in split(data)]

    def of_type(self, type: str) -> list[Frame]:
        return [frame for frame in self.frames if frame["type"] == type]


def split(data: bytes) -> list[Frame]:
    """The JSON of each text frame in one write."""
    found = []
    while data:
        size, start = data[1], 2
        if size == 126:
            size, start = int.from_bytes(data[2:4]), 4
        if data[0] == 0x81:
            found.append(json.loads(data[start : start + size]))
        else:
            assert data[0] in (0x88, 0x89, 0x8A), data
        data = data[start + size :]
    return found
