"""Accessibility: large type, forced colours, a phone that vibrates and stays awake."""

from __future__ import annotations

import pytest
from playwright.async_api import ViewportSize, expect

from tests.browser.people import Invite, Visitor, friends
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

# At 200 %, a window of 1280 × 800 has half of that left; a phone has even less.
ZOOMED: tuple[ViewportSize, ...] = ({"width": 640, "height": 400}, {"width": 320, "height": 300})

# What would cut off an outline that lies outside of an element.
CUT_BY = """element => {
    const cutting = [];
    for (let above = element.parentElement; above.parentElement; above = above.parentElement) {
        const { overflow, contentVisibility } = getComputedStyle(above);
        const isCutting = overflow !== 'visible' || contentVisibility !== 'visible';
        if (isCutting) cutting.push(above.className);
    }
    return cutting;
}"""


async def fits(visitor: Visitor) -> None:
    """Nothing needs sideways scrolling."""
    wide = await visitor.page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide[0] <= wide[1]


@pytest.mark.parametrize("size", ZOOMED, ids=["window", "phone"])
async def test_everything_is_still_there_at_twice_the_size(
    invite: Invite, server: Served, size: ViewportSize
) -> None:
    bo = await invite("Bo, whose name is a long one")
    for _ in range(3):
        await bo.open_room(server.url, public=True)
    ada = await invite("Ada", viewport=size, device_scale_factor=2)
    await ada.visit(server.url, "home")
    await expect(ada.page.locator("#live li").nth(2)).to_be_attached()
    await fits(ada)
    await ada.page.locator("#live li").nth(2).scroll_into_view_if_needed()
    await fits(ada)
    await ada.share_screen(server.url, "Ada", "Bo, whose name is a long one")
    for cell in (0, 3, 1, 4, 2):
        await ada.play(cell)
    await ada.is_told("Ada won")
    await fits(ada)


async def test_a_card_in_the_list_shows_that_it_has_the_focus(
    invite: Invite, server: Served
) -> None:
    ada, bo = await invite("Ada"), await invite("Bo")
    await bo.open_room(server.url, public=True)
    await ada.visit(server.url, "home")
    card = ada.page.locator("#live a.game").first
    await card.focus()
    await ada.page.keyboard.press("Shift+Tab")
    await ada.page.keyboard.press("Tab")
    await expect(card).to_be_focused()
    style, width = await card.evaluate(
        "card => ['Style', 'Width'].map(of => getComputedStyle(card)['outline' + of])"
    )
    assert style == "solid"
    assert float(width.removesuffix("px")) >= 3
    assert await card.evaluate(CUT_BY) == []


async def test_marks_and_turns_are_still_told_apart_in_forced_colours(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada", forced_colors="active")
    await ada.share_screen(server.url, "Ada", "Bo")
    await ada.play(0)
    await expect(ada.cell(0).locator(".mark")).to_be_visible()
    outline = "seat => getComputedStyle(seat).outlineStyle"
    assert await ada.seat("O").evaluate(outline) == "solid"
    assert await ada.seat("X").evaluate(outline) == "none"


async def test_a_phone_vibrates_when_the_opponent_has_moved_and_stays_awake(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await ada.page.evaluate(
        """() => {
            window.felt = [];
            window.locks = 0;
            navigator.vibrate = (ms) => window.felt.push(ms);
            navigator.wakeLock.request = async () => {
                window.locks += 1;
                return { release: async () => { window.locks -= 1; } };
            };
        }"""
    )
    await ada.play(0)
    assert await ada.page.evaluate("window.felt") == [[8]]
    await ada.page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    await bo.play(4)
    await ada.is_told("Your turn")
    assert await ada.page.evaluate("window.felt") == [[8], [20]]
    await ada.resign()
    assert await ada.page.evaluate("window.locks") <= 0  # none is held after the game
