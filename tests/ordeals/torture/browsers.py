"""People in real browsers: reloads, closed tabs, restarts and lost connections (P4 and P8).

After each fault all boards are equal again within three seconds, without any click. The console may
report only sockets that could not be opened while the server was down.
"""

from __future__ import annotations

import re
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, expect

from tests.browser.chromium import chromium
from tests.browser.people import DESKTOP, Visitor
from tests.ordeals.torture import Figures
from tests.ordeals.torture.patience import until
from tests.ordeals.torture.proxy import proxied
from tests.support.history import Broken
from tests.support.serving import Served, serving

BACK_WITHIN = 3.0  # seconds
NOBODY_THERE = re.compile(  # the message depends on the exact moment
    r"WebSocket connection to '[^']*/ws' failed: ("
    r"Error (in connection establishment|during WebSocket handshake): net::"
    r"ERR_(CONNECTION_(RESET|REFUSED|CLOSED)|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)"
    r"|Error during WebSocket handshake: Unexpected response code: 503"
    r"|Connection closed before receiving a handshake response"
    r"|WebSocket is closed before the connection is established)\.?"
)


class Scene:
    """Ada on X and Bo on O, each with their own route to a server that restarts."""

    def __init__(self, browser: Browser, folder: Path, stack: AsyncExitStack) -> None:
        self._browser = browser
        self._folder = folder
        self._stack = stack
        self._visitors: list[Visitor] = []

    async def set_up(self) -> None:
        self.served = await self._serve(0)
        self.line = await self._stack.enter_async_context(proxied(self.served.url))  # Ada's
        self.ada, self.bo = await self._arrive("Ada"), await self._arrive("Bo")

    async def sit_down(self) -> None:
        """Start a game in a new room."""
        self._link = await self.ada.open_room(self.line.url)
        room = self._link.rpartition("/")[2]
        await self.bo.visit(f"{self.served.url}/r/{room}", "room")
        await self.bo.offer("sit").click()
        await self.ada.is_told("Your turn", "You are X")

    async def another_tab(self) -> Visitor:
        """Another page of Ada's, in the same room."""
        visitor = Visitor(await self.ada.context.new_page())
        self._visitors.append(visitor)
        await visitor.page.goto(self._link)
        return visitor

    async def restart(self, with_: signal.Signals) -> None:
        """Restart on the same port with the same file, after SIGTERM or SIGKILL."""
        await (self.served.kill() if with_ is signal.SIGKILL else self.served.stop(with_))
        self.served = await self._serve(self.served.port)

    def complaints(self) -> list[str]:
        """The messages on the consoles, except failed sockets while the server was down."""
        every = [text for visitor in self._visitors for text in visitor.complaints]
        return [text for text in every if not NOBODY_THERE.fullmatch(text)]

    async def _serve(self, port: int) -> Served:
        store = f"sqlite:{self._folder}/rooms.db"
        return await self._stack.enter_async_context(
            serving(self._folder, "--no-limits", store=store, port=port)
        )

    async def _arrive(self, name: str) -> Visitor:
        context = await self._browser.new_context(viewport=DESKTOP)
        self._stack.push_async_callback(context.close)
        page = await context.new_page()
        await page.add_init_script(f"localStorage['noughts.name'] ??= {name!r}")
        self._visitors.append(Visitor(page))
        return self._visitors[-1]


@asynccontextmanager
async def scene(browser: Browser, folder: Path) -> AsyncIterator[Scene]:
    """Two people. At the end, no console may hold an error."""
    async with AsyncExitStack() as stack:
        it = Scene(browser, folder, stack)
        await it.set_up()
        yield it
        if complaints := it.complaints():
            raise Broken(f"on the console: {complaints}")


# ----------------------------------------------------------------------------------- the troubles


async def agree(board: str, *visitors: Visitor, since: float = 0.0) -> float:
    """Wait until all pages show this board, and return the seconds from `since`."""
    for visitor in visitors:
        await visitor.sees(board)
    return time.monotonic() - since


