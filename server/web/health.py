"""Health and metrics over HTTP: for a supervisor, a proxy and Prometheus, not for people."""

from __future__ import annotations

import asyncio
from importlib import import_module
from time import monotonic

from aiohttp import web

from noughts import __version__
from server.live.house import House

PROBE_EVERY = 1.0  # seconds between two probes of the store, at least


class Health:
    def __init__(self, house: House) -> None:
        self._house = house
        self._probe: asyncio.Task[bool] | None = None  # the last one, or the one under way
        self._probed_at = 0.0

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/healthz", self.health), web.get("/readyz", self.readiness)]

    def metrics_routes(self) -> list[web.RouteDef]:
        """On the public port, or on one of their own."""
        return [web.get("/metrics", self.metrics)]

    async def health(self, _: web.Request) -> web.Response:
        return web.Response(text=f"alive {__version__}\n")

    async def readiness(self, _: web.Request) -> web.Response:
        if self._house.is_draining:
            return web.Response(status=503, text="draining\n")
        if not await self._can_write():
            return web.Response(status=503, text="the store cannot write\n")
        return web.Response(text="ready\n")

    async def _can_write(self) -> bool:
        """Whether the store can write, or could a moment ago: a probe is a write, too."""
        now = monotonic()
        if self._probe is None or (self._probe.done() and now - self._probed_at >= PROBE_EVERY):
            self._probed_at = now
            self._probe = asyncio.create_task(self._probe_store())
        return await asyncio.shield(self._probe)

    async def _probe_store(self) -> bool:
        return await self._house.store.can_write()

    async def metrics(self, _: web.Request) -> web.Response:
        # Imported on the first request: the library takes a sixth of the start-up time.
        prometheus = import_module("server.web.prometheus")
        return web.Response(
            body=prometheus.text(self._house.metrics),
            headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
        )
