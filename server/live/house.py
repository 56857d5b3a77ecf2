"""The house: everything that all peers share, wired together from a store and limits.

The application, the simulation and the fuzzers each build one, so they run the same parts.
"""

from __future__ import annotations

from collections.abc import Callable

from server.ai.player import AIPlayer
from server.ai.pool import SearchPool
from server.live.addresses import Addresses
from server.live.host import RoomHost
from server.live.limits import Limits
from server.live.lobby import Lobby
from server.live.outbox import Scheduler
from server.live.pairing import Pairing
from server.live.purge import Purge
from server.live.rooms import Rooms
from server.metrics import Metrics
from server.store import Store


class House:
    """`ai_pause`: the mean pause before a move of the AI, in milliseconds.

    `pool` replaces the AI's worker processes, for a house that should start none.
    """

    def __init__(
        self,
        store: Store,
        limits: Limits,
        metrics: Metrics,
        *,
        now: Callable[[], int],
        ai_pause: int,
        pool: SearchPool | None = None,
    ) -> None:
        self.is_draining = False
        self.store = store
        self.limits = limits
        self.metrics = metrics
        self.now = now
        self.scheduler = Scheduler(
            metrics.broadcast, patience=limits.patience, queue_limit=limits.outbox_frames
        )
        self.addresses = Addresses(limits)
        self.pool = pool or SearchPool(
            metrics,
            workers=limits.ai_workers,
            jobs=limits.ai_jobs,
            nodes=limits.ai_nodes,
            patience=limits.ai_patience,
        )
        self.ai = AIPlayer(self.pool, metrics, now=now, pause=ai_pause)
        self.lobby = Lobby(now=now)
        self.rooms = Rooms(
            store,
            metrics,
            now=now,
            idle=_milliseconds(limits.idle),
            capacity=limits.rooms_awake,
            is_needed=self.ai.is_playing,
        )
        self.rooms.on_change += [self.ai.look, self.lobby.update]
        self.rooms.on_sleep.append(self._forget)
        self.pairing = Pairing(self.rooms, self.addresses)
        self._purge = Purge(
            store,
            self.rooms,
            now=now,
            keep_unstarted=_milliseconds(limits.unstarted),
            keep_finished=_milliseconds(limits.finished),
        )

    async def sweep(self) -> None:
        """Put idle rooms to sleep and remove old ones. Call it every few seconds."""
        self.rooms.sleep_idle()
        self.lobby.refresh()
        await self._purge.step()

    async def close(self) -> None:
        """Stop, and wait until everything is durable. Every peer must have been dropped before."""
        self.rooms.close()
        self.lobby.close()
        await self.ai.close()
        await self.pool.close()
        await self.store.close()

    def _forget(self, host: RoomHost) -> None:
        self.lobby.remove(host)
        self.addresses.remove_room(host.id)


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
