"""Takes the pictures in docs/screenshots: `make screenshots`."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, ViewportSize, async_playwright, expect

from tests.browser.people import DESKTOP, PHONE, Visitor, play_in_turn
from tests.serving import ROOT, Served, serving

FOLDER = ROOT / "docs/screenshots"
SIZES: dict[str, ViewportSize] = {"desktop": DESKTOP, "phone": PHONE}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@asynccontextmanager
async def visitor(browser: Browser, name: str, size: str, scheme: str) -> AsyncIterator[Visitor]:
    dark_or_light: Literal["light", "dark"] = "dark" if scheme == "dark" else "light"
    context = await browser.new_context(
        viewport=SIZES[size], color_scheme=dark_or_light, reduced_motion="reduce"
    )
    page = await context.new_page()
    await page.add_init_script(f"localStorage['noughts.name'] ??= {name!r}")
    yield Visitor(page)
    await context.close()


async def take(visitor: Visitor, name: str, size: str, scheme: str) -> None:
    await visitor.page.mouse.move(0, 0)
    await visitor.page.screenshot(path=FOLDER / f"{name}-{size}-{scheme}.png")


async def hang_some(browser: Browser, server: Served) -> None:
    """Put a few exhibitions on the wall."""
    async with visitor(browser, "Curator", "desktop", "light") as curator:
        for _ in range(6):
            await curator.visit(server.url, "home")
            await curator.page.get_by_role("button", name="Start an exhibition").click()
            await curator.arrives("room")


async def one_set(browser: Browser, server: Served, size: str, scheme: str) -> None:
    async with (
        visitor(browser, "Ada", size, scheme) as ada,
        visitor(browser, "Grace", size, scheme) as grace,
    ):
        link = await ada.open_room(server.url, on_the_wall=True)
        await take(ada, "waiting", size, scheme)
        await grace.visit(link, "room")
        await grace.offer("sit").click()
        await play_in_turn(ada, grace, [4, 0, 8, 2])
        await expect(ada.page.locator('[data-part="sub"]', has_text="online")).to_be_visible()
        await take(ada, "room", size, scheme)
        await play_in_turn(ada, grace, [1, 7, 3, 6, 5])
        await take(ada, "over", size, scheme)
        await ada.visit(server.url, "home")
        await expect(ada.page.locator(".wall-room").first).to_be_visible()
        await take(ada, "home", size, scheme)


async def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    chromium = os.environ.get("NOUGHTS_CHROMIUM") or None
    with tempfile.TemporaryDirectory() as folder:
        async with async_playwright() as playwright, serving(Path(folder), "--no-limits") as server:
            browser = await playwright.chromium.launch(executable_path=chromium)
            await hang_some(browser, server)
            for size in SIZES:
                for scheme in SCHEMES:
                    await one_set(browser, server, size, scheme)
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
