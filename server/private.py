"""A game on this computer alone, with the face of a room of `noughts.connect`.

No server, no socket and no store: the core decides, and the AI searches in a thread. What a server
would refuse is refused here, with the same sentences.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from random import Random

from noughts.errors import Refused
from noughts.messages import Presence, State, decode_frame
from noughts.newest import Newest
from noughts.shapes import Mark as MarkName
from server.ai.executor import in_thread
from server.ai.pace import pace_of
from server.core import levels
from server.core.commands import (
    AI_PLAYER,
    Command,
    Create,
    Expire,
    Play,
    Reason,
    Rematch,
    Resign,
)
from server.core.commands import Refused as RefusedByCore
from server.core.decide import decide
from server.core.events import Person, PlayerId, TimeControl
from server.core.evolve import evolve, replay
from server.core.levels import levels_of
from server.core.room import AI, Room, RoomId
from server.core.rules import VARIANTS, Cell
from server.core.search import NODES
from server.wire.frames import TEXTS
from server.wire.snapshots import NAMES, state_text

ME = PlayerId("me")
LEVELS: Mapping[str, tuple[str, ...]] = {
    name: levels_of(variant) for name, variant in VARIANTS.items()
}


def milliseconds() -> int:
    return time.time_ns() // 1_000_000


class PrivateRoom:
    """`seats`: for each mark the name of a person at this computer, or the level of an AI.

    `clock`: the budget and the increment in milliseconds. `pause`: the seconds an AI takes for a
    move at least. `seed`: the AI plays the same game again with the same seed.
    """

    def __init__(
        self,
        variant: str,
        seats: Mapping[MarkName, str],
        *,
        clock: tuple[int, int] | None = None,
        pause: float = 0.5,
        seed: str | None = None,
        now: Callable[[], int] = milliseconds,
    ) -> None:
        if variant not in VARIANTS:
            raise _refused(Reason.NO_SUCH_VARIANT)
        self.presence: Presence | None = None  # nobody is anywhere else
        self.id = RoomId(seed or secrets.token_urlsafe(12))
        self.now = now
        self._pause = pause
        self._states = Newest[State]()
        self._thinking: asyncio.Task[None] | None = None
        self._flag: asyncio.TimerHandle | None = None
        known = levels_of(VARIANTS[variant])
        x, o = (
            seats[mark] if seats[mark] in known else Person(ME, seats[mark]) for mark in ("X", "O")
        )
        time_control = TimeControl(*clock) if clock else None
        create = Create(VARIANTS[variant], (x, o), public=False, time=time_control)
        room = replay(decide(None, create, now()))
        assert room is not None
        self._room: Room = room
        self._show()

    @property
    def state(self) -> State:
        assert self._states.value is not None
        return self._states.value

    @property
    def marks(self) -> tuple[MarkName, ...]:
        """The seats of people here."""
        return tuple(NAMES[mark] for mark in self._room.seats_of(ME))

    @property
    def my_turn(self) -> bool:
        return self.state.turn in self.marks

    def states(self) -> AsyncIterator[State]:
        """The state now, and the newest one after each change, until the room is closed."""
        return self._states.values()

    async def play(self, cell: Cell, *, state: State | None = None) -> None:
        """Mark this cell. `state`: the one in which it was chosen. Raises `Refused`."""
        at = state or self.state
        self._submit(Play(ME, cell, len(at.moves), at.game))

    async def resign(self) -> None:
        self._submit(Resign(ME, self._room.game))

    async def rematch(self) -> None:
        self._submit(Rematch(ME, self._room.game))

    async def leave(self) -> None:
        """There is nobody to leave the seat to, so nothing happens."""

    async def unwatch(self) -> None:
        """End the room: readers of `states` stop. A search under way ends by itself."""
        if self._flag is not None:
            self._flag.cancel()
        if self._thinking is not None:
            self._thinking.cancel()
            await asyncio.gather(self._thinking, return_exceptions=True)
        self._states.end()

    def _submit(self, command: Command) -> None:
        """Carry a command out as a server would: a flag that has fallen counts first."""
        try:
            self._carry_out(Expire())
            self._carry_out(command)
        except RefusedByCore as refusal:
            raise _refused(refusal.reason) from None

    def _carry_out(self, command: Command) -> None:
        events = decide(self._room, command, self.now())
        for event in events:
            self._room = evolve(self._room, event)
        if events:
            self._show()

    def _show(self) -> None:
        state = decode_frame(state_text(self.id, self._room))
        assert isinstance(state, State)
        self._states.put(state)
        self._watch_flag()
        self._look()

    def _watch_flag(self) -> None:
        if self._flag is not None:
            self._flag.cancel()
        deadline = self._room.deadline()
        if deadline is not None:
            wait = max(0, deadline - self.now()) / 1000
            self._flag = asyncio.get_running_loop().call_later(wait, self._fall)

    def _fall(self) -> None:
        self._carry_out(Expire())
        if self._room.finished is None:  # the timer was early
            self._watch_flag()

    # ------------------------------------------------------------------------------------ the AI

    def _look(self) -> None:
        """Start to think if it is the AI's turn."""
        if self._level_to_move() is not None and self._thinking is None:
            self._thinking = asyncio.get_running_loop().create_task(self._move())
            self._thinking.add_done_callback(self._end_thinking)

    async def _move(self) -> None:
        """Make the moves of the AI until it is somebody else's turn."""
        while (level := self._level_to_move()) is not None:
            room = self._room
            cell = await self._choose(room, level)
            if (self._room.game, self._room.moves) == (room.game, room.moves):
                self._carry_out(Expire())
                if self._level_to_move() is not None:
                    self._carry_out(Play(AI_PLAYER, cell, len(room.moves), room.game))

    async def _choose(self, room: Room, level: str) -> Cell:
        random = Random(f"{self.id}/{room.game}/{len(room.moves)}/{level}")
        pace = pace_of(room.clock, self.now())
        begin = asyncio.get_running_loop().time()
        weights = await in_thread(levels.weights, room.position, level, pace.fewer(NODES))
        took = asyncio.get_running_loop().time() - begin
        [cell] = random.choices(list(weights), [float(share) for share in weights.values()])
        await asyncio.sleep(min(self._pause, pace.seconds) - took)
        return cell

    def _level_to_move(self) -> str | None:
        turn = self._room.turn
        holder = None if turn is None else self._room.seats[turn]
        return holder.level if isinstance(holder, AI) else None

    def _end_thinking(self, task: asyncio.Task[None]) -> None:
        self._thinking = None
        if task.cancelled():
            return
        problem = task.exception()
        if isinstance(problem, Exception):
            self._states.end(problem)  # our own fault: it is not hidden
        else:
            self._look()  # it may be the AI's turn again since the task looked last


def _refused(reason: Reason) -> Refused:
    return Refused(reason, TEXTS[reason])
