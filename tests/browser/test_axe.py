"""axe-core finds no fault in any view or state, on any kind of screen, in any colours.

Each scene is checked on one of the screens, in turn; with LONG=1 on all of them.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.browser.people import DESKTOP, FOR_ALL, PHONE
from tests.browser.scenes import SCENES, SLOW_AI, Stage
from tests.browser.screenshots import Screen, turn_to
from tests.support.serving import ROOT, Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

AXE = (ROOT / "tests/client/node_modules/axe-core/axe.min.js").read_text()
SCREENS = (
    Screen("light", DESKTOP),
    Screen("dark", PHONE, "dark"),
    Screen("contrast", PHONE, "light", "contrast"),
    Screen("dark contrast", DESKTOP, "dark", "contrast"),
)


async def faults(page: Page) -> list[str]:
    """What axe finds, and the elements concerned."""
    found: list[dict[str, Any]] = await page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)"
    )
    return [
        f"{rule['id']}: {rule['help']}: {[node['html'] for node in rule['nodes']][:3]}"
        for rule in found
    ]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def unhurried(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """No computer moves while a page is being checked."""
    folder: Path = tmp_path_factory.mktemp("unhurried")
    async with serving(folder, *FOR_ALL, ai_pause=SLOW_AI) as served:
        yield served


@pytest.mark.parametrize(("number", "name"), list(enumerate(SCENES)))
async def test_no_faults(browser: Browser, unhurried: Served, number: int, name: str) -> None:
    async with SCENES[name](Stage(browser, unhurried)) as shown:
        page = shown.visitor.page
        await page.evaluate(AXE)
        for screen in SCREENS if os.environ.get("LONG") else [SCREENS[number % len(SCREENS)]]:
            await turn_to(page, screen)
            assert (screen.name, await faults(page)) == (screen.name, [])
