"""An event loop on a clock of its own: when nothing is left to do, it is the next timer's time.

Nothing here waits and nothing reads the real time, so a run is as quick as its work and the same
run is the same every time.
"""

from __future__ import annotations

import asyncio

EPOCH = 1_794_700_800_000  # ms since 1970 at which every simulated world begins


class FakeLoop(asyncio.BaseEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._seconds = 0.0
        self._selector = self  # all that asyncio asks of a selector is `select`

    def time(self) -> float:
        return self._seconds

    def select(self, timeout: float | None) -> list[object]:
        """There is no file to wait for: the time just passes."""
        if timeout is None:
            raise RuntimeError("nothing will ever happen again")
        self._seconds += timeout
        return []

    def _process_events(self, events: list[object]) -> None:
        pass
