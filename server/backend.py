"""Opens what a node works on, by its address: a store, and the bus that leads to other nodes."""

from __future__ import annotations

from importlib import import_module

from server.bus import Alone, Bus
from server.metrics import Times
from server.store import Store, open_store


async def open_backend(url: str, took: Times) -> tuple[Store, Bus]:
    """Open `nats://HOST:PORT,…`, or a store for one process; `CannotOpen` says what is wrong.

    `took` is given the time that appends wait until they are durable.
    """
    if not url.startswith("nats:"):
        return open_store(url, took), Alone()
    engine = await import_module("server.fleet.nats").connect(url)
    return import_module("server.fleet.store").FleetStore(engine, took), engine
