from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext

from tests.browser.chromium import chromium
from tests.browser.fleet import fleet
from tests.browser.people import DESKTOP, FOR_ALL, Invite, Visitor
from tests.support.serving import Served, serving


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as opened:
        yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """One server for all tests that do not stop it; with FLEET=3 three nodes behind nginx."""
    folder = tmp_path_factory.mktemp("server")
    nodes = int(os.environ.get("FLEET", 0))
    alone = serving(folder, *FOR_ALL, ai_pause=50)
    async with fleet(folder, nodes) if nodes else alone as served:
        yield served
        assert "Traceback" not in served.log


# Drawing what moves costs a third of the time. In these files pages move as most people see them.
MOVING = {"test_faults", "test_games", "test_layout", "test_playing", "test_polish"}


@pytest_asyncio.fixture(loop_scope="session")
async def invite(browser: Browser, request: pytest.FixtureRequest) -> AsyncIterator[Invite]:
    """`await invite()` returns a new person. At the end, no console may hold an error."""
    is_moving = request.path.stem in MOVING
    usual = {
        "viewport": DESKTOP,
        "reduced_motion": "no-preference" if is_moving else "reduce",
    }
    contexts: list[BrowserContext] = []
    visitors: list[Visitor] = []

    async def new(name: str = "", beside: Visitor | None = None, **options: Any) -> Visitor:
        if beside is None:
            context = await browser.new_context(**{**usual, **options})
            contexts.append(context)
        else:
            context = beside.context
        page = await context.new_page()
        if name and beside is None:
            await page.add_init_script(f"localStorage['noughts.name'] ??= {name!r}")
        visitors.append(Visitor(page))
        return visitors[-1]

    yield new
    for visitor in visitors:
        assert visitor.complaints == []
    for context in contexts:
        await context.close()


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path}/rooms.db"
