"""Every variant in a real browser: chosen, played, watched, premoved, and reviewed."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.browser.people import DESKTOP, GAMES, WON, Invite, friends, play_in_turn
from tests.support.dialling import dialled, seated_pair
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

SMALL_PHONE = {"width": 360, "height": 640}


@pytest.mark.parametrize("variant", [name for name in GAMES if name != "reverse"])
async def test_two_people_play_it_to_the_end_before_a_spectator(
    invite: Invite, server: Served, variant: str
) -> None:
    moves, line, detail = WON[variant]
    ada, bo = await friends(invite, server, GAMES[variant])
    cy = await invite("Cy")
    await cy.visit(ada.page.url, "room")

    await play_in_turn(ada, bo, moves)

    for visitor, title in ((ada, "You won"), (bo, "Ada won"), (cy, "Ada won")):
        await visitor.is_told(title, detail)
        await expect(visitor.page.locator(f'#room [data-line="{line}"] .hatch')).to_be_visible()
        await expect(visitor.part("title")).to_have_text(GAMES[variant])
        await expect(visitor.page.locator("#room [data-playable]")).to_have_count(0)
    assert await ada.board() == await bo.board() == await cy.board()


async def test_in_reverse_the_side_that_completes_a_line_loses(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server, "Three Loses")
    await expect(ada.part("title")).to_have_text("Three Loses")
    line = ada.seat("X").locator('[data-part="sub"]')
    await expect(line).to_have_text("Your turn · avoid three")

    await play_in_turn(ada, bo, [0, 3, 1, 4, 2])

    await ada.is_told("Bo won", "Three in a row for X, and that loses here.")
    await bo.is_told("You won")
    struck = bo.page.locator('#room [data-line="0,1,2"]')
    await expect(struck).to_have_attribute("data-side", "X")  # the row is the loser's


async def test_a_fading_mark_is_shown_and_is_gone_after_the_move(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server, "Vanishing Three")
    await play_in_turn(ada, bo, [1, 8, 7, 3, 0, 2])
    for visitor in (ada, bo):
        await expect(visitor.cell(1)).to_have_attribute("data-fading", "")
        await expect(visitor.cell(1)).to_have_attribute(
            "aria-label", "Row 1, column 2, X, vanishes next"
        )
    await expect(ada.cell(1)).to_have_attribute("aria-disabled", "true")
    line = ada.seat("X").locator('[data-part="sub"]')
    await expect(line).to_have_text("Your turn · the faint X goes next")

    await ada.play(4)

    await bo.sees("X.O OX. .XO")
    await expect(bo.cell(8)).to_have_attribute("data-fading", "")
    await expect(bo.page.locator("#announcer")).to_contain_text("Row 1, column 2 is empty again.")


async def test_a_premove_may_aim_at_the_mark_that_the_opponent_is_about_to_lose(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server, "Vanishing Three")
    await play_in_turn(ada, bo, [1, 8, 7, 3, 0, 2])

    await bo.cell(1).click()
    await expect(bo.cell(1)).to_have_attribute("data-aimed", "")
    await ada.play(4)

    await ada.sees("XOO OX. .X.")


async def test_a_look_back_shows_the_marks_that_have_vanished(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server, "Vanishing Three")
    await play_in_turn(ada, bo, WON["vanishing"][0])
    await ada.is_told("You won")

    await ada.page.get_by_role("button", name="Move 7:").click()
    await ada.sees("XXO O.. .XO")
    await expect(ada.cell(1)).to_have_attribute("data-fading", "")
    await ada.page.get_by_role("button", name="One move forward").click()

    await ada.sees("X.O OX. .XO")


async def test_a_tap_anywhere_in_a_column_lets_the_mark_fall(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server, "Drop Four", reduced_motion="no-preference")
    await expect(ada.cell(38)).to_have_attribute("aria-label", "Row 6, column 4, empty, playable")
    await expect(ada.cell(31)).to_have_attribute("aria-label", "Row 5, column 4, empty")

    await ada.is_asked()
    await ada.cell(3).click()
    await bo.is_told("Your turn")
    await expect(bo.cell(38)).to_have_attribute("data-mark", "X")
    await expect(bo.cell(38).locator(".mark")).to_have_css("animation-name", "fall")
    await bo.is_asked()
    await bo.cell(38).click()  # where a mark is already
    await expect(ada.cell(31)).to_have_attribute("data-mark", "O")
    await ada.is_asked()
    await ada.page.keyboard.press("4")

    await expect(bo.cell(24)).to_have_attribute("data-mark", "X")
    assert (await bo.board()).count(".") == 39


async def test_a_mark_does_not_fall_where_motion_is_reduced(invite: Invite, server: Served) -> None:
    ada, _ = await friends(invite, server, "Drop Four", reduced_motion="reduce")
    await ada.play(38)
    await expect(ada.cell(38).locator(".mark")).to_have_css("animation-name", "none")


async def test_a_premove_on_a_column_falls_on_top_of_the_opponents_mark(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server, "Drop Four")
    await bo.cell(3).click()
    await expect(bo.cell(38)).to_have_attribute("data-aimed", "")

    await ada.play(38)

    await expect(ada.cell(31)).to_have_attribute("data-mark", "O")
    await ada.is_told("Your turn")


async def test_nested_boards_show_where_to_play_and_who_owns_them(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server, "Ultimate Nine")
    await ada.is_told("Your turn", "Play on any open board.")
    await expect(ada.page.locator("[data-small][data-playable]")).to_have_count(9)

    await ada.play(40)
    await bo.is_told("Your turn", "Play on the middle board.")
    for visitor in (ada, bo):
        open_boards = visitor.page.locator("[data-small][data-playable]")
        await expect(open_boards).to_have_count(1)
        await expect(open_boards).to_have_attribute("aria-label", "Board 5, playable")
    await expect(bo.cell(41)).to_have_attribute(
        "aria-label", "Row 2, column 3 of board 5, empty, playable"
    )
    await expect(bo.cell(0)).to_have_attribute("aria-disabled", "true")
    await play_in_turn(bo, ada, [30, 10, 31, 13, 32])  # X always sends O back to board 5

    for visitor in (ada, bo):
        taken = visitor.page.get_by_role("grid", name="Board 5, won by O")
        await expect(taken).to_have_attribute("data-owner", "O")
        await expect(visitor.page.locator('#room .big[data-side="O"]')).to_have_count(1)
    await expect(ada.page.locator("#announcer")).to_contain_text("Board 5, won by O.")
    await ada.page.reload()
    await expect(ada.page.get_by_role("grid", name="Board 5, won by O")).to_be_visible()


async def test_a_look_back_shows_a_small_board_before_it_was_won(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server, "Ultimate Nine")
    await play_in_turn(ada, bo, WON["ultimate"][0])
    await ada.is_told("You won")
    await expect(ada.page.locator("[data-small][data-owner]")).to_have_count(4)

    await ada.page.get_by_role("button", name="Move 19:").click()

    await expect(ada.part("review-moves").locator("[aria-current]")).to_be_in_viewport()
    await expect(ada.page.locator("[data-small][data-owner]")).to_have_count(3)
    await expect(ada.page.locator("#room .hatch")).to_have_count(0)
    await ada.page.get_by_role("button", name="Move 1:").click()
    await expect(ada.page.locator("[data-small][data-owner]")).to_have_count(0)
    await expect(ada.page.locator("#room [data-cell][data-mark]")).to_have_count(0)


async def test_a_premove_on_the_wrong_small_board_is_dropped(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server, "Ultimate Nine")
    await bo.cell(80).click()
    await expect(bo.cell(80)).to_have_attribute("data-aimed", "")

    await ada.play(40)

    await bo.is_told("Your turn", "Play on the middle board.")
    await expect(bo.page.locator("#room [data-aimed]")).to_have_count(0)
    assert (await bo.board()).count(".") == 80


async def test_nested_boards_are_played_by_keyboard(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server, "Ultimate Nine")
    await ada.cell(0).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        await ada.page.keyboard.press(key)
    await expect(bo.cell(12)).to_have_attribute("data-mark", "X")

    await bo.is_told("Your turn", "Play on the left board.")
    await bo.page.keyboard.press("9")

    await expect(ada.cell(47)).to_have_attribute("data-mark", "O")
    await ada.is_told("Your turn", "Play on the bottom right board.")


@pytest.mark.parametrize("variant", ["5x5", "drop", "ultimate"])
async def test_cells_are_large_enough_for_a_thumb_on_a_small_phone(
    invite: Invite, server: Served, variant: str
) -> None:
    ada = await invite("Ada", viewport=SMALL_PHONE, has_touch=True)
    await ada.share_screen(server.url, "Ada", "Bo", GAMES[variant])

    sizes = await ada.page.locator("#room [data-cell]").evaluate_all(
        "cells => cells.map(c => c.getBoundingClientRect()).map(b => Math.min(b.width, b.height))"
    )

    assert min(sizes) >= 36
    assert await ada.page.evaluate("document.documentElement.scrollWidth") <= 360


async def test_the_game_is_chosen_once_and_remembered(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.visit(server.url, "home")
    picker = ada.page.locator('#home [data-part="picker"]')
    await expect(picker.locator('[data-part="word"]')).to_have_text(list(GAMES.values()))
    await ada.choose("Drop Four")
    await expect(ada.page.locator('#home [data-part="rule"]')).to_contain_text("Marks fall")

    await ada.page.reload()

    await expect(picker.get_by_role("radio", name="Drop Four")).to_be_checked()
    await expect(ada.page.locator("#home [data-cell]")).to_have_count(42)
    await (await ada.open_sheet("This screen")).get_by_role("button", name="Start").click()
    await ada.arrives("room")
    await expect(ada.page.locator("#room [data-cell]")).to_have_count(42)


async def test_the_levels_are_those_of_the_chosen_game(invite: Invite, server: Served) -> None:
    """The server's answer is changed on its way, so that two games have different levels."""
    levels = {"drop": ["gentle", "medium", "best"], "3x3": ["easy", "medium", "perfect"]}

    def route(page_side: WebSocketRoute) -> None:
        def change(text: str | bytes) -> None:
            frame = json.loads(text)
            for variant in frame.get("variants", []):
                variant["levels"] = levels.get(variant["name"], variant["levels"])
            page_side.send(json.dumps(frame))

        page_side.connect_to_server().on_message(change)

    ada = await invite("Ada")
    await ada.page.route_web_socket("**/ws", route)
    await ada.visit(server.url, "home")
    await ada.choose("Classic Three")
    sheet = await ada.open_sheet("Computer")
    rungs = sheet.locator('[data-part="ladder"] [data-part="word"]')
    await expect(rungs).to_have_text(["Perfect", "Medium", "Easy"])
    await sheet.get_by_role("radio", name="Perfect").check(force=True)

    await sheet.get_by_role("radio", name="Drop Four").check(force=True)

    await expect(rungs).to_have_text(["Best", "Medium", "Gentle"])
    await expect(sheet.get_by_role("radio", name="Best")).to_be_checked()
    await expect(sheet.get_by_role("button", name="Play Best")).to_be_visible()


