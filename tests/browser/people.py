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

GAMES = {
    "3x3": "Classic Three",
    "reverse": "Three Loses",
    "vanishing": "Vanishing Three",
    "5x5": "Four on Five",
    "drop": "Drop Four",
    "ultimate": "Ultimate Nine",
}
# X wins boards 3, 6 and 9.
ULTIMATE_WON = [35, 6, 9, 38, 51, 65, 43, 50, 69, 47, 60, 2, 17, 29, 15, 14, 16, 41, 78]
# Moves that end a game, the line that they complete, and what is said about it.
WON = {
    "3x3": ([0, 3, 1, 4, 2], "0,1,2", "Three in a row for X."),
    "reverse": ([0, 3, 1, 4, 2], "0,1,2", "Three in a row for X, and that loses here."),
    "vanishing": ([1, 8, 7, 3, 0, 2, 4, 6, 8], "0,4,8", "Three in a row for X."),
    "5x5": ([0, 5, 1, 6, 2, 7, 3], "0,1,2,3", "Four in a row for X."),
    "drop": ([38, 31, 37, 30, 36, 29, 35], "35,36,37,38", "Four in a row for X."),
    "ultimate": (ULTIMATE_WON, "2,5,8", "Three boards in a row for X."),
}
CLASSIC = GAMES["3x3"]
# Where others reach the servers of these tests, as far as pages say: a loopback address is for
# nobody else, so there would be no QR codes.
PUBLIC = "https://play.example"
FOR_ALL = ("--no-limits", f"--public-url={PUBLIC}")
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
        # The page asks why a handshake has failed, which the browser has complained about already.
        is_asked = message.location["url"].endswith("/ws")
        if message.type in ("error", "warning") and not is_asked:
            self.complaints.append(message.text)

    @property
    def context(self) -> BrowserContext:
        return self.page.context

    # ------------------------------------------------------------------------------- looking

    def cell(self, cell: int) -> Locator:
        return self.page.locator(f'#room [data-cell="{cell}"]')

    def seat(self, mark: str) -> Locator:
        return self.page.locator(f'#room [data-strip][data-seat="{mark}"]')

    def offer(self, what: str) -> Locator:
        """A button that is on the page now. Those of the menu are there once it is open."""
        return self.page.locator(f'[data-offer="{what}"]:visible')

    def part(self, name: str) -> Locator:
        return self.page.locator(f'#room [data-part="{name}"]')

    def tally(self, mark: str) -> Locator:
        """The strokes for the games that a side has won, wherever this screen shows them."""
        return self.page.locator(
            f'#room :is([data-strip], .score > span)[data-side="{mark}"] .tally:visible'
        )

    @property
    def notice(self) -> Locator:
        return self.page.locator('[data-part="notice"]')

    @property
    def headline(self) -> Locator:
        return self.page.locator('#room [data-part="headline"]')

    @property
    def detail(self) -> Locator:
        return self.page.locator('#room [data-part="detail"]')

    async def board(self) -> str:
        """The board as drawn, with dots for free cells. Marks not yet confirmed do not count."""
        drawn = await self.page.locator("#room [data-cell]").evaluate_all(
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
        board = self.page.locator('#room [data-part="board"]')
        await expect(board).to_have_attribute("data-open", "true")

    # --------------------------------------------------------------------------------- doing

    async def visit(self, url: str, view: str) -> None:
        await self.page.goto(url)
        await self.arrives(view)

    async def arrives(self, view: str) -> None:
        await expect(self.page.locator("body")).to_have_attribute("data-view", view)

    async def prefer(self, **choices: object) -> None:
        """Remember choices as an earlier visit would have, and load the page again."""
        await self.page.evaluate(
            "chosen => { localStorage['noughts.prefs'] = JSON.stringify("
            "{ ...JSON.parse(localStorage['noughts.prefs'] ?? '{}'), ...chosen }); }",
            choices,
        )
        await self.page.reload()

    async def choose(self, game: str) -> None:
        """Choose a game on the home page. Labels cover their radio buttons, hence `force`."""
        picker = self.page.locator('#home [data-part="picker"]')
        await picker.get_by_role("radio", name=game, exact=True).check(force=True)

    async def open_sheet(self, tab: str) -> Locator:
        """The sheet for a new game, at one of its tabs."""
        await self.page.locator('#home [data-way="friend"]').click()
        sheet = self.page.get_by_role("dialog", name="New game")
        await sheet.get_by_role("radio", name=tab, exact=True).check(force=True)
        return sheet

    async def open_room(
        self, url: str, *, public: bool = False, game: str = CLASSIC, clock: str = "None"
    ) -> str:
        """Open a room for a friend from the home page, and return its link."""
        await self.visit(url, "home")
        await self.choose(game)
        sheet = await self.open_sheet("Friend")
        for name in ("Public" if public else "Private", clock, "X"):
            await sheet.get_by_role("radio", name=name, exact=True).check(force=True)
        await sheet.get_by_role("button", name="Get the link").click()
        await self.arrives("room")
        return self.page.url

    async def play_ai(self, url: str, level: str, side: str, game: str = CLASSIC) -> str:
        await self.visit(url, "home")
        await self.choose(game)
        sheet = await self.open_sheet("Computer")
        await sheet.get_by_role("radio", name=re.compile(f"^{level}")).check(force=True)
        await sheet.get_by_role("radio", name=side, exact=True).check(force=True)
        await sheet.get_by_role("button", name=f"Play {level}").click()
        await self.arrives("room")
        return self.page.url

    async def share_screen(self, url: str, first: str, second: str, game: str = CLASSIC) -> str:
        """Two people at this screen."""
        await self.visit(url, "home")
        await self.choose(game)
        sheet = await self.open_sheet("This screen")
        await sheet.get_by_label("Name of X").fill(first)
        await sheet.get_by_label("Name of O").fill(second)
        await sheet.get_by_role("button", name="Start").click()
        await self.arrives("room")
        return self.page.url

    async def watch_two_computers(self) -> None:
        """From the home page: by its own button, or by "Watch" while nothing else is live."""
        await self.page.locator('#home [data-way="exhibition"]').dispatch_event("click")
        await self.arrives("room")

    async def open_menu(self) -> Locator:
        view = await self.page.locator("body").get_attribute("data-view")
        await self.page.locator(f"#{view}").get_by_role("button", name="Menu").click()
        return self.page.locator("#menu")

    async def resign(self) -> None:
        await self.ask_menu("resign")
        await expect(self.part("result")).to_be_visible()

    async def ask_menu(self, what: str) -> None:
        """Choose something in the menu that asks first, and say yes."""
        await self.page.locator("#room").get_by_role("button", name="Menu").click()
        await self.offer(what).click()
        await self.offer("confirm").click()

    async def play(self, cell: int) -> None:
        """Click a cell when it is our turn, and wait until the server has confirmed it."""
        await self.is_asked()
        await self.cell(cell).click()
        await expect(self.cell(cell)).to_have_attribute("data-mark", ANY_MARK)
        await expect(self.cell(cell)).not_to_have_attribute("data-pending", "")


def forgive(*visitors: Visitor) -> None:
    """Ignore what the browser itself logs about a line that is dead."""
    dead = re.compile("WebSocket connection to|Failed to load resource: net::ERR_")
    for visitor in visitors:
        visitor.complaints[:] = [text for text in visitor.complaints if not dead.search(text)]


async def play_in_turn(x: Visitor, o: Visitor, cells: list[int]) -> None:
    for ply, cell in enumerate(cells):
        await (x, o)[ply % 2].play(cell)


Invite = Callable[..., Awaitable[Visitor]]


async def friends(
    invite: Invite, server: Served, game: str = CLASSIC, **options: Any
) -> tuple[Visitor, Visitor]:
    """Ada on X and Bo on O, in a room that Ada has opened."""
    ada, bo = await invite("Ada", **options), await invite("Bo", **options)
    link = await ada.open_room(server.url, game=game)
    await bo.visit(link, "room")
    await bo.offer("sit").click()
    await ada.is_told("Your turn", "You are X")
    await bo.is_told("Waiting for Ada…", "You are O")
    return ada, bo
