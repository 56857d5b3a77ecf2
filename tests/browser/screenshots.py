"""Takes the pictures in docs/screenshots: every view and state, on every kind of screen."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.async_api import Browser, ViewportSize, async_playwright, expect

from tests.browser.people import DESKTOP, PHONE, Visitor, play_in_turn
from tests.support.serving import ROOT, Served, serving

FOLDER = ROOT / "docs/screenshots"
LONG_NAME = "Wolfeschlegelsteinhausen"


class Screen(NamedTuple):
    name: str
    size: ViewportSize
    scheme: Literal["light", "dark"]
    theme: str = "auto"


SCREENS = (
    Screen("desktop-light", DESKTOP, "light"),
    Screen("desktop-dark", DESKTOP, "dark"),
    Screen("phone-light", PHONE, "light"),
    Screen("phone-dark", PHONE, "dark"),
    Screen("tablet-light", {"width": 820, "height": 1180}, "light"),
    Screen("projector-dark", {"width": 1920, "height": 1080}, "dark"),
    Screen("phone-contrast", PHONE, "light", "contrast"),
)
EVERY_STATE = {"desktop-light", "phone-dark"}  # the others show the views that differ most


class Album:
    """Pictures of one kind of screen."""

    def __init__(self, browser: Browser, server: Served, screen: Screen) -> None:
        self._browser = browser
        self._server = server
        self._screen = screen

    @asynccontextmanager
    async def visitor(self, name: str) -> AsyncIterator[Visitor]:
        context = await self._browser.new_context(
            viewport=self._screen.size, color_scheme=self._screen.scheme, reduced_motion="reduce"
        )
        page = await context.new_page()
        await page.add_init_script(
            f"localStorage['noughts.name'] ??= {name!r};"
            f"localStorage['noughts.theme'] = {self._screen.theme!r}"
        )
        yield Visitor(page)
        await context.close()

    async def take(self, visitor: Visitor, name: str) -> None:
        await visitor.page.mouse.move(0, 0)
        await asyncio.sleep(0.1)
        await visitor.page.screenshot(path=FOLDER / f"{name}-{self._screen.name}.png")

    @property
    def is_complete(self) -> bool:
        return self._screen.name in EVERY_STATE

    async def fill(self) -> None:
        async with self.visitor("Ada") as ada, self.visitor("Grace") as grace:
            await self._game(ada, grace)
            await ada.visit(self._server.url, "home")
            await expect(ada.page.locator(".wall-list .wall-room").first).to_be_visible()
            await self.take(ada, "home")
            await ada.page.locator("#wall").scroll_into_view_if_needed()
            await ada.page.evaluate("document.querySelector('#wall').scrollIntoView()")
            await self.take(ada, "lobby")
            await self._meeting(ada, grace)
            if self.is_complete:
                await self._ends(ada, grace)
                await self._troubles(ada)

    async def _game(self, ada: Visitor, grace: Visitor) -> None:
        link = await ada.open_room(self._server.url, public=True)
        await self.take(ada, "waiting")
        await grace.visit(link, "room")
        await grace.offer("sit").click()
        await play_in_turn(ada, grace, [4, 0, 8, 2])
        await expect(ada.page.locator('[data-part="sub"]', has_text="online")).to_be_visible()
        await self.take(ada, "room")
        await grace.cell(1).click()
        await self.take(grace, "premove")
        await grace.cell(1).click()
        async with self.visitor(LONG_NAME) as eve:
            await eve.visit(link, "room")
            await eve.page.get_by_role("button", name="Analysis").click()
            await expect(eve.page.locator("[data-value]").first).to_be_visible()
            await self.take(eve, "watching")
            await eve.page.get_by_role("button", name="One move back").click()
            await play_in_turn(ada, grace, [1, 7])
            await expect(eve.page.locator("[data-part=live]")).to_have_text("2 new moves")
            await self.take(eve, "reviewing")
        await play_in_turn(ada, grace, [3, 5, 6])
        await ada.is_told("A draw")
        await self.take(ada, "drawn")

    async def _meeting(self, ada: Visitor, grace: Visitor) -> None:
        """Quick play: two people are offered to each other after a game."""
        for visitor in (ada, grace):
            await visitor.visit(self._server.url, "home")
            await visitor.page.get_by_role("button", name="Play now").click()
            await visitor.arrives("room")
        await ada.offer("resign").click()
        await ada.offer("confirm").click()
        await expect(ada.offer("meet")).to_be_visible()
        await self.take(ada, "quick")
        await ada.page.get_by_role("button", name="Stop looking").click()
        await grace.page.get_by_role("button", name="Stop looking").click()

    async def _ends(self, ada: Visitor, grace: Visitor) -> None:
        link = await ada.open_room(self._server.url)
        await grace.visit(link, "room")
        await grace.offer("sit").click()
        await play_in_turn(ada, grace, [0, 3, 1, 4, 2])
        await self.take(ada, "won")
        await self.take(grace, "lost")

    async def _troubles(self, ada: Visitor) -> None:
        await ada.visit(f"{self._server.url}/r/AAAAAAAAAAAAAAAA", "missing")
        await self.take(ada, "missing")
        with tempfile.TemporaryDirectory() as folder:
            async with serving(Path(folder)) as server:
                await ada.visit(server.url, "home")
                await self.take(ada, "home-empty")
                await ada.open_room(server.url)
            await expect(ada.page.locator("#link-note")).to_be_visible()
            await self.take(ada, "offline")
        async with self.visitor("Ada") as flooder:
            await flooder.page.route_web_socket("**/ws", lambda ws: ws.close(code=1008))
            await flooder.page.goto(self._server.url)
            await expect(flooder.page.get_by_role("button", name="Try again")).to_be_visible()
            await self.take(flooder, "refused")


async def fill_lobby(browser: Browser, server: Served) -> None:
    """Start a few games between two computers, so that the list is not empty."""
    curator = Album(browser, server, SCREENS[0])
    async with curator.visitor("Curator") as visitor:
        for _ in range(9):
            await visitor.visit(server.url, "home")
            await visitor.page.get_by_role("button", name="Watch two computers").click()
            await visitor.arrives("room")


async def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.png"):
        old.unlink()
    chromium = os.environ.get("NOUGHTS_CHROMIUM") or None
    with tempfile.TemporaryDirectory() as folder:
        async with (
            async_playwright() as playwright,
            serving(Path(folder), "--no-limits", ai_pause=2500) as server,
        ):
            browser = await playwright.chromium.launch(executable_path=chromium)
            await fill_lobby(browser, server)
            for screen in SCREENS:
                await Album(browser, server, screen).fill()
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
