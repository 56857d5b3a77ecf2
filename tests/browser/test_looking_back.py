"""After a game: the result card, the review in place, playing on, and earlier games by address."""

from __future__ import annotations

import json
import re

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.browser.people import DRAW, X_WINS, Invite, Visitor, friends, play_in_turn
from tests.support.dialling import dialled, play_out, seated_pair
from tests.support.serving import Served

# Of X_WINS.
GRADES = ("fine", "blunder", "best", "fine", "best")

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def has_chips(visitor: Visitor, *grades: str, part: str = "result-moves") -> None:
    """Each move has a chip with its grade."""
    chips = visitor.part(part).get_by_role("button")
    await expect(chips).to_have_count(len(grades))
    for ply, grade in enumerate(grades):
        await expect(chips.nth(ply)).to_have_attribute("data-grade", grade)


async def rematch(ada: Visitor, bo: Visitor) -> None:
    for visitor in (ada, bo):
        await visitor.offer("rematch").click()


async def test_the_card_tells_friends_who_won_where_it_was_decided_and_how_good_each_move_was(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, X_WINS)

    for visitor, word, verdict in (
        (
            ada,
            "You won",
            "Three best moves of three. O went wrong at move 2: only the centre held.",
        ),
        (bo, "Ada won", "You had the draw at move 2: the centre holds."),
    ):
        await expect(visitor.part("result-word")).to_have_text(word)
        await expect(visitor.part("verdict")).to_have_text(verdict)
        await expect(visitor.part("result-facts")).to_contain_text("Game 1 · 5 moves")
        await has_chips(visitor, *GRADES)
    await expect(ada.part("result-word")).to_have_attribute("data-side", "X")
    chip = bo.page.get_by_role("button", name="Move 2: O on row 2, column 1, lost it")
    await expect(chip).to_have_text("??")


async def test_the_card_of_a_draw(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, DRAW)

    for visitor in (ada, bo):
        await expect(visitor.part("result-word")).to_have_text("A draw")
        await expect(visitor.part("result-word")).not_to_have_attribute(
            "data-side", re.compile(".")
        )
        await expect(visitor.part("verdict")).to_contain_text("The board is full.")
        await expect(visitor.part("result-moves").get_by_role("button")).to_have_count(9)
        await expect(visitor.page.locator("#room .hatch")).to_have_count(0)


