"""Whole games in a real browser: two people, the AI, and spectators."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser.people import DRAW, PHONE, X_WINS, Invite, friends, play_in_turn
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

IT_IS_OVER = re.compile("computer won|A draw")
IT_IS_UP_TO_ADA = re.compile("Your turn|computer won|A draw|You won")


async def test_two_people_play_a_game_and_a_rematch_before_a_spectator(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    cy = await invite("Cy")
    await cy.visit(ada.page.url, "room")
    await cy.is_told("Ada to move", "You are watching")

    await play_in_turn(ada, bo, X_WINS)
    for visitor in (ada, bo, cy):
        await visitor.sees("XXX OO. ...")
        await expect(visitor.page.locator("#room [data-line]")).to_have_attribute(
            "data-line", "0,1,2"
        )
    await ada.is_told("You won", "Three in a row for X")
    await bo.is_told("Ada won")
    await cy.is_told("Ada won")
    await expect(ada.tally("X")).to_have_attribute("aria-label", "1 won")

    await ada.offer("rematch").click()
    await expect(ada.part("again")).to_have_text("Asked Bo, waiting …")
    await ada.is_told("You won", "Asked Bo, waiting …")
    await bo.is_told("Ada won", "Ada wants another game.")
    await bo.offer("rematch").click()
    await bo.is_told("Your turn", "You are X")
    await play_in_turn(bo, ada, DRAW)

    for visitor in (ada, bo, cy):
        await visitor.sees("XOX XOO OXX")
        await visitor.is_told("A draw", "The board is full")
        await expect(visitor.tally("O")).to_have_attribute("aria-label", "1 won")


async def test_a_late_spectator_sees_the_whole_board_and_no_dead_buttons(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, [4, 0, 8])

    cy = await invite("Cy")
    await cy.visit(ada.page.url, "room")

    await cy.sees("O.. .X. ..X")
    await cy.is_told("Bo to move", "You are watching")
    await expect(cy.page.locator("#room [data-cell]:enabled")).to_have_count(0)
    await expect(cy.page.locator("#room [data-offer]:visible")).to_have_count(0)
    await expect(ada.part("crowd")).to_have_text("1 person is watching")
    await bo.play(2)
    await cy.sees("O.O .X. ..X")


@pytest.mark.parametrize("side", ["X", "O"])
async def test_the_ai_plays_from_either_side(invite: Invite, server: Served, side: str) -> None:
    ada = await invite("Ada")
    await ada.play_ai(server.url, "Perfect", side)

    for _ in range(5):
        await expect(ada.headline).to_have_text(IT_IS_UP_TO_ADA)
        board = await ada.board()
        if await ada.headline.text_content() != "Your turn":
            break
        await ada.play(board.index("."))

    assert await ada.headline.text_content() in ("Perfect computer won", "A draw")
    await expect(ada.part("result-facts")).to_contain_text("Game 1")
    await ada.offer("rematch").click()
    await expect(ada.part("result")).to_be_hidden()
    await expect(ada.detail).to_have_text("You are O." if side == "X" else "You are X.")


async def test_the_ai_sits_down_in_the_middle_of_a_game_and_leaves_again(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await ada.prefer(level="perfect")
    await play_in_turn(ada, bo, [4, 0])
    await bo.ask_menu("leave")
    await ada.is_told("Bo has left")

    await ada.offer("seat_ai").click()
    await ada.is_told("Your turn")
    await ada.play(8)
    await ada.is_told("Your turn")
    board = await ada.board()
    assert board in ("O.O.X...X", "O...X.O.X")  # any other reply loses to a fork

    await ada.ask_menu("dismiss")
    await ada.is_told("Waiting for a player")
    await bo.visit(ada.page.url, "room")
    await bo.page.get_by_role("button", name="Play as O").click()
    await ada.play(1)
    await bo.play(7)
    await ada.sees("OX" + board[2:7] + "OX")


async def test_two_ais_play_a_game_and_another_one(invite: Invite, server: Served) -> None:
    cy = await invite("Cy")
    await cy.visit(server.url, "home")
    await cy.watch_two_computers()

    await expect(cy.headline).to_have_text(IT_IS_OVER)
    await expect(cy.part("result-facts")).to_contain_text("Game 1")
    await cy.offer("again").click()

    await expect(cy.part("result-facts")).to_contain_text("Game 2")
    await expect(cy.headline).to_have_text(IT_IS_OVER)


async def test_a_game_on_a_phone_fits_the_screen(invite: Invite, server: Served) -> None:
    ada = await invite("Ada", viewport=PHONE, has_touch=True)
    bo = await invite("Bo", viewport=PHONE, has_touch=True)
    link = await ada.open_room(server.url)
    await bo.visit(link, "room")
    await bo.offer("sit").tap()

    for ply, cell in enumerate(X_WINS):
        mover = (ada, bo)[ply % 2]
        await mover.is_asked()
        await mover.cell(cell).tap()
    await bo.is_told("Ada won")

    for visitor in (ada, bo):
        wide = await visitor.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= PHONE["width"]
        for cell in range(9):
            box = await visitor.cell(cell).bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 44


async def test_a_whole_game_by_keyboard_alone(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.visit(server.url, "home")
    await ada.page.get_by_role("button", name="Play a friend").focus()
    await ada.page.keyboard.press("Enter")
    sheet = ada.page.get_by_role("dialog", name="New game")
    await sheet.get_by_role("radio", name="Friend").focus()
    for key in ("ArrowRight", "ArrowRight"):
        await ada.page.keyboard.press(key)
    await sheet.get_by_role("button", name="Start").focus()
    await ada.page.keyboard.press("Enter")
    await ada.arrives("room")
    await ada.is_told("X to move")

    await ada.cell(0).focus()
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        await ada.page.keyboard.press(key)
    await ada.sees("... .X. ...")
    await ada.page.keyboard.press("1")
    await ada.sees("O.. .X. ...")
    for key in ("ArrowRight", "Space"):
        await ada.page.keyboard.press(key)
    await ada.sees("O.. .XX ...")
    await ada.page.keyboard.press("9")
    await ada.sees("O.. .XX ..O")
    await ada.page.keyboard.press("4")
    await ada.is_told("X won", "Three in a row for X")

    await expect(ada.part("again")).to_be_focused()  # when the end has been seen
    await ada.page.keyboard.press("Enter")
    await ada.sees("... ... ...")


async def test_every_move_is_announced_to_a_screen_reader_once(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await ada.play(4)

    announcer = bo.page.locator("#announcer")
    await expect(announcer).to_contain_text("X on row 2, column 2.")
    await expect(announcer).to_contain_text("Your turn.")
    text = await announcer.text_content()
    assert text is not None
    assert text.count("X on row 2, column 2.") == 1
    await expect(bo.cell(4)).to_have_attribute("aria-label", "Row 2, column 2, X")
