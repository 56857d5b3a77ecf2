"""A class behind one address opens the page in the same second, and each pupil opens four games.

Every pupil has a browser of their own. Nobody may lose a file of the page or be refused a game,
neither directly nor through nginx as in docs/hosting/nginx.conf.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

from playwright.async_api import Browser, Request, Response, WebSocket

from tests.browser.chromium import chromium
from tests.browser.people import PHONE, Visitor
from tests.docs.hosting.nginx import ADDRESS, NAME, NGINX, proxied
from tests.ordeals.torture import Figures
from tests.support.history import Broken
from tests.support.serving import serving

GAMES = 4  # that each pupil opens
PATIENCE = 240_000  # ms; so many browsers need a while, though each is served at once


class Pupil(Visitor):
    """`lost`: what could not be loaded, or was refused."""

    def listen(self) -> None:
        self.asked, self.lost = Counter[str](), list[str]()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("requestfailed", self._fail)
        self.page.on("response", self._look)
        self.page.on("websocket", self._follow)

    def _fail(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the pupil went on before it was there
            self.lost.append(f"{request.url}: {request.failure}")

    def _look(self, response: Response) -> None:
        self.asked["files"] += 1
        if response.status >= 400:
            self.lost.append(f"{response.url}: {response.status}")

    def _follow(self, socket: WebSocket) -> None:
        def read(payload: str | bytes) -> None:
            if isinstance(payload, str) and '"type":"refused"' in payload:
                self.lost.append(payload)

        self.asked["sockets"] += 1
        socket.on("framereceived", read)

    async def learn(self, url: str) -> None:
        for number in range(GAMES):
            await self.page.goto(url)
            await self.page.locator(f'#home [data-cell="{2 * number}"]').click()
            await self.page.wait_for_url("**/r/*")
            await self.page.locator(f'#room [data-cell="{2 * number}"][data-mark]').wait_for()


async def lesson(browser: Browser, url: str, pupils: int) -> Figures:
    async with AsyncExitStack() as stack:
        group = []
        for _ in range(pupils):
            context = await browser.new_context(viewport=PHONE, ignore_https_errors=True)
            stack.push_async_callback(context.close)
            group.append(Pupil(await context.new_page()))
            group[-1].listen()
        begin = time.monotonic()
        await asyncio.gather(*(pupil.learn(url) for pupil in group))
        took = time.monotonic() - begin
    lost = [what for pupil in group for what in pupil.lost]
    if lost:
        raise Broken(f"{len(lost)} were lost or refused, such as {lost[0]}")
    if complaints := [text for pupil in group for text in pupil.complaints]:
        raise Broken(f"{len(complaints)} complaints, such as {complaints[0]}")
    asked: Counter[str] = sum((pupil.asked for pupil in group), Counter())
    return {"games": pupils * GAMES, **asked, "s": round(took, 1)}


async def ordeal(folder: Path, pupils: int) -> Figures:
    async with chromium() as browser, serving(folder, ai_pause=50) as served:
        direct = await lesson(browser, served.url, pupils)
    figures = {f"directly: {what}": figure for what, figure in direct.items()}
    if NGINX is None:
        return figures
    trust = ("--trusted-proxy", "127.0.0.1/32")
    async with serving(folder, *trust, ai_pause=50) as served, proxied(folder, served) as site:
        where = f"--host-resolver-rules=MAP {NAME}:{site.port} {ADDRESS}:{site.port}"
        async with chromium(where) as browser:
            through = await lesson(browser, f"https://{NAME}:{site.port}", pupils)
    return figures | {f"nginx: {what}": figure for what, figure in through.items()}