async def reload(it: Scene) -> float:
    await it.ada.play(4)
    begin = time.monotonic()
    await it.bo.page.reload()
    took = await agree("... .X. ...", it.ada, it.bo, since=begin)
    await it.bo.play(0)
    await agree("O.. .X. ...", it.ada, it.bo)
    return took


async def closed_tab(it: Scene) -> float:
    """A tab that is closed and reopened shows what happened in between."""
    await it.ada.play(4)
    await it.ada.page.close()
    await it.bo.play(0)
    begin = time.monotonic()
    it.ada = await it.another_tab()
    took = await agree("O.. .X. ...", it.ada, since=begin)
    await it.ada.play(8)
    await agree("O.. .X. ..X", it.ada, it.bo)
    return took


async def two_tabs(it: Scene) -> float:
    """Two tabs are the same player, and each shows the moves of the other."""
    other = await it.another_tab()
    await it.ada.play(4)
    first = await agree("... .X. ...", other, it.bo, since=time.monotonic())
    await it.bo.play(0)
    await other.play(8)
    second = await agree("O.. .X. ..X", it.ada, other, it.bo, since=time.monotonic())
    await other.page.close()
    return max(first, second)


async def restart(it: Scene, with_: signal.Signals = signal.SIGTERM) -> float:
    await it.ada.play(4)
    await it.restart(with_)
    begin = time.monotonic()
    await it.bo.cell(0).click()  # sent as soon as the page has reconnected
    took = await agree("O.. .X. ...", it.ada, it.bo, since=begin)
    await it.ada.play(8)
    await agree("O.. .X. ..X", it.ada, it.bo)
    return took


async def killed(it: Scene) -> float:
    return await restart(it, signal.SIGKILL)


async def cut(it: Scene) -> float:
    """A page that lost its connection shows, after it reconnects, what happened in between."""
    await it.ada.play(4)
    it.line.is_refusing = True
    it.line.cut()
    await it.bo.play(0)
    await expect(it.ada.part("line-note")).to_be_visible()
    it.line.heal()
    took = await agree("O.. .X. ...", it.ada, since=time.monotonic())
    await it.ada.play(8)
    await agree("O.. .X. ..X", it.ada, it.bo)
    return took


Trouble = Callable[[Scene], Awaitable[float]]
TROUBLES: tuple[Trouble, ...] = (reload, closed_tab, two_tabs, restart, killed, cut)


async def dead_line(it: Scene, *, new_ones_too: bool = False) -> tuple[float, float]:
    """The seconds until a page redials on a dead connection, and until it is back after `heal`.

    Until then new connections fail too: at once, or silently like the old one.
    """
    dialled, note = it.line.dialled, it.ada.part("line-note")
    it.line.is_refusing = not new_ones_too
    it.line.swallow(new_ones_too=new_ones_too)
    begin = time.monotonic()
    await it.ada.cell(4).click()
    await until(lambda: it.line.dialled > dialled, "the page notices and dials again")
    after = time.monotonic() - begin
    await expect(note).to_be_visible()
    it.line.heal()
    back = await agree("... .X. ...", it.ada, it.bo, since=time.monotonic())
    await expect(note).to_be_hidden()
    return after, back


# ------------------------------------------------------------------------------------- the ordeal


async def ordeal(folder: Path, amount: int) -> Figures:
    """`amount` rounds of every fault, each round with new people."""
    slowest = dict.fromkeys(TROUBLES, 0.0)
    async with chromium() as browser:
        for number in range(amount):
            place = folder / f"round-{number}"
            place.mkdir()
            async with scene(browser, place) as it:
                for trouble in TROUBLES:
                    await it.sit_down()
                    slowest[trouble] = max(slowest[trouble], await trouble(it))
    names = {trouble: trouble.__name__.replace("_", " ") for trouble in TROUBLES}
    figures = {f"{names[trouble]} s": round(took, 2) for trouble, took in slowest.items()}
    if max(slowest.values()) > BACK_WITHIN:
        raise Broken(f"boards were not equal within {BACK_WITHIN} s: {figures}")
    return {**figures}
