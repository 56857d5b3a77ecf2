"""The browser of the tests: Chromium without what nobody sees."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

ARGUMENTS = [
    # Without a network these services fail and fill the log.
    "--disable-background-networking",
    "--disable-component-update",
    # Each window would have two more pages for the address bar, which cost more than one of ours.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
]


@asynccontextmanager
async def chromium(*more: str) -> AsyncIterator[Browser]:
    """That of NOUGHTS_CHROMIUM, or the one on PATH, or Playwright's own, with `more` arguments."""
    path = os.environ.get("NOUGHTS_CHROMIUM") or shutil.which("chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *more])
        try:
            yield browser
        finally:
            await browser.close()
