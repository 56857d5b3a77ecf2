"""The house: everything that all peers share, wired together from a store and limits.

The application, the simulation and the fuzzers each build one, so they run the same parts.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from time import monotonic

from server.ai.player import AIPlayer
from server.ai.pool import SearchPool
from server.bus import Bus
from server.live.addresses import Addresses
from server.live.bans import Bans
from server.live.driving import Driven, Driving
from server.live.guests import Statement
from server.live.host import RoomHost
from server.live.limits import Limits
from server.live.lobby import Listing, Lobby
from server.live.nodes import Nodes, reader
from server.live.notices import Notices
from server.live.outbox import Scheduler
from server.live.pairing import Pairing
from server.live.peers import Peers
from server.live.purge import Purge
from server.live.rooms import Rooms
from server.live.stalls import Stalls
from server.live.turned_away import TurnedAway
from server.metrics import Metrics
from server.store import Store

REPEAT_EVERY = 5  # beats after which everything is said to the other nodes again

_read_listing, _read_statement, _read_driven = reader(Listing), reader(Statement), reader(Driven)


class House:
    """`node`: an id that no other process has or had. `bus` leads to the other nodes.

    `ai_pause`: the mean pause before a move of the AI, in milliseconds. `pool` replaces the AI's
    worker processes, for a house that should start none. `bans`: by default none, kept nowhere.
    """

    def __init__(
        self,
        store: Store,
        bus: Bus,
        limits: Limits,
        metrics: Metrics,
        *,
        now: Callable[[], int],
        ai_pause: int,
        node: str = "",
        pool: SearchPool | None = None,
        bans: Bans | None = None,
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
        self.bans = Bans(None, now=now) if bans is None else bans
        self.turned_away = TurnedAway()
        self.peers = Peers()
        self.pool = pool or SearchPool(
            metrics,
            workers=limits.ai_workers,
            jobs=limits.ai_jobs,
            nodes=limits.ai_nodes,
            patience=limits.ai_patience,
        )
        self.ai = AIPlayer(self.pool, metrics, now=now, pause=ai_pause)
        self.lobby = Lobby(now=now)
        self.nodes = Nodes(bus, node or secrets.token_urlsafe(9), now=now)
        self.notices = Notices(self.peers, self.nodes, now=now)
        self.rooms = Rooms(
            store,
            self.nodes,
            metrics,
            now=now,
            idle=_milliseconds(limits.idle),
            capacity=limits.rooms_awake,
            is_needed=self.ai.is_playing,
        )
        self.rooms.on_change += [self.ai.look, self.lobby.update]
        self.rooms.on_remove += [self.peers.forget, lambda host: self.ai.stop(host.id)]
        self.rooms.on_sleep.append(self._forget)
        self.stalls = Stalls()
        self.addresses.put_to_sleep = self.rooms.sleep_unfollowed
        self.pairing = Pairing(self.rooms, self.addresses, now=now)
        self._driving = Driving(self.rooms, self.nodes, self.ai.is_playing)
        self._listen()
        self._purge = Purge(
            store,
            self.rooms,
            now=now,
            keep_unstarted=_milliseconds(limits.unstarted),
            keep_finished=_milliseconds(limits.finished),
        )

    async def sweep(self) -> None:
        """Put idle rooms to sleep and remove old ones. Call it every few seconds."""
        self.turned_away.sweep(monotonic())
        if self.store.is_refusing:  # else nobody might notice that it is back
            await self.store.can_write()
        self.rooms.sleep_idle()
        self.lobby.refresh()
        if self.nodes.is_first:
            await self._purge.step()

    async def beat(self) -> None:
        """Tell the other nodes what is here, and drop those that are silent. Call it every second.

        Everything is repeated sooner or later, so a lost message does no harm.
        """
        self.nodes.beat()
        self.notices.lapse()
        if not any(self.nodes.others):
            return
        self._beats += 1
        self._state_guests()
        self.nodes.publish("lobby", self.lobby.listing())
        if self._beats % REPEAT_EVERY == 0:
            self.nodes.publish("driven", self._driving.driven())
            self.notices.repeat()
            await self.rooms.report()

    async def close(self) -> None:
        """Stop, and wait until everything is durable. Every peer must have been dropped before."""
        self.nodes.publish("driven", self._driving.driven())
        self._driving.close()
        self.pairing.close()
        self.rooms.close()
        self.nodes.leave()
        self.turned_away.close()
        self.lobby.close()
        await self.ai.close()
        await self.pool.close()
        await self.store.close()

    def _listen(self) -> None:
        """Hear what the other nodes tell, and forget it when a node is lost."""
        self._beats = 0
        self.pairing.on_change = self._state_guests
        self.nodes.listen("lobby", _read_listing, self.lobby.hear)
        self.nodes.listen("guests", _read_statement, self.pairing.hear)
        self.nodes.listen("driven", _read_driven, self._driving.hear)
        self.nodes.on_lost += [self.lobby.forget, self.pairing.forget, self._driving.forget]

    def _state_guests(self) -> None:
        self.nodes.publish("guests", self.pairing.state())

    def _forget(self, host: RoomHost) -> None:
        self.lobby.remove(host)
        self.addresses.remove_room(host.id)


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
