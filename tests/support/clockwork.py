"""An event loop on virtual time: if nothing is ready to run, its clock jumps to the next timer.

A test on this loop never waits. `await asyncio.sleep(5)` returns at once, and by then everything
that was due within those five seconds has happened and nothing else. The same run is the same
every time.

The loop has no files, threads or processes. Using one raises `NotImplementedError`; waiting for
something that no timer will bring raises `RuntimeError`.
"""

from __future__ import annotations

import asyncio


class VirtualLoop(asyncio.BaseEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._seconds = 0.0
        self._selector = self  # asyncio calls nothing but `select` on it

    def time(self) -> float:
        return self._seconds

    def advance(self, seconds: float) -> None:
        """Let this time pass at once, as if the loop stood still meanwhile."""
        self._seconds += seconds

    def select(self, timeout: float | None) -> list[object]:
        """Report no file as ready; let `timeout` pass on the virtual clock instead."""
        if timeout is None:
            raise RuntimeError("nothing will ever happen again")
        self._seconds += timeout
        return []

    def _process_events(self, events: list[object]) -> None:
        pass


async def settle() -> None:
    """Let everything run that is due now, however many turns of the loop it takes."""
    assert isinstance(asyncio.get_running_loop(), VirtualLoop), "only virtual time knows when"
    await asyncio.sleep(1e-6)
