"""Many people behind one address: what a limit refuses is kept, and goes on by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.people import Invite, forgive
from tests.support.dialling import dialled
from tests.support.serving import serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_tap_that_a_limit_refuses_is_kept_and_played_once_there_is_a_place(
    invite: Invite, tmp_path: Path
) -> None:
    async with serving(tmp_path, "--limit", "rooms_open_per_address=1", ai_pause=50) as server:
        ada = await invite("Ada")
        async with dialled(server.ws, name="Bo") as bo:
            await bo.create()
            await ada.visit(server.url, "home")
            await ada.page.locator('#home [data-cell="4"]').click()
            note = ada.page.locator('[data-part="crowded"]')
            await expect(note).to_contain_text("A lot of people here are starting games.")
            await expect(ada.page.locator("#announcer p", has_text="A lot of")).to_have_count(1)
            await ada.page.wait_for_timeout(4500)  # it has been asked for again, in vain
            await expect(ada.page.locator("#announcer p", has_text="A lot of")).to_have_count(1)
            await expect(note).to_be_visible()
        await ada.arrives("room")
        await expect(ada.cell(4)).to_have_attribute("data-mark", "X")
        await expect(note).to_be_hidden()
        await ada.page.close()


async def test_where_it_is_full_the_page_says_so_and_plays_the_tap_once_somebody_has_gone(
    invite: Invite, tmp_path: Path
) -> None:
    async with serving(tmp_path, "--limit", "connections_per_address=1", ai_pause=50) as server:
        ada = await invite("Ada")
        async with dialled(server.ws, name="Bo"):
            await ada.visit(server.url, "home")
            line = ada.page.locator('[data-part="home-line"]')
            await expect(line).to_contain_text("This place is full just now. Trying again …")
            await ada.page.locator('#home [data-cell="4"]').click()
            await expect(ada.notice).to_have_text("This will be sent as soon as you are connected.")
        await ada.arrives("room")
        await expect(ada.cell(4)).to_have_attribute("data-mark", "X")
        await ada.page.close()
    forgive(ada)
