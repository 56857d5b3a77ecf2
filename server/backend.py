"""Opens what a node works on, by its address: a store, and the bus that leads to other nodes."""

from __future__ import annotations

from importlib import import_module

from server.bus import Alone, Bus
from server.metrics import Times
from server.store import BadAddress, Store, open_store


class NotInstalled(BadAddress):
    """The store needs a library that is an extra of the installation."""


async def open_backend(url: str, took: Times) -> tuple[Store, Bus]:
    """Open `nats://HOST:PORT,…`, or a store for one process; `CannotOpen` says what is wrong.

    `took` is given the time that appends wait until they are durable.
    """
    if not url.startswith("nats:"):
        return open_store(url, took), Alone()
    try:
        fleet = import_module("server.fleet.nats")
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "nats":
            raise
        raise NotInstalled(
            "a store on NATS needs the library nats-py, which is not installed: "
            "install Noughts with its extra 'fleet' (pip install '.[fleet]')"
        ) from missing
    engine = await fleet.connect(url)
    return import_module("server.fleet.store").FleetStore(engine, took), engine
