"""The timer of a running clock: it submits `Expire` at the deadline, and the core decides.

Every node that has the room awake has such a timer. One of them is first, the others hold theirs
for a moment. Should two submit, the second finds the game over.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from server.core.commands import Command, Expire
from server.live.draft import Accepted, Answer, Fault, Reply

RETRY_AFTER = 1.0  # seconds until a store that could not write is asked again

log = logging.getLogger(__name__)


class Flag:
    """`now` is the server's time. It may differ from the event loop's, so a timer can be early.

    `hold` returns the milliseconds to wait after the deadline.
    """

    __slots__ = ("_deadline", "_hold", "_now", "_submit", "_timer")

    def __init__(
        self,
        submit: Callable[[Command, Reply], None],
        now: Callable[[], int],
        hold: Callable[[], int],
    ) -> None:
        self._submit = submit
        self._now = now
        self._hold = hold
        self._deadline: int | None = None
        self._timer: asyncio.TimerHandle | None = None

    def arm(self, deadline: int | None) -> None:
        """Wait for this deadline instead of the last one; for None, do not wait."""
        self._deadline = deadline
        if deadline is None:
            self._cancel()
        else:
            self._wait(max(0, deadline - self._now()) / 1000)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self, seconds: float) -> None:
        self._cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._fall)

    def _fall(self) -> None:
        assert self._deadline is not None
        held = self._hold()
        left = self._deadline + held - self._now()
        if held and left > 0:
            self._wait(left / 1000)
        else:
            self._submit(Expire(), self._end_fall)

    def _end_fall(self, answer: Answer) -> None:
        """If the timer was early, wait on. If the store could not write, try again soon."""
        if isinstance(answer, Fault):
            log.error("our fault: a flag could not fall", exc_info=answer.problem)
        if isinstance(answer, Accepted):
            self.arm(self._deadline)
        elif self._deadline is not None:  # else the clock stands by now
            self._wait(RETRY_AFTER)
