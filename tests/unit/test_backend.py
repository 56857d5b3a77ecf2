"""What a node works on, by its address."""

from __future__ import annotations

import pytest

from server.backend import open_backend
from server.bus import Alone
from server.metrics import Times
from server.store import CannotOpen
from server.store.memory import MemoryStore


async def test_a_store_for_one_process_comes_with_a_bus_on_which_nobody_is() -> None:
    store, bus = await open_backend("memory:", Times())

    assert isinstance(store, MemoryStore)
    assert isinstance(bus, Alone)


async def test_an_address_that_names_no_store_is_explained() -> None:
    with pytest.raises(CannotOpen, match="nats://HOST:PORT"):
        await open_backend("redis:x", Times())
