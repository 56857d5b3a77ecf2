"""Quick play, premoves, two players on one screen, sounds and themes."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser.people import PUBLIC, X_WINS, Invite, Visitor, friends, play_in_turn
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def begin(visitor: Visitor, server: Served) -> None:
    """Tap the board of the home page."""
    await visitor.visit(server.url, "home")
    await visitor.page.locator('#home [data-cell="0"]').click()
    await visitor.arrives("room")
    await expect(visitor.cell(0)).to_have_attribute("data-mark", "X")


async def test_one_tap_starts_a_game_and_the_next_player_can_be_met_after_it(
    invite: Invite, server: Served
) -> None:
    ada, bo = await invite("Ada"), await invite("Bo")
    await begin(ada, server)
    await begin(bo, server)
    await expect(ada.offer("meet")).to_have_count(0)  # no offer during a game

    await ada.resign()
    await expect(ada.part("partner-text")).to_have_text("Bo is here as well.")
    await expect(ada.offer("meet")).to_have_text("Play Bo")
    await ada.offer("meet").click()
    await expect(ada.offer("meet")).to_have_text("Asked Bo, waiting …")
    await bo.resign()
    await expect(bo.part("partner-text")).to_have_text("Ada would like to play you.")
    before = bo.page.url
    await bo.offer("meet").click()

    await bo.page.wait_for_url(lambda url: url != before)
    await ada.page.wait_for_url(bo.page.url)
    await ada.arrives("room")
    await expect(bo.part("partner")).to_be_hidden()
    seated = ada.page.locator("#room [data-strip] [data-part=name]")
    await expect(seated.filter(has_text="Ada")).to_have_count(1)
    await expect(seated.filter(has_text="Bo")).to_have_count(1)


async def test_a_player_who_has_left_quick_play_is_offered_to_nobody(
    invite: Invite, server: Served
) -> None:
    ada, bo = await invite("Ada"), await invite("Bo")
    await begin(ada, server)
    await begin(bo, server)
    await ada.resign()
    await expect(ada.offer("meet")).to_have_text("Play Bo")
    await ada.page.get_by_role("button", name="Not now").click()
    await expect(ada.part("partner")).to_be_hidden()
    await bo.resign()
    await expect(bo.part("partner")).to_be_hidden()

    await begin(ada, server)
    await ada.resign()
    await expect(ada.offer("meet")).to_have_text("Play Bo")
    await bo.page.get_by_role("link", name="Noughts, home").click()  # this leaves quick play, too
    await bo.arrives("home")
    await expect(ada.part("partner")).to_be_hidden()


async def test_a_premove_is_played_as_soon_as_it_may_be(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)
    await bo.cell(0).click()
    await expect(bo.cell(0)).to_have_attribute("data-aimed", "")
    await expect(bo.cell(0)).to_have_attribute(
        "aria-label", "Row 1, column 1, O as soon as it is your turn"
    )
    await bo.cell(8).click()
    await expect(bo.cell(0)).not_to_have_attribute("data-aimed", "")
    await ada.play(4)
    for visitor in (ada, bo):
        await visitor.sees("... .X. ..O")


async def test_a_premove_ends_with_another_tap_or_when_the_cell_is_taken(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await bo.cell(4).click()
    await bo.cell(4).click()
    await expect(bo.cell(4)).not_to_have_attribute("data-aimed", "")
    await bo.cell(4).click()
    await ada.play(4)
    await bo.is_told("Your turn")
    await bo.sees("... .X. ...")
    await bo.play(0)
    for visitor in (ada, bo):
        await visitor.sees("O.. .X. ...")


async def test_two_share_one_screen_with_one_tap(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.open_room(server.url)
    await ada.page.get_by_role("button", name="Two on this screen").click()
    await ada.is_told("X to move", "You play both sides")
    await play_in_turn(ada, ada, X_WINS)
    await ada.is_told("X won")


async def test_moves_make_a_sound_until_it_is_off_and_the_choice_is_remembered(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    body = ada.page.locator("body")
    await ada.play(4)
    await expect(body).to_have_attribute("data-sounded", "mine")
    await bo.play(0)
    await expect(body).to_have_attribute("data-sounded", "theirs")
    menu = await ada.open_menu()
    sound = menu.get_by_role("button", name="Sound")
    await expect(sound).to_have_text(re.compile("Sound.*on", re.DOTALL))
    await sound.click()
    await expect(sound).to_have_text(re.compile("Sound.*off", re.DOTALL))
    await ada.page.keyboard.press("Escape")
    await ada.play(8)
    await ada.is_told("Waiting for Bo…")
    await expect(body).to_have_attribute("data-sounded", "theirs")
    await ada.page.reload()
    await ada.arrives("room")
    await ada.open_menu()
    await expect(sound).to_have_attribute("aria-pressed", "false")


async def test_moves_that_were_missed_make_no_sound_later(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)
    await ada.play(4)
    await bo.page.reload()
    await bo.sees("... .X. ...")
    await bo.part("title").click()
    await bo.is_told("Your turn")
    await expect(bo.page.locator("body")).not_to_have_attribute("data-sounded", "theirs")


async def test_the_theme_is_chosen_and_remembered(invite: Invite, server: Served) -> None:
    ada = await invite("Ada", color_scheme="light")
    await ada.visit(server.url, "home")
    html, paper = (
        ada.page.locator("html"),
        "getComputedStyle(document.documentElement).backgroundColor",
    )
    usual = await ada.page.evaluate(paper)
    menu = await ada.open_menu()
    colours = {}
    for theme, called in {"dark": "Dark", "light": "Light", "contrast": "Contrast"}.items():
        await menu.get_by_role("radio", name=called).check()
        await expect(html).to_have_attribute("data-theme", theme)
        colours[theme] = await ada.page.evaluate(paper)
    assert colours["light"] == usual != colours["dark"]
    assert colours["contrast"] == "rgb(255, 255, 255)"
    await ada.page.reload()
    await expect(html).to_have_attribute("data-theme", "contrast")
    await ada.open_menu()
    await menu.get_by_role("radio", name="Auto").check()
    await expect(html).not_to_have_attribute("data-theme", "contrast")
    assert await ada.page.evaluate(paper) == usual


async def test_the_tabs_icon_shows_whose_turn_it_is(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)
    dot = re.compile("^data:.*circle")
    await expect(ada.page.locator('link[rel="icon"]')).to_have_attribute("href", dot)
    await expect(bo.page.locator('link[rel="icon"]')).not_to_have_attribute("href", dot)
    await expect(ada.page).to_have_title("Your turn · Noughts")
    await expect(bo.page).to_have_title("Waiting for Ada… · Noughts")


async def test_the_link_is_shown_as_a_qr_code_and_shared_through_the_share_sheet(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.page.add_init_script("navigator.share = async (what) => { window.shared = what; }")
    link = await ada.open_room(server.url)
    picture = ada.page.locator("#room").get_by_alt_text("QR code of the link")
    await expect(picture).to_be_visible()
    await expect(picture).to_have_js_property("complete", True)
    assert await picture.evaluate("picture => picture.naturalWidth") > 0
    await ada.page.get_by_role("button", name="Share …").click()
    assert (await ada.page.evaluate("window.shared.url")) == link.replace(server.url, PUBLIC)


async def test_a_name_is_edited_in_place_and_remembered(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)
    await ada.page.get_by_role("link", name="Noughts, home").click()
    name = ada.page.get_by_label("Your name")
    await name.fill("Ada L.")
    await name.press("Enter")
    await ada.page.go_back()
    await expect(bo.seat("X").locator("[data-part=name]")).to_have_text("Ada L.")
    await ada.page.go_forward()
    await ada.page.reload()
    await expect(name).to_have_value("Ada L.")
