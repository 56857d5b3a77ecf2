"""How the page loads: small, at once, and on a second visit with a single request."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Request, expect

from tests.browser.people import PHONE, Invite
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

BUDGET = 70_000  # bytes of all bodies as they are transferred, compressed


async def test_all_that_a_first_visit_loads_fits_the_budget(invite: Invite, server: Served) -> None:
    ada = await invite("Ada", viewport=PHONE)
    loaded: list[Request] = []
    ada.page.on("requestfinished", lambda request: loaded.append(request))
    await ada.visit(server.url, "home")
    await ada.page.locator('#home [data-cell="4"]').click()
    await ada.arrives("room")
    await (await ada.open_menu()).get_by_role("button", name="Change opponent").click()
    await expect(ada.page.get_by_role("dialog", name="New game")).to_be_visible()
    await ada.page.wait_for_load_state("networkidle")

    sizes = {request.url: (await request.sizes())["responseBodySize"] for request in loaded}
    for part in ("end", "newgame", "signals"):  # a game, the sheet, sounds
        assert any(f"/{part}." in url for url in sizes), part
    assert sum(size for size in sizes.values() if size > 0) < BUDGET  # below zero: from the cache


async def test_a_second_visit_is_one_request(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.visit(server.url, "home")
    async with ada.page.expect_response("**/signals.*.js"):  # sounds come with the first touch
        await ada.page.get_by_role("heading", name="Your move.").click()
    await ada.page.wait_for_load_state("networkidle")
    asked: dict[str, str] = {}
    cached: set[str] = set()

    def note_cached(event: dict[str, Any]) -> None:
        if event["response"]["fromDiskCache"]:
            cached.add(event["requestId"])

    session = await ada.context.new_cdp_session(ada.page)
    await session.send("Network.enable")
    session.on(
        "Network.requestWillBeSent",
        lambda event: asked.update({event["requestId"]: event["request"]["url"]}),
    )
    session.on("Network.requestServedFromCache", lambda event: cached.add(event["requestId"]))
    session.on("Network.responseReceived", note_cached)

    await ada.visit(server.url, "home")
    await expect(ada.page.get_by_label("Your name")).to_have_value("Ada")
    await ada.page.wait_for_load_state("networkidle")  # every answer has been told

    assert [url for request, url in asked.items() if request not in cached] == [f"{server.url}/"]
    assert len(asked) > 20


async def test_home_is_there_before_any_script(invite: Invite, server: Served) -> None:
    ada = await invite("Ada", java_script_enabled=False)
    await ada.page.goto(server.url)
    await expect(ada.page.get_by_role("heading", name="Your move.")).to_be_visible()
    await expect(ada.page.locator("#home .board .grid")).to_be_visible()
    await expect(ada.page.get_by_role("button", name="Play a friend")).to_be_visible()


async def test_a_room_is_not_preceded_by_a_glimpse_of_home(invite: Invite, server: Served) -> None:
    ada = await invite("Ada", java_script_enabled=False)
    await ada.page.goto(f"{server.url}/tv")
    await expect(ada.page.locator("#home")).to_be_hidden()
