"""Hasty clicks, newcomers, lost connections and small screens: problems that testers found."""

from __future__ import annotations

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.browser.people import PHONE, X_WINS, Invite, Visitor, friends, play_in_turn
from tests.support.dialling import dialled
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def click_hastily(visitor: Visitor, what: str, times: int) -> None:
    """Click twice where that offer is now, even if something else is there by the second click."""
    button = visitor.offer(what)
    await button.click(trial=True)  # wait until it can be clicked, as a person would
    box = await button.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await visitor.page.mouse.click(x, y, click_count=times, delay=20)


async def open_menu(visitor: Visitor) -> None:
    await visitor.page.locator("#room").get_by_role("button", name="Menu").click()


async def test_a_double_click_on_resign_only_asks(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)
    await open_menu(ada)

    await click_hastily(ada, "resign", 2)

    await expect(ada.offer("confirm")).to_have_text("Resign")
    await ada.is_told("Your turn")
    await ada.offer("cancel").click()
    await expect(ada.offer("resign")).to_be_visible()
    await ada.page.keyboard.press("Escape")
    await ada.play(4)
    await bo.is_told("Your turn")


async def test_two_taps_open_the_sheet_and_enter_starts_the_game(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.visit(server.url, "home")
    await ada.page.get_by_role("button", name="Play a friend").dblclick(delay=20)
    sheet = ada.page.get_by_role("dialog", name="New game")
    await expect(sheet).to_be_visible()
    await sheet.get_by_role("button", name="Close").click()
    await expect(sheet).to_be_hidden()
    await ada.page.get_by_role("button", name="Play a friend").click()
    await expect(sheet.get_by_role("button", name="Get the link")).to_be_focused()

    await sheet.get_by_role("radio", name="This screen").check(force=True)
    await sheet.get_by_label("Name of O").fill("Mia")
    await ada.page.keyboard.press("Enter")

    await ada.arrives("room")
    await ada.is_told("Ada to move")


async def test_the_dangerous_answer_is_not_under_the_pointer(
    invite: Invite, server: Served
) -> None:
    ada, _ = await friends(invite, server)
    await open_menu(ada)

    for what in ("resign", "leave"):
        await ada.offer(what).click(trial=True)
        box = await ada.offer(what).bounding_box()
        await ada.offer(what).click()
        danger = await ada.offer("confirm").bounding_box()
        assert box is not None
        assert danger is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        assert not (
            danger["x"] <= x <= danger["x"] + danger["width"]
            and danger["y"] <= y <= danger["y"] + danger["height"]
        )
        await ada.offer("cancel").click()


async def test_leaving_a_running_game_asks_once(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)

    await open_menu(bo)
    await click_hastily(bo, "leave", 2)
    await expect(bo.offer("confirm")).to_have_text("Leave")
    await bo.offer("cancel").click()
    await ada.is_told("Your turn")
    await bo.offer("leave").click()
    await bo.offer("confirm").click()

    await ada.is_told("Bo has left")


async def test_three_clicks_on_rematch_do_not_touch_the_next_game(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.play_ai(server.url, "Easy", "X")
    await ada.ask_menu("resign")
    await ada.is_told("Easy computer won", "You resigned")

    await click_hastily(ada, "rematch", 3)

    await expect(ada.page.locator("#announcer")).to_contain_text("Game 2 begins.")
    await ada.is_told("Your turn", "You are O")
    await expect(ada.offer("confirm")).to_have_count(0)
    assert (await ada.board()).count(".") == 8


async def test_the_question_can_be_answered_by_keyboard_at_once(
    invite: Invite, server: Served
) -> None:
    ada, _ = await friends(invite, server)

    menu = ada.page.locator("#room").get_by_role("button", name="Menu")
    await menu.press("Enter")
    await ada.offer("resign").press("Enter")
    await expect(ada.offer("cancel")).to_be_focused()
    await ada.page.keyboard.press("Escape")
    await expect(menu).to_be_focused()
    await expect(ada.offer("confirm")).to_have_count(0)
    await menu.press("Enter")
    await ada.offer("resign").press("Enter")
    await expect(ada.offer("cancel")).to_be_focused()
    for key in ("Shift+Tab", "Enter"):
        await ada.page.keyboard.press(key)

    await ada.is_told("Bo won", "You resigned")


async def test_a_newcomer_after_the_end_is_not_shown_a_loss(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, X_WINS)
    await bo.is_told("Ada won")
    await bo.ask_menu("leave")
    cy = await invite("Cy")
    await cy.visit(ada.page.url, "room")

    await cy.offer("sit").click()

    await cy.is_told("Ada won", "Three in a row for X.")
    await ada.is_told("You won")
    await expect(cy.page.locator("#announcer")).not_to_contain_text("You")


async def test_home_links_to_the_own_game_until_the_seat_is_left(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.visit(server.url, "home")
    back = ada.page.get_by_role("link", name="Resume")
    await expect(back).to_be_hidden()
    link = await ada.open_room(server.url)

    await ada.page.get_by_role("link", name="Noughts, home").click()
    await ada.arrives("home")
    await back.click()
    await ada.arrives("room")
    assert ada.page.url == link
    await ada.visit(server.url, "home")
    await expect(back).to_be_visible()
    await back.click()
    await ada.arrives("room")
    await ada.ask_menu("leave")

    await ada.arrives("home")
    await expect(back).to_be_hidden()


async def test_home_does_not_link_to_a_room_that_is_gone(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.page.add_init_script("localStorage['noughts.room'] ??= 'put-away-long-ago'")
    await ada.visit(server.url, "home")

    await expect(ada.page.locator("#live-title")).to_be_visible()
    await ada.page.wait_for_function("!localStorage['noughts.rooms']?.includes('put-away')")
    await expect(ada.page.get_by_role("link", name="Resume")).to_be_hidden()
    await ada.page.reload()
    await ada.arrives("home")

    assert len(ada.complaints) == 1  # the browser logs one 404, and the room is forgotten
    ada.complaints.clear()


async def test_a_click_without_a_connection_is_shown_as_sent_later(
    invite: Invite, server: Served
) -> None:
    routes: list[WebSocketRoute] = []
    is_cut = False

    def route(page_side: WebSocketRoute) -> None:
        if not is_cut:
            page_side.connect_to_server()
        routes.append(page_side)

    ada = await invite("Ada")
    await ada.page.route_web_socket("**/ws", route)
    await ada.play_ai(server.url, "Easy", "X")
    await expect(ada.page.get_by_role("button", name="Hint")).to_be_enabled()
    is_cut = True
    await routes[0].close(code=1012)
    await expect(ada.part("line-note")).to_contain_text("No connection, retrying")

    await ada.ask_menu("resign")
    await expect(ada.page.locator('[data-part="notice"]')).to_have_text(
        "This will be sent as soon as you are connected."
    )
    is_cut = False
    await routes[-1].close(code=1012)

    await ada.is_told("Easy computer won", "You resigned")
    await expect(ada.part("line-note")).to_be_hidden()


async def test_neither_a_phrase_nor_a_rematch_request_moves_the_board_on_a_phone(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada", viewport=PHONE)
    bo = await invite("Bo", viewport=PHONE)
    link = await ada.open_room(server.url)
    await bo.visit(link, "room")
    await bo.offer("sit").click()
    await ada.is_told("Your turn")
    board = bo.part("board")
    top = "element => element.getBoundingClientRect().top + scrollY"
    before = await board.evaluate(top)

    await ada.page.get_by_role("button", name="Say", exact=True).click()
    await ada.page.get_by_role("button", name="Good luck!").click()
    said = bo.seat("X").locator('[data-part="bubble"]')
    await expect(said).to_have_text("Good luck!")
    assert await board.evaluate(top) == before
    assert await said.evaluate("bubble => bubble.scrollWidth <= bubble.clientWidth")
    await play_in_turn(ada, bo, X_WINS)
    await bo.is_told("Ada won")
    assert await board.evaluate(top) == before
    await ada.offer("rematch").click()
    await bo.is_told("Ada won", "Ada wants another game")

    assert await board.evaluate(top) == before


async def test_the_buttons_after_the_end_fit_one_row_and_a_look_back_names_the_move(
    invite: Invite, server: Served
) -> None:
    ada, bo = await friends(invite, server)
    await play_in_turn(ada, bo, X_WINS)
    await ada.is_told("You won", "Three in a row for X.")

    tops = (
        await ada.part("acts")
        .locator("button")
        .evaluate_all("buttons => buttons.map(button => button.getBoundingClientRect().top)")
    )
    assert len(tops) == 3
    assert len(set(tops)) == 1
    await ada.page.get_by_role("button", name="Move 5:").click()
    await ada.is_told("You won", "Move 5 of 5.")
    await ada.page.get_by_role("button", name="One move forward").click()

    await ada.is_told("You won", "Three in a row for X.")


async def test_a_small_phone_shows_whole_words_at_home(invite: Invite, server: Served) -> None:
    ada, _ = await friends(invite, server, viewport={"width": 360, "height": 640})
    async with dialled(server.ws, name="Eve") as eve, dialled(server.ws, name="Di") as di:
        for _ in range(2):  # one is featured, and larger
            seats = {"X": {"ai": "easy"}, "O": "me"}
            await di.watch(await eve.create(variant="ultimate", seats=seats))
        await ada.visit(server.url, "home")
        resume = ada.page.locator('#home [data-part="resume"] .clip')
        await expect(resume).to_contain_text("against Bo")
        feet = ada.page.locator("#home .game .foot", has_text="watching")
        await expect(feet).to_have_count(2)
        for words in (resume, *await feet.all()):
            assert await words.evaluate("it => it.scrollWidth <= it.clientWidth")
            assert await words.evaluate("it => it.getBoundingClientRect().right <= innerWidth - 16")
        assert await feet.last.evaluate(
            "foot => foot.getBoundingClientRect().right"
            " <= foot.parentElement.getBoundingClientRect().right"
        )
