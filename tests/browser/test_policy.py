"""The content security policy at work: scripts in names, injected scripts, and other sites.

`tests/e2e/test_http.py` checks that the headers are sent. Here a real browser applies them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.people import HANG, X_WINS, Invite, Visitor
from tests.support.dialling import Player, dialled, play_out, seated_pair
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

# Runs before any script of the page. Hostile names try to call `a()`.
WATCHFUL = """
    window.happened = [];
    window.a = () => window.happened.push('a name was run');
    document.addEventListener('securitypolicyviolation',
        (event) => window.happened.push(event.effectiveDirective));
"""
# What the page would contain if a name were parsed as markup.
FOREIGN = "main :is(script, iframe, object, base, [src=x], [onload], [onerror], [href^=java])"
NAMES = [
    "<script>a()</script>",
    "<svg/onload=a()>",
    "'\"><img src=x onerror=a(",
    "javascript:a()",
    "</bdi><iframe src=//x>",
    "&lt;b&gt;${a()}{{a()}}",
]


@pytest.mark.parametrize(("x", "o", "mine"), [NAMES[:3], NAMES[3:]])
async def test_a_hostile_name_is_plain_text_in_every_view(
    invite: Invite, server: Served, x: str, o: str, mine: str
) -> None:
    cy = await invite(mine)
    await cy.page.add_init_script(WATCHFUL)
    cy.page.on("dialog", lambda dialog: cy.complaints.append(f"dialog: {dialog.message}"))
    async with dialled(server.ws, name=x) as ada, dialled(server.ws, name=o) as bo:
        await looks_on(cy, server, (ada, bo), (x, o))
        await plays(cy, server, bo, o)
    await cy.page.get_by_role("link", name="Noughts, home").click()
    await expect(cy.page.get_by_label("Your name")).to_have_value(mine)

    assert await cy.page.evaluate("window.happened") == []
    assert await cy.page.locator(FOREIGN).count() == 0


async def looks_on(
    cy: Visitor, server: Served, players: tuple[Player, Player], names: tuple[str, str]
) -> None:
    """Look at the list, the room and the review as a spectator."""
    (ada, bo), (x, o) = players, names
    room = await seated_pair(ada, bo)
    await cy.visit(server.url, "home")
    hung = cy.page.locator(f'a.game[href="/r/{room}"]')
    await expect(hung.locator('[data-part="X"]')).to_have_text(x)
    await expect(hung.locator('[data-part="O"]')).to_have_text(o)
    await hung.click()
    await cy.arrives("room")
    await cy.is_told(f"{x} to move")
    for mark, name in (("X", x), ("O", o)):
        shown = cy.seat(mark).locator('[data-part="name"]')
        await expect(shown).to_have_text(name)
        await expect(shown).to_have_attribute("title", name)
    await bo.accept("say", room=room, phrase="good_luck")
    await expect(cy.page.locator("#announcer")).to_contain_text(f"{o}: Good luck!")
    await play_out(room, (ada, bo), X_WINS)
    await cy.is_told(f"{x} won")
    await expect(cy.part("result-word")).to_have_text(f"{x} won")
    await cy.page.get_by_role("button", name="Move 5:").click()
    await cy.is_told(f"{x} won", "Move 5 of 5.")
    await cy.visit(f"{server.url}/tv/{room}", "tv")
    await expect(cy.page.locator('#tv [data-part="tv-X"] [data-part="name"]')).to_have_text(x)


async def plays(cy: Visitor, server: Served, bo: Player, o: str) -> None:
    """Play as the opponent: speak, resign and ask for a rematch."""
    room = (await cy.open_room(server.url)).rpartition("/")[2]
    await bo.accept("sit", room=room, seat="O")
    await cy.is_told("Your turn")
    await bo.accept("say", room=room, phrase="oops")
    await expect(cy.seat("O").locator('[data-part="bubble"]')).to_be_visible()
    await bo.accept("resign", room=room)
    await cy.is_told("You won", f"{o} resigned")
    await bo.accept("rematch", room=room)
    await cy.is_told("You won", f"{o} wants another game")


@asynccontextmanager
async def opened(browser: Browser, url: str) -> AsyncIterator[Page]:
    """A page whose console may hold errors, since the test expects them."""
    context = await browser.new_context()
    try:
        page = await context.new_page()
        page.set_default_timeout(HANG)
        await page.add_init_script(WATCHFUL)
        await page.goto(url)
        yield page
    finally:
        await context.close()


TO_MARKUP = [
    "document.body.innerHTML = '<img src=x onerror=a()>'",
    "document.body.outerHTML = '<s>a</s>'",
    "document.body.insertAdjacentHTML('beforeend', '<s>a</s>')",
    "document.write('<s>a</s>')",
    "document.createRange().createContextualFragment('<s>a</s>')",
    "new DOMParser().parseFromString('<s>a</s>', 'text/html')",
    "document.createElement('script').textContent = 'a()'",
    "document.createElement('script').src = 'data:text/javascript,a()'",
    "document.createElement('iframe').srcdoc = '<script>parent.a()</script>'",
    "document.body.setAttribute('onclick', 'a()')",
    "new Worker('data:text/javascript,a()')",
    "setTimeout('a()')",
]


async def test_text_becomes_neither_markup_nor_script(browser: Browser, server: Served) -> None:
    # In a timer, because `evaluate` itself is exempt from part of the policy.
    attempts = ", ".join(f"() => {{ {attempt} }}" for attempt in TO_MARKUP)
    async with opened(browser, server.url) as page:
        problems = await page.evaluate(
            """() => new Promise(resolve => setTimeout(() => resolve([ATTEMPTS].map(attempt => {
                try { attempt(); return 'nothing'; } catch (error) { return error.name; }
            }))))""".replace("ATTEMPTS", attempts)
        )
        assert dict(zip(TO_MARKUP, problems, strict=True)) == dict.fromkeys(TO_MARKUP, "TypeError")
        assert await page.locator("s").count() == 0
        assert "a name was run" not in await page.evaluate("window.happened")


# Each attempt, and the directive that forbids it (browsers differ on one).
TO_REACH = {
    "add('script', {}, 'a()')": "require-trusted-types-for",
    "add('a', {href: 'javascript:a()'}).click()": "script-src-elem|require-trusted-types-for",
    "new Image().src = ELSEWHERE": "img-src",
    "fetch(ELSEWHERE).catch(() => {})": "connect-src",
    "new WebSocket(ELSEWHERE.replace('http', 'ws'))": "connect-src",
    "navigator.sendBeacon(ELSEWHERE)": "connect-src",
    "add('style', {}, 'body { color: red }')": "style-src-elem",
    "document.body.setAttribute('style', 'color: red')": "style-src-attr",
    "add('link', {rel: 'stylesheet', href: ELSEWHERE})": "style-src-elem",
    "add('iframe', {src: ELSEWHERE})": "frame-src",
    "add('embed', {src: ELSEWHERE})": "require-trusted-types-for|object-src",
    "add('audio', {src: ELSEWHERE})": "media-src",
    "add('base', {href: ELSEWHERE})": "base-uri",
    "add('form', {action: ELSEWHERE, method: 'post'}).submit()": "form-action",
}
TRY = """([number, ELSEWHERE]) => {
    const add = (tag, properties, text = '') => {
        const element = document.createElement(tag);
        element.append(text);
        document.body.append(element);
        return Object.assign(element, properties);
    };
    window.happened.length = 0;
    setTimeout([ATTEMPTS][number]);
}""".replace("ATTEMPTS", ", ".join(f"() => {{ {attempt} }}" for attempt in TO_REACH))


async def heard(page: Page) -> list[str]:
    happened: list[str] = await page.evaluate("window.happened")
    return happened


async def test_scripts_and_sites_that_are_not_ours_are_blocked(
    browser: Browser, server: Served
) -> None:
    async with opened(browser, server.url) as page, strangers_site() as stranger:
        for number, violated in enumerate(TO_REACH.values()):
            await page.evaluate(TRY, [number, f"{stranger.url}/anything"])
            async with asyncio.timeout(HANG / 1000):
                while not {*violated.split("|")} & {*(happened := await heard(page))}:
                    await asyncio.sleep(0.02)
            assert "a name was run" not in happened
        assert page.url == f"{server.url}/"
        assert stranger.requests == []


class Stranger:
    """Another site. It answers every request with the same empty page, and records it."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[str] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.requests.append(head.split()[1].decode())
        page = b"<!doctype html><link rel=icon href=data:,><title>Elsewhere</title>"
        kind = b"text/html; charset=utf-8"
        length = str(len(page)).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: " + kind)
        writer.write(b"\r\nContent-Length: " + length + b"\r\n\r\n" + page)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def strangers_site() -> AsyncIterator[Stranger]:
    stranger = Stranger()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await stranger.answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()  # browsers open spare connections

    site = await asyncio.start_server(answer, "127.0.0.1", 0)
    stranger.url = f"http://127.0.0.1:{site.sockets[0].getsockname()[1]}"
    try:
        yield stranger
    finally:
        site.close()


