"""Everything wired together: `create_app(settings)` gives an aiohttp application.

One context for each resource: it starts before the first request and ends after the last.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

from aiohttp import web

from server.ai.player import AIPlayer
from server.ai.pool import SearchPool
from server.config import Settings
from server.live.limits import Addresses
from server.live.lobby import Lobby
from server.live.peer import House
from server.live.purge import Purge
from server.live.rooms import Rooms
from server.metrics import Metrics
from server.store import Store, open_store
from server.web.admission import Door, most_connections
from server.web.pages import Pages, secure
from server.web.proxies import Proxies
from server.web.websocket import Sockets

HOUSE = web.AppKey("house", House)
STORE = web.AppKey("store", Store)
SOCKETS = web.AppKey("sockets", Sockets)
AI = web.AppKey("ai", AIPlayer)
DOOR = web.AppKey("door", Door)
PURGE = web.AppKey("purge", Purge)


def now() -> int:
    """Whole milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def create_app(settings: Settings) -> web.Application:
    """The application; opening its store may raise `CannotOpen`."""
    app = web.Application()
    metrics, most = Metrics(), most_connections(settings.limits)
    # A tenth of the connections is for pages, and for telling those who are too many that they are.
    sockets_at_most = max(1, min(settings.limits.connections, most * 9 // 10))
    limits = replace(settings.limits, connections=sockets_at_most)
    proxies = Proxies(settings.trusted_proxies)
    store = open_store(settings.store, metrics.durable)
    pool = SearchPool(
        metrics,
        workers=limits.ai_workers,
        jobs=limits.ai_jobs,
        nodes=limits.ai_nodes,
        patience=limits.ai_patience,
    )
    ai = AIPlayer(pool, metrics, pause=settings.ai_pause)
    lobby = Lobby(now=now)
    addresses = Addresses(limits)
    rooms = Rooms(
        store,
        metrics,
        now=now,
        idle=round(limits.idle * 1000),
        capacity=limits.rooms_awake,
        stays_awake=ai.is_playing,
    )
    rooms.on_change += [ai.look, lobby.changed]
    rooms.on_sleep += [lobby.slept, lambda host: addresses.room_slept(host.id)]
    purge = Purge(
        store,
        rooms,
        now=now,
        unused=round(limits.unstarted * 1000),
        done=round(limits.finished * 1000),
    )
    house = House(rooms, lobby, pool, metrics, addresses, limits, now)
    sockets = Sockets(house, settings.origins, proxies)

    app[STORE], app[HOUSE], app[AI], app[SOCKETS] = store, house, ai, sockets
    app[PURGE] = purge
    app[DOOR] = Door(most=most, each=2 * limits.connections_per_address, proxies=proxies)
    app.on_response_prepare.append(secure)
    app.on_shutdown.append(_drain)
    app.cleanup_ctx.extend((_store, _pool, _rooms, _upkeep))
    app.add_routes([web.get("/ws", sockets.serve), *Pages(house, store, proxies).routes()])
    return app


async def _drain(app: web.Application) -> None:
    app[HOUSE].is_draining = True
    await app[SOCKETS].close()


async def _store(app: web.Application) -> AsyncIterator[None]:
    yield
    await app[STORE].close()


async def _rooms(app: web.Application) -> AsyncIterator[None]:
    yield
    app[HOUSE].rooms.close()
    app[HOUSE].lobby.close()
    await app[AI].close()


async def _pool(app: web.Application) -> AsyncIterator[None]:
    yield
    await app[HOUSE].pool.close()


async def _upkeep(app: web.Application) -> AsyncIterator[None]:
    task = asyncio.create_task(_keep_up(app))
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def _keep_up(app: web.Application) -> None:
    """One sweep for all sockets and rooms, cheaper than a timer for each."""
    house = app[HOUSE]
    while True:
        await asyncio.sleep(house.limits.ping / 4)
        app[SOCKETS].sweep()
        house.rooms.sleep_idle()
        house.lobby.refresh()
        await app[PURGE].step()
