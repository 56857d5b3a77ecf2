"""Accessibility: large type, forced colours, contrast, touch, and names in any direction."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, ViewportSize, expect

from tests.browser.people import DESKTOP, PHONE, Invite, Visitor, friends
from tests.support.dialling import dialled
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
    ada = await invite("Ada", viewport=size, device_scale_factor=2)
    async with dialled(server.ws, name="Bo, whose name is a long one") as bo:
        for _ in range(3):
            await bo.create()
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


async def filled(element: Locator) -> object:
    """What tells two states apart without reading: a fill or an outline, not the weight of type."""
    await element.page.mouse.move(0, 0)
    await element.page.evaluate("document.activeElement?.blur()")
    # Without its opacity: forced colours make a fill white, on a page that is white.
    return await element.evaluate(
        """element => {
            const { backgroundColor, outlineStyle } = getComputedStyle(element);
            return [...backgroundColor.match(/\\d+/g).slice(0, 3), outlineStyle];
        }"""
    )


async def test_in_forced_colours_what_is_on_looks_different_from_what_is_off(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada", forced_colors="active", reduced_motion="reduce")
    await ada.visit(server.url, "home")
    option = ada.page.locator('#home [data-part="picker"] label', has_text="Drop Four")
    before = await filled(option)
    await ada.choose("Drop Four")
    assert await filled(option) != before

    sheet = await ada.open_sheet("Computer")
    for label in ("30 s", "Public", "Hard", "Ultimate Nine", "This screen"):
        option = sheet.locator("label", has_text=label)
        before = await filled(option)
        await option.locator("input").check(force=True)
        assert await filled(option) != before, label
    await ada.page.keyboard.press("Escape")

    await ada.page.get_by_role("button", name="Keyboard").click()
    digits = ada.page.locator("#keys input")
    before = await digits.screenshot()
    await digits.uncheck()
    assert await digits.screenshot() != before
    await ada.page.keyboard.press("Escape")

    await ada.play_ai(server.url, "Easy", "X")
    hint = ada.page.get_by_role("button", name="Hint")
    before = await filled(hint)
    await hint.click()
    await expect(hint).to_have_attribute("aria-pressed", "true")
    assert await filled(hint) != before
    dark = (await ada.open_menu()).locator("label", has_text="Dark")
    before = await filled(dark)
    await dark.click()
    assert await filled(dark) != before


# The contrast of an element's border or stroke with what is behind the element.
CONTRAST = """(element, property) => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const parts = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = (colour) => parts(colour).slice(0, 3).map((part) => part / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const behind = (above) => above && parts(getComputedStyle(above).backgroundColor)[3] === 255
        ? getComputedStyle(above).backgroundColor
        : above ? behind(above.parentElement) : 'white';
    const [one, two] = [getComputedStyle(element)[property], behind(element.parentElement)]
        .map(light).sort((a, b) => b - a);
    return (one + 0.05) / (two + 0.05);
}"""


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
async def test_lines_and_borders_stand_out_three_to_one(
    invite: Invite, server: Served, theme: str
) -> None:
    ada = await invite("Ada")
    await ada.visit(server.url, "home")
    await ada.prefer(theme=theme)
    await ada.arrives("home")
    await expect(ada.page.locator("html")).to_have_attribute("data-theme", theme)

    async def stands_out(selector: str, property: str) -> None:
        for element in await ada.page.locator(selector).all():
            if await element.is_visible():
                assert await element.evaluate(CONTRAST, property) >= 3, selector

    await stands_out("#home .board .grid", "stroke")
    await stands_out("#home .pick", "borderBottomColor")
    await stands_out('#home [data-part="me"]', "borderBottomColor")
    for tab in ("Computer", "This screen"):
        sheet = await ada.open_sheet(tab)
        await expect(sheet).to_be_visible()
        await stands_out(".new-game .seg", "borderBottomColor")
        await stands_out(".new-game .field", "borderBottomColor")
        await ada.page.keyboard.press("Escape")
    await ada.share_screen(server.url, "Ada", "Bo")
    await ada.play(0)
    await stands_out("#room .board .grid", "stroke")
    await stands_out("#room .mark", "stroke")
    await ada.open_room(server.url)
    await stands_out("#room .field", "borderBottomColor")


async def test_no_hover_sticks_and_no_tap_flashes_on_a_touch_screen(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada", viewport=PHONE, has_touch=True, is_mobile=True)
    await ada.visit(server.url, "home")
    flash = "element => getComputedStyle(element).webkitTapHighlightColor"
    for element in await ada.page.locator("button, a, label, input").all():
        assert await element.evaluate(flash) == "rgba(0, 0, 0, 0)"
    sticking = await ada.page.evaluate(
        """() => {
            const found = [];
            const look = (rules, isApart) => {
                for (const rule of rules) {
                    const isHover = isApart || rule.media?.mediaText.includes('hover: hover');
                    if (!isHover && rule.selectorText?.includes(':hover')) found.push(rule.cssText);
                    if (rule.cssRules) look(rule.cssRules, isHover);
                }
            };
            for (const sheet of document.styleSheets) look(sheet.cssRules, false);
            return found;
        }"""
    )
    assert sticking == []
    await ada.share_screen(server.url, "Ada", "Bo")
    await ada.is_asked()
    await ada.cell(4).tap()
    await ada.sees("... .X. ...")
    await expect(ada.page.locator("#room .ghost")).not_to_have_attribute("data-on", "")


HEBREW, MIXED = "שלום עולם", "Ada عادة"
# Where the text of an element begins and ends, not its box.
INK = """element => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const { left, right } = range.getBoundingClientRect();
    return [left, right];
}"""


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_names_of_any_direction_stand_over_their_line(
    invite: Invite, server: Served, size: ViewportSize
) -> None:
    ada, bo = await invite(HEBREW, viewport=size), await invite(MIXED, viewport=size)
    link = await ada.open_room(server.url, public=True)
    await bo.visit(link, "room")
    await bo.offer("sit").click()
    for visitor in (ada, bo):
        await visitor.is_asked() if visitor is ada else await visitor.is_told(
            f"Waiting for {HEBREW}…"
        )
        for mark in "XO":
            strip = visitor.seat(mark)
            name, _ = await strip.locator('[data-part="name"]').evaluate(INK)
            line, _ = await strip.locator(".sub").evaluate(INK)
            assert abs(name - line) < 2, (mark, name, line)
    cy = await invite("Cy", viewport=size)
    await cy.visit(server.url, "home")
    card = cy.page.locator(f'#live [href="{link.removeprefix(server.url)}"]')
    starts = [(await card.locator(f'[data-part="{mark}"]').evaluate(INK))[0] for mark in ("X", "O")]
    assert abs(starts[0] - starts[1]) < 2


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