async def greeted(page: Page, server: Served) -> Any:
    """The first frame after this page's hello, or the close code if the socket never opened."""
    return await page.evaluate(
        """url => new Promise(resolve => {
            const socket = new WebSocket(url);
            socket.onopen = () => socket.send('{"type":"hello","protocol":1}');
            socket.onmessage = ({ data }) => resolve(JSON.parse(data).type);
            socket.onclose = ({ code }) => resolve(code);
        })""",
        server.ws,
    )


async def test_another_sites_page_cannot_open_the_socket_unless_it_is_named(
    browser: Browser, server: Served, tmp_path: Path
) -> None:
    async with strangers_site() as stranger, opened(browser, stranger.url) as page:
        assert await greeted(page, server) == 1006
        async with serving(tmp_path, "--origin", stranger.url) as hospitable:
            assert await greeted(page, hospitable) == "welcome"


async def test_another_sites_page_cannot_frame_ours(browser: Browser, server: Served) -> None:
    async with strangers_site() as stranger, opened(browser, stranger.url) as page:
        for url in (server.url, f"{stranger.url}/inside"):
            await page.evaluate(
                """url => new Promise(resolve => {
                    const frame = document.createElement('iframe');
                    frame.onload = resolve;
                    frame.src = url;
                    document.body.append(frame);
                })""",
                url,
            )
        _, ours, theirs = page.frames
        assert await theirs.title() == "Elsewhere"
        assert await ours.locator("main").count() == 0
        assert ours.url.startswith("chrome-error:")


async def test_another_sites_page_cannot_read_or_embed_what_we_serve(
    browser: Browser, server: Served
) -> None:
    async with strangers_site() as stranger, opened(browser, stranger.url) as page:
        for path in ("/", "/api/rooms", "/metrics", "/client/main.js", "/client/favicon.svg"):
            for mode in ("cors", "no-cors"):
                problem = await page.evaluate(
                    "([url, mode]) => fetch(url, {mode}).then(() => 'read', ({name}) => name)",
                    [server.url + path, mode],
                )
                assert problem == "TypeError", (path, mode)
