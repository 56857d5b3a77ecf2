"""People in a real browser, each with a context and a page of their own."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import (
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    ViewportSize,
    expect,
)

from tests.support.serving import Served

HANG = 20_000  # ms; only a hang takes so long
PHONE: ViewportSize = {"width": 360, "height": 740}
ANY_MARK = re.compile("[XO]")
DESKTOP: ViewportSize = {"width": 1280, "height": 800}

X_WINS, DRAW = [0, 3, 1, 4, 2], [0, 1, 2, 4, 3, 5, 7, 6, 8]

expect.set_options(timeout=HANG)


class Visitor:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.set_default_timeout(HANG)
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    @property
    def context(self) -> BrowserContext:
        return self.page.context

    # ------------------------------------------------------------------------------- looking

    def cell(self, cell: int) -> Locator:
        return self.page.locator(f'[data-cell="{cell}"]')

    def seat(self, mark: str) -> Locator:
        return self.page.locator(f'article[data-seat="{mark}"]')

    def offer(self, what: str) -> Locator:
        return self.page.locator(f'[data-offer="{what}"] button')

    @property
    def headline(self) -> Locator:
        return self.page.locator('#room [data-part="headline"]')

    @property
    def detail(self) -> Locator:
        return self.page.locator('#room [data-part="detail"]')

    async def board(self) -> str:
        """The board as drawn, with dots for free cells. Marks not yet confirmed do not count."""
        drawn = await self.page.locator("[data-cell]").evaluate_all(
            "cells => cells.sort((a, b) => a.dataset.cell - b.dataset.cell)"
            ".map(c => c.hasAttribute('data-pending') ? '' : c.dataset.mark || '')"
        )
        return "".join(mark or "." for mark in drawn)

    async def sees(self, board: str) -> None:
        """Wait until the board looks like this."""
        for cell, mark in enumerate("".join(board.split())):
            if mark == ".":
                await expect(self.cell(cell)).not_to_have_attribute("data-mark", "X")
                await expect(self.cell(cell)).not_to_have_attribute("data-mark", "O")
            else:
                await expect(self.cell(cell)).to_have_attribute("data-mark", mark)
                await expect(self.cell(cell)).not_to_have_attribute("data-pending", "")

    async def is_told(self, title: str, detail: str = "") -> None:
        await expect(self.headline).to_have_text(title)
        if detail:
            await expect(self.detail).to_contain_text(detail)

    async def is_asked(self) -> None:
        """Wait until the board takes clicks."""
        board = self.page.locator('[data-part="board"]')
        await expect(board).to_have_attribute("data-open", "true")

    # --------------------------------------------------------------------------------- doing

    async def visit(self, url: str, view: str) -> None:
        await self.page.goto(url)
        await self.arrives(view)

    async def arrives(self, view: str) -> None:
        await expect(self.page.locator("body")).to_have_attribute("data-view", view)

    async def choose(self, game: str) -> None:
        """Choose a game on the home page."""
        await self.page.get_by_role("radio", name=game, exact=True).check()

    async def open_room(self, url: str, *, public: bool = False, game: str = "Classic") -> str:
        """Open a room for a friend from the home page, and return its link."""
        await self.visit(url, "home")
        await self.choose(game)
        way = self.page.locator('form[data-way="friend"]')
        if public:
            await way.get_by_label("Public").check()
        await way.get_by_role("button", name="Play a friend").click()
        await self.arrives("room")
        return self.page.url

    async def play_ai(self, url: str, level: str, side: str, game: str = "Classic") -> str:
        await self.visit(url, "home")
        await self.choose(game)
        way = self.page.locator('form[data-way="ai"]')
        await way.get_by_role("radio", name=level, exact=True).check()
        await way.get_by_role("radio", name=side, exact=True).check()
        await way.get_by_role("button", name="Play the computer").click()
        await self.arrives("room")
        return self.page.url

    async def play(self, cell: int) -> None:
        """Click a cell when it is our turn, and wait until the server has confirmed it."""
        await self.is_asked()
        await self.cell(cell).click()
        await expect(self.cell(cell)).to_have_attribute("data-mark", ANY_MARK)
        await expect(self.cell(cell)).not_to_have_attribute("data-pending", "")


async def play_in_turn(x: Visitor, o: Visitor, cells: list[int]) -> None:
    for ply, cell in enumerate(cells):
        await (x, o)[ply % 2].play(cell)


Invite = Callable[..., Awaitable[Visitor]]


async def friends(
    invite: Invite, server: Served, game: str = "Classic", **options: Any
) -> tuple[Visitor, Visitor]:
    """Ada on X and Bo on O, in a room that Ada has opened."""
    ada, bo = await invite("Ada", **options), await invite("Bo", **options)
    link = await ada.open_room(server.url, game=game)
    await bo.visit(link, "room")
    await bo.offer("sit").click()
    await ada.is_told("Your turn", "You are X")
    await bo.is_told("Waiting for Ada…", "You are O")
    return ada, bo
