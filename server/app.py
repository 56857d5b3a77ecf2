"""Wires everything together: `create_app(settings)` returns an aiohttp application.

The store and the house are opened in `create_app`. Contexts of the application sweep them while it
runs, and close them after the last request.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from aiohttp import web

from server.backend import open_backend
from server.config import Settings
from server.live.bans import Bans, check_folder
from server.live.house import House
from server.live.stalls import MEASURE_EVERY
from server.metrics import Metrics
from server.web.admission import Admission, reserve_descriptors
from server.web.assets import read_assets
from server.web.entrance import Entrance
from server.web.health import Health
from server.web.pages import Pages
from server.web.proxies import Proxies
from server.web.reach import Reach
from server.web.stream import Streams
from server.web.websocket import Sockets

HOUSE = web.AppKey("house", House)
SOCKETS = web.AppKey("sockets", Sockets)
STREAMS = web.AppKey("streams", Streams)
ADMISSION = web.AppKey("admission", Admission)

PAGES_PER_ADDRESS = 100  # connections of an address beside its sockets, at least
BEAT_EVERY = 1.0  # seconds between two signs of life

log = logging.getLogger(__name__)


def now() -> int:
    """Whole milliseconds since 1970."""
    return time.time_ns() // 1_000_000


async def create_app(settings: Settings) -> web.Application:
    """Build the application.

    Raises `CannotOpen` if its store cannot be used, and `BrokenClient` if the page's files cannot.
    """
    assets = read_assets()
    connections = reserve_descriptors(settings.limits)
    # A tenth of the connections is left for pages, and for sockets that are refused politely.
    sockets_limit = max(1, min(settings.limits.connections, connections * 9 // 10))
    limits = replace(settings.limits, connections=sockets_limit)
    metrics, proxies = Metrics(), Proxies(settings.trusted_proxies)
    bans = Bans(_bans_path(settings), now=now)
    store, bus = await open_backend(settings.store, metrics.durable)
    house = House(store, bus, limits, metrics, now=now, ai_pause=settings.ai_pause, bans=bans)
    metrics.bans, metrics.store_sizes = bans.__len__, store.sizes
    metrics.is_refusing = lambda: store.is_refusing
    public = () if settings.public_url is None else (settings.public_url,)
    sockets = Sockets(house, Entrance(house, (*settings.origins, *public), proxies))
    reach = Reach(settings.public_url, settings.host, proxies)
    pages, health = Pages(house, reach, assets), Health(house)

    app = web.Application()
    streams = Streams(house, proxies)
    app[HOUSE], app[SOCKETS], app[STREAMS] = house, sockets, streams
    share = max(limits.tcp_per_address, limits.connections_per_address + PAGES_PER_ADDRESS)
    app[ADMISSION] = Admission(limit=connections, share=share, proxies=proxies, metrics=metrics)
    app.on_response_prepare.append(pages.add_headers)
    app.on_shutdown.append(_drain)
    app.cleanup_ctx.extend((_close_house, _sweep, _listen, _beat))
    app.add_routes([web.get("/ws", sockets.serve), *streams.routes(), *health.routes()])
    if settings.metrics is None:
        app.add_routes(health.metrics_routes())
    app.add_routes(pages.routes())
    return app


def create_metrics_app(house: House) -> web.Application:
    """An application that has nothing but /metrics."""
    app = web.Application()
    app.add_routes(Health(house).metrics_routes())
    return app


def _bans_path(settings: Settings) -> Path | None:
    """Where bans are kept: beside the rooms, unless that is said or there is no such place."""
    if settings.bans is not None:
        check_folder(kept := Path(settings.bans))
        return kept
    scheme, _, path = settings.store.partition(":")
    return Path(f"{path}.bans") if scheme == "sqlite" and path else None


async def _drain(app: web.Application) -> None:
    app[HOUSE].is_draining = True
    await asyncio.gather(app[SOCKETS].close(), app[STREAMS].close())


async def _close_house(app: web.Application) -> AsyncIterator[None]:
    yield
    await app[HOUSE].close()


async def _sweep(app: web.Application) -> AsyncIterator[None]:
    """Sweep all streams and rooms at regular intervals, cheaper than a timer for each."""

    async def sweep() -> None:
        app[STREAMS].sweep()
        await app[HOUSE].sweep()

    async with _repeating(app[HOUSE].limits.ping / 4, sweep):
        yield


async def _listen(app: web.Application) -> AsyncIterator[None]:
    """Look often for peers that have fallen silent, and for a loop that has stood still."""

    async def listen() -> None:
        app[SOCKETS].sweep()

    async with _repeating(min(MEASURE_EVERY, app[HOUSE].limits.ping / 4), listen):
        yield


async def _beat(app: web.Application) -> AsyncIterator[None]:
    """Show the other nodes that this one is alive."""

    async def beat() -> None:
        await app[HOUSE].beat()

    async with _repeating(BEAT_EVERY, beat):
        yield


@asynccontextmanager
async def _repeating(every: float, work: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Do something every few seconds, also after it has failed."""

    is_over = False

    async def repeat() -> None:
        while not is_over:  # a library below may swallow the cancellation of this task
            await asyncio.sleep(every)
            try:
                await work()
            except Exception:
                log.exception("our fault: a %s failed", work.__name__)

    task = asyncio.create_task(repeat())
    yield
    is_over = True
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
