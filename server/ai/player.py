"""The AI as a player: it sees a room as a spectator does and submits moves like anybody.

Chance comes from a generator seeded by room, game, ply and level, so that a game replays the same.
"""

from __future__ import annotations

import asyncio
import logging
from random import Random
from time import perf_counter

from server.ai.pool import SearchPool
from server.core.commands import AI_PLAYER, Play, Reason, Refused
from server.core.room import AI, Room, RoomId
from server.core.rules import Cell
from server.live.host import RoomHost
from server.metrics import Metrics

TRY_AGAIN = 1.0  # seconds until a move is submitted again to a store that could not write

log = logging.getLogger(__name__)


class AIPlayer:
    """`pause`: the mean time in milliseconds it seems to think, as a person would."""

    def __init__(self, pool: SearchPool, metrics: Metrics, *, pause: int) -> None:
        self._pool = pool
        self._metrics = metrics
        self._pause = pause
        self._playing: dict[RoomId, asyncio.Task[None]] = {}

    def look(self, host: RoomHost) -> None:
        """Notice a change in a room, and play if it is the AI's turn."""
        x, o = host.room.seats
        if type(x) is not AI and type(o) is not AI:  # at every move: quicker than `isinstance`
            return
        _ = self._pool.wake()
        if _level_to_move(host.room) is not None and host.id not in self._playing:
            task = asyncio.get_running_loop().create_task(self._play(host))
            self._playing[host.id] = task
            task.add_done_callback(lambda _: self._stopped(host))

    def is_playing(self, room: RoomId) -> bool:
        return room in self._playing

    async def close(self) -> None:
        tasks = list(self._playing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _stopped(self, host: RoomHost) -> None:
        task = self._playing.pop(host.id)
        if task.cancelled():
            return
        problem = task.exception()
        if problem is None:
            self.look(host)  # the last change may have come while it was getting up
        else:
            log.error("the AI stumbled in room %s", host.id, exc_info=problem)
            task.get_loop().call_later(TRY_AGAIN, self.look, host)

    async def _play(self, host: RoomHost) -> None:
        while (level := _level_to_move(host.room)) is not None:
            room = host.room
            cell = await self._choose(host.id, room, level)
            if _asked(host.room) != _asked(room):
                continue  # the question is another one now
            try:
                await host.submit_and_wait(Play(AI_PLAYER, cell, len(room.moves), room.game))
            except Refused as refusal:
                if refusal.reason is Reason.RETRY:
                    await asyncio.sleep(TRY_AGAIN)
                elif host.room.seq == room.seq:
                    raise  # the room has not moved on, so this would go on for ever: our bug

    async def _choose(self, id: RoomId, room: Room, level: str) -> Cell:
        dice = Random(f"{id}/{room.game}/{len(room.moves)}/{level}")
        begin = perf_counter()
        weights = await self._pool.weights(room.position, level)
        took = perf_counter() - begin
        self._metrics.ai.observe(took)
        [cell] = dice.choices(list(weights), [float(share) for share in weights.values()])
        if self._pause:
            await asyncio.sleep(self._pause / 1000 * dice.uniform(0.6, 1.4) - took)
        return cell


def _asked(room: Room) -> tuple[int, tuple[Cell, ...], str | None]:
    """What the AI is asked for: not whatever else may change in a room."""
    return room.game, room.moves, _level_to_move(room)


def _level_to_move(room: Room) -> str | None:
    """The level of the AI whose turn it is, if it is an AI's."""
    turn = room.turn
    holder = None if turn is None else room.seats[turn]
    return holder.level if isinstance(holder, AI) else None
