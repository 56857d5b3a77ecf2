"""The newest value of something that changes. A slow reader skips values, and has no backlog."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

from noughts.messages import State

T = TypeVar("T")

LAG = 3.0  # seconds; how long one node may not have heard of what another has promised


class Newest(Generic[T]):
    """`value` is None before the first one."""

    def __init__(self) -> None:
        self.value: T | None = None
        self._number = 0
        self._is_over = False
        self._problem: Exception | None = None
        self._changed = asyncio.Event()

    def put(self, value: T) -> None:
        self.value = value
        self._number += 1
        self._wake()

    def end(self, problem: Exception | None = None) -> None:
        """No more values: readers stop, with the problem if there is one."""
        if not self._is_over:
            self._is_over, self._problem = True, problem
            self._wake()

    async def values(self) -> AsyncIterator[T]:
        """The value now, if there is one, and after each change the newest one."""
        seen = 0
        while True:
            if self._number > seen and self.value is not None:
                seen = self._number
                yield self.value
            elif self._is_over:
                self._raise_problem()
                return
            else:
                await self._changed.wait()

    def _raise_problem(self) -> None:
        if self._problem is not None:
            raise self._problem

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class NewestState(Newest[State]):
    """The newest state of a room.

    After a hello the first state counts whatever its seq; from then on the highest does. A state
    below a promised seq is held back: it would show a room without the command just accepted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._seen = -1  # the highest seq since the last hello
        self._promised = -1
        self._held: State | None = None
        self._timer: asyncio.TimerHandle | None = None

    def begin_again(self) -> None:
        """There is a new connection."""
        self._seen = -1

    def promise(self, seq: int) -> None:
        """A state with this seq will come."""
        if seq > self._seen:
            self._promised = max(self._promised, seq)

    def offer(self, state: State) -> None:
        if state.seq <= self._seen:
            return
        self._seen = state.seq
        if state.seq >= self._promised:
            self._show(state)
            return
        self._held = state
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LAG, self._give_up)

    async def kept(self) -> State:
        """The state, once it is what was promised. Raises the problem if the room has ended."""
        while not self._is_over and (self.value is None or self._promised >= 0):
            await self._changed.wait()
        if self.value is None or self._promised >= 0:
            self._raise_problem()
        assert self.value is not None
        return self.value

    def end(self, problem: Exception | None = None) -> None:
        self._stop_timer()
        super().end(problem)

    def _give_up(self) -> None:
        """The server is younger than its promise: it has been restored from a backup."""
        if self._held is not None:
            self._show(self._held)

    def _show(self, state: State) -> None:
        self._stop_timer()
        self._promised, self._held = -1, None
        if state != self.value:
            self.put(state)
        else:
            self._wake()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