async def test_the_card_after_a_game_against_the_computer(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.play_ai(server.url, "Gentle", "X")
    await ada.play(0)
    await ada.is_asked()
    await ada.ask_menu("resign")

    await expect(ada.part("result-word")).to_have_text("Gentle computer won")
    await expect(ada.part("verdict")).to_contain_text("You resigned.")
    await expect(ada.part("again")).to_have_text("Again")
    for act in ("Other level", "Again as X", "Share", "Review"):
        await expect(ada.part("acts").get_by_role("button", name=act)).to_be_visible()
    chips = ada.part("result-moves").get_by_role("button")
    await expect(chips).to_have_count(2)
    await expect(chips.last).to_have_attribute("data-grade", re.compile("best|fine|slip|blunder"))


async def test_the_chips_are_those_of_this_room(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.share_screen(server.url, "Ada", "Mia")
    chips = ada.part("result-moves").get_by_role("button")

    async def play(moves: list[int]) -> str:
        for cell in moves:
            await ada.play(cell)
        await expect(chips).to_have_count(5)
        return await chips.first.locator("svg").inner_html()

    first = await play(X_WINS)
    before = ada.page.url
    await ada.page.get_by_role("button", name="Somebody else").click()
    await ada.page.get_by_role("button", name="Start").click()
    await ada.page.wait_for_url(lambda url: url != before)
    await ada.sees("... ... ...")

    assert await play([8, 5, 7, 4, 6]) != first


async def test_a_tap_on_a_chip_opens_the_review_before_that_move(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, X_WINS)

    await bo.page.get_by_role("button", name="Move 4:").click()

    await bo.sees("XX. O.. ...")
    await expect(bo.part("title")).to_have_text("Game 1 · move 4 of 5")
    await expect(bo.cell(4)).to_have_attribute("data-next", "")
    await expect(bo.part("result")).to_be_hidden()
    await expect(bo.part("review-moves").locator("[aria-current]")).to_have_attribute(
        "data-ply", "3"
    )


async def test_review_opens_before_the_mistake_that_decided_and_steps_by_buttons_and_arrows(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, X_WINS)
    await has_chips(bo, *GRADES)

    await bo.page.get_by_role("button", name="Review").click()

    await bo.sees("X.. ... ...")
    await expect(bo.part("review-title")).to_have_text("Here it went")
    await expect(bo.part("review-note")).to_have_text(
        "Only the centre held the draw. You played the left edge."
    )
    await expect(bo.part("graph")).to_have_attribute("aria-label", "Turned at move 2")
    for mark, line in (("X", "3 of 3 best moves"), ("O", "1 of 2 best moves")):
        await expect(bo.seat(mark).locator('[data-part="sub"]')).to_have_text(line)
    await bo.page.get_by_role("button", name="One move forward").click()
    await bo.sees("X.. O.. ...")
    for key, board in (
        ("ArrowLeft", "X.. ... ..."),
        ("ArrowLeft", "... ... ..."),
        ("ArrowLeft", "... ... ..."),
        ("ArrowRight", "X.. ... ..."),
    ):
        await bo.page.keyboard.press(key)
        await bo.sees(board)
    back = bo.page.get_by_role("button", name="One move back")
    await back.click()
    await bo.sees("... ... ...")
    await expect(back).to_have_attribute("aria-disabled", "true")
    await bo.page.get_by_role("button", name="Done").click()

    await bo.sees("XXX OO. ...")
    await expect(bo.part("result-word")).to_have_text("Ada won")
    await has_chips(bo, *GRADES)


async def test_every_free_square_shows_what_it_was_worth(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, X_WINS)

    await bo.page.get_by_role("button", name="Move 2:").click()

    await expect(bo.page.locator("#room [data-value]")).to_have_count(8)
    tile = bo.cell(4).locator('[data-part="value"]')
    await expect(tile).to_have_text("Draw")
    await expect(tile).to_have_css("border-style", "none")
    await expect(bo.cell(3)).to_have_attribute("data-value", "loss")
    await expect(bo.cell(3).locator('[data-part="value"]')).to_contain_text("Loses")
    await bo.page.get_by_role("button", name="Hide values").click()
    await expect(bo.page.locator("#room [data-value]")).to_have_count(0)


async def test_what_is_not_proven_is_a_dashed_estimate(invite: Invite, server: Served) -> None:
    """The answer to `analyse` is made here."""
    tiles = [{"value": "unknown", "in": None, "estimate": 30}, {"value": "loss", "in": 4}]

    def route(page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()

        def answer(text: str | bytes) -> None:
            asked = json.loads(text)
            if asked["type"] == "analyse":
                about = {"re": asked["id"], "room": asked["room"], "ply": asked["ply"], "turn": "X"}
                frame = {"type": "analysis", **about, "cells": [*tiles, *[None] * 40]}
                page_side.send(json.dumps(frame))
            else:
                server_side.send(text)

        page_side.on_message(answer)

    async with dialled(server.ws, name="Ada") as ada, dialled(server.ws, name="Bo") as bo:
        room = await seated_pair(ada, bo, variant="drop")
        await play_out(room, (ada, bo), [38, 31, 37, 30, 36, 29, 35])
        cy = await invite("Cy")
        await cy.page.route_web_socket("**/ws", route)
        await cy.visit(f"{server.url}/r/{room}", "room")
        await cy.page.get_by_role("button", name="Move 1:").click()

        unsure, sure = (cy.cell(cell).locator('[data-part="value"]') for cell in (0, 1))
        await expect(unsure).to_have_text("+30")
        await expect(unsure).to_have_css("border-style", "dashed")
        await expect(sure).to_have_text("Loses in 2 moves")
        await expect(sure).to_have_css("border-style", "none")
        await expect(cy.part("review-note")).to_contain_text("the numbers are estimates")


async def test_play_on_from_here_opens_a_game_with_that_position(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, X_WINS)
    await has_chips(bo, *GRADES)
    before = bo.page.url
    await bo.page.get_by_role("button", name="Review").click()
    await bo.sees("X.. ... ...")

    await bo.page.get_by_role("button", name="Play on from here").click()

    await bo.page.wait_for_url(lambda url: url != before)
    await bo.is_told("Your turn", "You are O")
    await bo.sees("X.. ... ...")
    await expect(bo.seat("X")).to_have_attribute("data-kind", "ai")
    await bo.play(4)
    await bo.is_asked()
    assert (await bo.board()).count("X") == 2


async def test_an_earlier_game_stays_at_its_address_after_a_rematch_and_for_a_stranger(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, X_WINS)
    await ada.is_told("You won")
    await rematch(ada, bo)
    await bo.play(8)
    await ada.sees("... ... ..X")
    room = ada.page.url
    cy = await invite("Cy")

    for visitor, result in ((cy, "Ada won"), (ada, "You won")):
        await visitor.visit(f"{room}/1", "room")
        await visitor.sees("XXX OO. ...")
        await expect(visitor.part("review-title")).to_have_text(result)
        await expect(visitor.part("title")).to_have_text("Game 1 · the end")
        for mark, name in (("X", "Ada"), ("O", "Bo")):
            await expect(visitor.seat(mark).locator('[data-part="name"]')).to_have_text(name)
        await has_chips(visitor, *GRADES, part="review-moves")
        await visitor.page.get_by_role("button", name="Go to the new game").click()
        await visitor.sees("... ... ..X")
        await expect(visitor.part("review")).to_be_hidden()
        assert visitor.page.url == room
    await cy.page.goto(f"{room}/9")
    await expect(cy.notice).to_have_text("This room has had no such game.")
    await cy.sees("... ... ..X")
    cy.complaints.clear()  # the browser's own, about a page with 404


async def test_the_address_of_the_last_game_opens_its_review_again_and_again(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, X_WINS)
    await ada.is_told("You won")
    await has_chips(ada, *GRADES)
    room = ada.page.url
    cy = await invite("Cy")

    for visitor in (ada, cy):
        await visitor.visit(f"{room}/1", "room")
        for _ in range(2):
            await visitor.sees("XXX OO. ...")
            await has_chips(visitor, *GRADES, part="review-moves")
            await visitor.page.get_by_role("button", name="Done").click()
            await has_chips(visitor, *GRADES)
            await visitor.page.get_by_role("link", name="Noughts, home").click()
            await visitor.arrives("home")
            await visitor.page.go_back()
            await has_chips(visitor, *GRADES)
            await visitor.page.go_back()


async def test_the_grades_of_a_game_are_there_again_after_a_look_at_another(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, X_WINS)
    await ada.is_told("You won")
    await rematch(ada, bo)
    await play_in_turn(bo, ada, X_WINS)
    await has_chips(ada, *GRADES)
    await ada.page.get_by_role("button", name="Review").click()
    await ada.page.get_by_role("link", name="Game 1", exact=True).click()
    await expect(ada.part("title")).to_have_text("Game 1 · the end")
    await has_chips(ada, *GRADES, part="review-moves")

    await ada.part("live").click()

    await expect(ada.part("result-word")).to_have_text("Bo won")
    await has_chips(ada, *GRADES)
