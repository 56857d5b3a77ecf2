"""Something to climb: levels, results on this device, hints, and short clocks."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import ViewportSize, expect

from server.tictactoe import minimax
from tests.browser.people import DESKTOP, Invite, Visitor
from tests.support.dialling import dialled
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

SMALL_PHONE: ViewportSize = {"width": 360, "height": 640}
TABLET: ViewportSize = {"width": 820, "height": 1180}
# How the mark on the stairs comes to its step, while the end of the game is shown.
CLIMBS = """stand => {
    document.querySelector('#room').classList.add('ending');
    return getComputedStyle(stand).animationName;
}"""
ENDED = re.compile("won|A draw")
GAMES_AT_MOST = 20  # against random moves nearly every game is won


async def play_best(visitor: Visitor) -> str:
    """Play this classic game against the computer to its end, and return the result."""
    while True:
        await expect(visitor.headline).to_have_text(re.compile("Your turn|won|A draw"))
        title = await visitor.headline.text_content() or ""
        if ENDED.search(title):
            return title
        drawn = await visitor.board()
        marks = [mark if mark in "XO" else None for mark in drawn]
        row, column = minimax([marks[at : at + 3] for at in (0, 3, 6)]) or (0, 0)
        await visitor.play(3 * row + column)


async def beat(visitor: Visitor, server: Served, level: str) -> None:
    await visitor.play_ai(server.url, level, "X")
    for _ in range(GAMES_AT_MOST):
        if await play_best(visitor) == "You won":
            return
        await visitor.offer("rematch").click()
        await expect(visitor.part("result")).to_be_hidden()
    raise AssertionError("no win")


async def test_a_win_leads_one_step_up_and_is_kept_on_this_device(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada", reduced_motion="no-preference")
    await ada.visit(server.url, "home")
    await expect(ada.page.locator('#home [data-part="climb-next"]')).to_have_text(
        "Classic Three. Next: Gentle"
    )
    await beat(ada, server, "Gentle")
    step = ada.part("again")
    await expect(step).to_have_text("Step up to Easy")
    await expect(step).to_have_class(re.compile("main"))
    stairs = ada.page.get_by_role("img", name="Gentle climbed, Easy is next")
    for size in (DESKTOP, TABLET, SMALL_PHONE):
        await ada.page.set_viewport_size(size)
        await expect(stairs).to_be_in_viewport(ratio=1)
    assert await stairs.locator(".stand").evaluate(CLIMBS) == "climb"
    await expect(ada.offer("rematch")).to_have_text("Again")
    before = ada.page.url

    await step.click()

    await ada.page.wait_for_url(lambda url: url != before)
    await expect(ada.page.locator("#room [data-strip]", has_text="Easy computer")).to_be_visible()
    await ada.visit(server.url, "home")
    await expect(ada.page.locator('#home [data-part="level"]')).to_have_text("Easy")
    await expect(ada.page.locator('#home [data-part="climb-next"]')).to_have_text(
        "Classic Three. Next: Easy"
    )
    await expect(ada.page.locator('#home [data-part="computer-note"]')).to_contain_text(
        "Last game: beat Gentle"
    )
    sheet = await ada.open_sheet("Computer")
    rung = sheet.locator('[data-part="ladder"] label')
    await expect(rung.filter(has_text="Gentle")).to_contain_text("beaten")
    await expect(rung.filter(has_text="Easy")).to_contain_text("your next step")
    await ada.page.keyboard.press("Escape")
    await ada.page.get_by_role("link", name="Review").click()
    await expect(ada.part("review")).to_be_visible()

    bo = await invite("Bo")  # another device knows nothing of it
    await bo.visit(server.url, "home")
    await expect(bo.page.locator('#home [data-part="climb-next"]')).to_have_text(
        "Classic Three. Next: Gentle"
    )


async def test_a_loss_is_followed_by_the_same_level(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.play_ai(server.url, "Easy", "X")
    await ada.resign()
    await expect(ada.part("again")).to_have_text("Again")
    await expect(ada.part("again")).to_have_class(re.compile("main"))


async def test_a_first_hint_is_one_sentence_and_not_nine_times_the_same(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.play_ai(server.url, "Easy", "X")
    await ada.is_asked()
    await ada.page.get_by_role("button", name="Hint").click()
    await expect(ada.part("look-note")).to_have_text(
        "Every square is worth the same for X: a draw."
    )
    await expect(ada.page.locator("#room [data-value]")).to_have_count(0)


async def test_values_are_in_sight_on_a_small_phone(invite: Invite, server: Served) -> None:
    async with dialled(server.ws, name="Ada") as ada:
        room = await ada.create(seats={"X": "me", "O": "me"})
        for ply, cell in enumerate((0, 1)):
            await ada.accept("play", room=room, cell=cell, ply=ply)
        cy = await invite("Cy", viewport=SMALL_PHONE, has_touch=True)
        await cy.visit(f"{server.url}/r/{room}", "room")

        await cy.page.get_by_role("button", name="Show values").tap()

        for cell in range(2, 9):
            tile = cy.cell(cell).locator('[data-part="value"]')
            await expect(tile).to_have_text(re.compile("Wins|Draw|Loses"))
            await expect(tile).to_be_visible()
            await expect(tile).to_be_in_viewport(ratio=1)
        assert await cy.page.evaluate("scrollY") == 0
        note = await cy.part("look-note").bounding_box()
        strip = await cy.page.locator("#room .mine").bounding_box()
        assert note is not None
        assert strip is not None
        assert note["y"] >= strip["y"] + strip["height"], "the note lies over a name"


async def test_short_clocks_run_against_a_friend_and_the_computer(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.visit(server.url, "home")
    sheet = await ada.open_sheet("Computer")
    await sheet.get_by_role("radio", name=re.compile("^Easy")).check(force=True)
    clocks = sheet.locator('[data-part="clocks"] label')
    await expect(clocks).to_have_text(["None", "5 s", "10 s", "30 s", "3 min"])
    await sheet.get_by_role("radio", name="10 s").check(force=True)
    await sheet.get_by_role("radio", name="X", exact=True).check(force=True)
    await sheet.get_by_role("button", name="Play Easy").click()
    await ada.arrives("room")
    for mark in "XO":
        await expect(ada.seat(mark).locator('[data-part="clock"]')).to_be_visible()
    await ada.play(4)
    await ada.is_asked()
    await expect(ada.seat("X").locator("[data-running]")).to_be_visible()


async def test_a_flag_that_falls_ends_the_game(invite: Invite, server: Served) -> None:
    bo = await invite("Bo")
    async with dialled(server.ws, name="Ada") as ada:
        room = await ada.create(clock={"budget": 5_000, "increment": 0})
        await bo.visit(f"{server.url}/r/{room}", "room")
        await expect(bo.part("invite-rule")).to_contain_text("5 s each on the clock")
        await bo.offer("sit").click()
        await bo.is_told("Waiting for Ada…")
        await ada.accept("play", room=room, cell=4, ply=0)
        await bo.play(0)
        await bo.is_told("You won on time", "Ada ran out of time.")


async def test_a_newcomer_meets_gentle_on_the_board_in_the_pick_and_on_the_climb(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.visit(server.url, "home")
    await ada.prefer(level="easy")  # as every page used to store it
    home = ada.page.locator("#home")
    await expect(home.locator('[data-part="level"]')).to_have_text("Gentle")
    await expect(home.locator('[data-part="climb-next"]')).to_contain_text("Next: Gentle")
    sheet = await ada.open_sheet("Computer")
    await expect(sheet.get_by_role("radio", name="Gentle")).to_be_checked()
    await ada.page.keyboard.press("Escape")
    await home.locator('[data-cell="4"]').click()
    await expect(ada.page.locator("#room [data-strip]", has_text="Gentle")).to_be_visible()