async def test_the_list_draws_boards_of_any_shape(invite: Invite, server: Served) -> None:
    async with dialled(server.ws, name="X") as x, dialled(server.ws, name="O") as o:
        rooms = {name: await seated_pair(x, o, variant=name) for name in ("drop", "ultimate")}
        for room in rooms.values():
            await x.accept("play", room=room, cell=40, ply=0)
        cy = await invite("Cy", viewport={**DESKTOP, "height": 2000})
        await cy.visit(server.url, "home")
        for name, (columns, rows) in {"drop": (7, 6), "ultimate": (9, 9)}.items():
            card = cy.page.locator(f'#live [data-room="{rooms[name]}"]')
            await expect(card.locator('[data-part="game-status"]')).to_have_text(GAMES[name])
            mini = card.locator(".mini")
            await expect(mini).to_have_attribute("viewBox", f"0 0 {columns * 100} {rows * 100}")
            at = f"translate({40 % columns * 100} {40 // columns * 100})"
            await expect(mini.locator('[data-mark="X"]')).to_have_attribute("transform", at)


async def test_an_estimate_never_looks_like_a_result(invite: Invite, server: Served) -> None:
    """The answer to `analyse` is made here."""
    cells = [{"value": "unknown", "in": None, "estimate": 40 - 10 * column} for column in range(7)]
    cells[6] = {"value": "win", "in": None}

    def route(page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()

        def answer(text: str | bytes) -> None:
            asked = json.loads(text)
            if asked["type"] == "analyse":
                about = {"re": asked["id"], "room": asked["room"], "ply": asked["ply"], "turn": "X"}
                frame = {"type": "analysis", **about, "cells": [None] * 35 + cells}
                page_side.send(json.dumps(frame))
            else:
                server_side.send(text)

        page_side.on_message(answer)

    ada = await invite("Ada")
    await ada.page.route_web_socket("**/ws", route)
    await ada.share_screen(server.url, "Ada", "Bo", "Drop Four")

    await ada.page.get_by_role("button", name="Hint").click()

    await expect(ada.cell(35)).to_have_attribute("data-value", "unknown")
    await expect(ada.cell(35).locator('[data-part="value"]')).to_have_text("+40")
    await expect(ada.cell(40).locator('[data-part="value"]')).to_have_text("−10")
    await expect(ada.cell(40)).to_have_attribute(
        "aria-label", "Row 6, column 6, empty, playable, estimated at -10 of 100"
    )
    await expect(ada.cell(41).locator('[data-part="value"]')).to_have_text("Wins")
    await expect(ada.cell(40).locator('[data-part="value"]')).to_have_css("border-style", "dashed")
    await expect(ada.cell(41).locator('[data-part="value"]')).to_have_css("border-style", "none")
    await expect(ada.part("look-note")).to_contain_text("A number is an estimate")


@pytest.mark.parametrize("side", ["X", "O"])
@pytest.mark.parametrize("variant", GAMES)
async def test_the_ai_plays_it_from_either_side(
    invite: Invite, server: Served, variant: str, side: str
) -> None:
    ada = await invite("Ada")
    await ada.play_ai(server.url, "Gentle", side, GAMES[variant])

    for marks in (0, 2) if side == "X" else (1, 3):
        await expect(ada.page.locator("#room [data-cell][data-mark]")).to_have_count(marks)
        await ada.is_asked()
        free = ada.page.locator("#room [data-cell]:not([aria-disabled]):not([data-mark])")
        await free.last.click()


@pytest.mark.parametrize("variant", GAMES)
async def test_the_ai_takes_a_place_that_is_free_in_mid_game(
    invite: Invite, server: Served, variant: str
) -> None:
    moves, *_ = WON[variant]
    ada, bo = await friends(invite, server, GAMES[variant])
    await play_in_turn(ada, bo, moves[:3])
    await bo.ask_menu("leave")
    await ada.is_told("Bo has left")

    await ada.offer("seat_ai").click()

    await ada.is_told("Your turn")
    await expect(ada.page.locator("#room [data-cell][data-mark]")).to_have_count(4)
    await expect(ada.seat("O")).to_have_attribute("data-kind", "ai")


async def test_quick_play_pairs_people_within_a_game(invite: Invite, server: Served) -> None:
    ada, bo = await invite("Ada"), await invite("Bo")
    for visitor in (ada, bo):
        await visitor.visit(server.url, "home")
        await visitor.choose("Drop Four")
        await visitor.page.locator('#home [data-cell="3"]').click()
        await visitor.arrives("room")
    for visitor, other in ((ada, "Bo"), (bo, "Ada")):
        await visitor.ask_menu("resign")
        await expect(visitor.offer("meet")).to_have_text(f"Play {other}")
        before = visitor.page.url
        await visitor.offer("meet").click()

    await bo.page.wait_for_url(lambda url: url != before)
    await ada.page.wait_for_url(bo.page.url)
    for visitor in (ada, bo):
        await expect(visitor.part("partner")).to_be_hidden()
        names = visitor.page.locator('#room [data-strip] [data-part="name"]')
        await expect(names.filter(has_text="Ada")).to_have_count(1)
        await expect(names.filter(has_text="Bo")).to_have_count(1)
        await expect(visitor.page.locator("#room [data-cell]")).to_have_count(42)


async def test_two_people_at_one_screen_have_two_names(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.share_screen(server.url, "Ada", "Mia")
    await ada.is_told("Ada to move")
    await expect(ada.seat("O").locator('[data-part="name"]')).to_have_text("Mia")
    await ada.play(4)
    await ada.is_told("Mia to move")

    await ada.page.locator("#room").get_by_role("button", name="Menu").click()
    await ada.page.get_by_role("button", name="Stop playing O …").click()
    await ada.offer("confirm").click()
    await ada.is_told("Waiting for a player")
    await ada.offer("sit_too").click()

    await ada.is_told("Mia to move")
    await ada.page.get_by_role("link", name="Noughts, home").click()
    await ada.page.get_by_label("Your name").fill("Zoe")
    await ada.page.get_by_label("Your name").press("Enter")
    await ada.page.get_by_role("link", name="Resume").click()
    await expect(ada.seat("X").locator('[data-part="name"]')).to_have_text("Zoe")
    await expect(ada.seat("O").locator('[data-part="name"]')).to_have_text("Mia")
