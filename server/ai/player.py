"""The AI as a player: it sees a room like a spectator and submits moves like any other player.

Its choices come from a generator seeded by room, game, ply and level, so that the same game plays
out the same way again, on any node. Of several nodes that have a room awake, one moves for the AI.
Another one steps in only if no move comes. Should both move, they make the same move.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from random import Random
from time import perf_counter

from server.ai.pace import pace_of
from server.ai.pool import SearchPool
from server.core.commands import AI_PLAYER, Play, Reason, Refused
from server.core.room import AI, Room, RoomId
from server.core.rules import Cell
from server.live.host import RoomHost
from server.metrics import Metrics

RETRY_AFTER = 1.0  # seconds before the AI tries again after a move that failed
STEP = 4.0  # seconds from one node to the next before it moves; usually a move comes within three

log = logging.getLogger(__name__)


class AIPlayer:
    """`pause`: the mean time in milliseconds before a move, so that the AI seems to think.

    On a clock it pauses and thinks less (`ai/pace.py`).
    """

    def __init__(
        self, pool: SearchPool, metrics: Metrics, *, now: Callable[[], int], pause: int
    ) -> None:
        self._pool = pool
        self._metrics = metrics
        self._now = now
        self._pause = pause
        self._playing: dict[RoomId, asyncio.Task[None]] = {}

    def look(self, host: RoomHost) -> None:
        """Start to play in this room if it is the AI's turn. Call it after every change."""
        x, o = host.room.seats
        if type(x) is not AI and type(o) is not AI:  # at every move: faster than `isinstance`
            return
        _ = self._pool.start_workers()  # before they are needed: it may not be the AI's turn yet
        if _level_to_move(host.room) is not None and host.id not in self._playing:
            task = asyncio.get_running_loop().create_task(self._play(host))
            self._playing[host.id] = task
            task.add_done_callback(lambda _: self._end_play(host))

    def is_playing(self, room: RoomId) -> bool:
        return room in self._playing

    def stop(self, room: RoomId) -> None:
        """Make no further move in this room."""
        if room in self._playing:
            self._playing[room].cancel()

    async def close(self) -> None:
        tasks = list(self._playing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _play(self, host: RoomHost) -> None:
        """Play until it is no longer the AI's turn."""
        while (level := _level_to_move(host.room)) is not None:
            try:
                await self._move(host, level)
            except Exception:
                log.exception("our fault: the AI failed in room %s", host.id)
                await asyncio.sleep(RETRY_AFTER)

    async def _move(self, host: RoomHost, level: str) -> None:
        """Make one move, or none if the room has changed meanwhile or cannot be stored."""
        room = host.room
        if host.rank:
            await asyncio.sleep(STEP * host.rank)
            if _basis(host.room) != _basis(room):
                return
        cell = await self._choose(host.id, room, level)
        if _basis(host.room) != _basis(room):
            return
        try:
            await host.submit_and_wait(Play(AI_PLAYER, cell, len(room.moves), room.game))
        except Refused as refusal:
            if refusal.reason is Reason.RETRY:
                await asyncio.sleep(RETRY_AFTER)
            elif host.room.seq == room.seq:
                raise  # our own fault: the same move would be refused for ever

    def _end_play(self, host: RoomHost) -> None:
        task = self._playing.pop(host.id)
        if not task.cancelled():
            self.look(host)  # it may be the AI's turn again since the task looked last

    async def _choose(self, id: RoomId, room: Room, level: str) -> Cell:
        random = Random(f"{id}/{room.game}/{len(room.moves)}/{level}")
        pace = pace_of(room.clock, self._now())
        begin = perf_counter()
        weights = await self._pool.weights(room.position, level, id, pace)
        took = perf_counter() - begin
        self._metrics.ai.observe(took)
        [cell] = random.choices(list(weights), [float(share) for share in weights.values()])
        if self._pause:
            pause = self._pause / 1000 * random.uniform(0.6, 1.4)
            await asyncio.sleep(min(pause, pace.seconds) - took)
        return cell


def _basis(room: Room) -> tuple[int, tuple[Cell, ...], str | None]:
    """The part of a room that a choice is based on. Other changes do not make it stale."""
    return room.game, room.moves, _level_to_move(room)


def _level_to_move(room: Room) -> str | None:
    """The level of the AI whose turn it is, or None if it is not an AI's turn."""
    turn = room.turn
    holder = None if turn is None else room.seats[turn]
    return holder.level if isinstance(holder, AI) else None
