"""Chooses the event loop of each coroutine test.

The default is `VirtualLoop`: sleeps are instant and exact. It has no sockets, threads or processes.
Tests that need those run on asyncio's own loop: all of the files in `REAL`, and every test, class
or module marked `pytest.mark.real_loop`. To move a file to virtual time, take it off the list.
"""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.clockwork import VirtualLoop

HERE = Path(__file__).parent

REAL = (
    "ai/test_executor.py",  # worker processes, like the next two
    "ai/test_pool.py",
    "ai/test_worker.py",
    "fleet/test_line.py",  # a real server, like the next one
    "fleet/test_nats.py",
    "noughts/test_line.py",  # real sockets
    "store/",  # a writer thread for each SQLite file, and a real server
    "web/",  # aiohttp and real sockets
)


def pytest_asyncio_loop_factories(item: pytest.Item) -> dict[str, Callable[[], AbstractEventLoop]]:
    path = item.path.relative_to(HERE).as_posix()
    if path.startswith(REAL) or item.get_closest_marker("real_loop"):
        return {"real": asyncio.new_event_loop}
    return {"virtual": VirtualLoop}
