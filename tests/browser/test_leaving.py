"""Somebody leaves: both of them read so, and nobody is invited back or waited for."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.people import PUBLIC, X_WINS, Invite, Visitor, play_in_turn
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def friends_in_public(invite: Invite, server: Served) -> tuple[Visitor, Visitor]:
    ada, bo = await invite("Ada"), await invite("Bo")
    await bo.visit(await ada.open_room(server.url, public=True), "room")
    await bo.offer("sit").click()
    await ada.is_told("Your turn")
    return ada, bo


async def is_not_invited(bo: Visitor, link: str) -> None:
    await bo.arrives("home")
    await expect(bo.notice).to_have_text("You left the game.")
    room = link.rpartition("/")[2]
    await bo.page.wait_for_timeout(1000)  # the list of games changes four times a second
    await expect(
        bo.page.locator(f'#home a[data-room="{room}"][data-status="waiting"]')
    ).to_be_hidden()
    await bo.visit(link, "room")
    await expect(bo.part("title")).not_to_be_empty()
    await expect(bo.part("invite")).to_be_hidden()


async def test_whoever_leaves_after_the_end_goes_home_and_the_other_invites_again(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends_in_public(invite, server)
    link = ada.page.url
    await play_in_turn(ada, bo, X_WINS)
    await ada.offer("rematch").click()
    await expect(ada.part("again")).to_have_text("Asked Bo, waiting …")

    await bo.ask_menu("leave")

    await expect(ada.notice).to_have_text("Bo has left.")
    await expect(ada.seat("O")).to_contain_text("has left")
    await expect(ada.part("again")).to_have_text("Invite again")
    await expect(ada.part("acts").get_by_role("button", name="Somebody else")).to_be_visible()
    await is_not_invited(bo, link)
    await ada.offer("invite_again").click()
    await ada.is_told("Waiting for your friend")
    assert ada.page.url != link
    await expect(ada.part("share-link")).to_have_value(ada.page.url.replace(server.url, PUBLIC))


async def test_whoever_leaves_in_the_middle_goes_home_and_the_other_may_go_on(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends_in_public(invite, server)
    link = ada.page.url
    await play_in_turn(ada, bo, [4, 0])

    await bo.ask_menu("leave")

    await expect(ada.notice).to_have_text("Bo has left.")
    await expect(ada.part("left")).to_contain_text("Bo has left.")
    await expect(ada.part("left").get_by_role("button")).to_have_text(
        ["Invite again", "Somebody else", "Computer instead"]
    )
    await is_not_invited(bo, link)
    await ada.offer("seat_ai").click()
    await ada.is_told("Your turn")
