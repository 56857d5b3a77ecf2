"""Everything wired together: `create_app(settings)` returns an aiohttp application.

One context per resource: it starts before the first request and ends after the last.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

from aiohttp import web

from server.config import Settings
from server.live.house import House
from server.metrics import Metrics
from server.store import open_store
from server.web.admission import Door, most_connections
from server.web.pages import Pages, secure
from server.web.proxies import Proxies
from server.web.websocket import Sockets

HOUSE = web.AppKey("house", House)
SOCKETS = web.AppKey("sockets", Sockets)
DOOR = web.AppKey("door", Door)


def now() -> int:
    """Whole milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def create_app(settings: Settings) -> web.Application:
    """Build the application. Raises `CannotOpen` if its store cannot be used."""
    most = most_connections(settings.limits)
    # A tenth of the connections is left for pages, and for refusing further sockets politely.
    sockets_at_most = max(1, min(settings.limits.connections, most * 9 // 10))
    limits = replace(settings.limits, connections=sockets_at_most)
    metrics, proxies = Metrics(), Proxies(settings.trusted_proxies)
    store = open_store(settings.store, metrics.durable)
    house = House(store, limits, metrics, now=now, ai_pause=settings.ai_pause)
    sockets = Sockets(house, settings.origins, proxies)

    app = web.Application()
    app[HOUSE], app[SOCKETS] = house, sockets
    app[DOOR] = Door(most=most, each=2 * limits.connections_per_address, proxies=proxies)
    app.on_response_prepare.append(secure)
    app.on_shutdown.append(_drain)
    app.cleanup_ctx.extend((_keep_house, _keep_up))
    app.add_routes([web.get("/ws", sockets.serve), *Pages(house, proxies).routes()])
    return app


async def _drain(app: web.Application) -> None:
    app[HOUSE].is_draining = True
    await app[SOCKETS].close()


async def _keep_house(app: web.Application) -> AsyncIterator[None]:
    yield
    await app[HOUSE].close()


async def _keep_up(app: web.Application) -> AsyncIterator[None]:
    """Run one sweep for all sockets and rooms, cheaper than a timer for each."""

    async def sweep() -> None:
        while True:
            await asyncio.sleep(app[HOUSE].limits.ping / 4)
            app[SOCKETS].sweep()
            await app[HOUSE].sweep()

    task = asyncio.create_task(sweep())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
