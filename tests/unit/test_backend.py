"""What a node works on, by its address."""

from __future__ import annotations

import sys

import pytest

from server.backend import NotInstalled, open_backend
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


async def test_a_library_that_is_not_installed_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in [name for name in sys.modules if name.startswith(("server.fleet.", "nats."))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "nats", None)  # so that importing it fails

    with pytest.raises(NotInstalled, match=r"nats-py.*\[fleet\]") as refused:
        await open_backend("nats://:secret@n1:4222", Times())

    assert "secret" not in str(refused.value)
