"""A first visit: links, tabs, names, missing pages, and clicks that come too late."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.async_api import WebSocket, WebSocketRoute, expect

from tests.browser.people import PUBLIC, Invite, friends
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_link_that_others_can_open_is_copied_even_without_a_clipboard(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada", permissions=["clipboard-read", "clipboard-write"])
    link = (await ada.open_room(server.url)).replace(server.url, PUBLIC)
    await expect(ada.part("share-link")).to_have_value(link)
    await expect(ada.part("share-code")).to_be_visible()
    await expect(ada.part("share-local")).to_be_hidden()
    copy = ada.page.locator('#room [data-do="copy"]')

    await copy.click()
    await expect(ada.notice).to_have_text("Link copied.")
    await expect(copy).to_have_text("Copied")
    assert await ada.page.evaluate("navigator.clipboard.readText()") == link

    await ada.page.evaluate("navigator.clipboard.writeText('')")
    await ada.page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})"
    )
    await copy.click()
    await ada.page.evaluate("delete navigator.clipboard")
    assert await ada.page.evaluate("navigator.clipboard.readText()") == link


async def test_a_server_for_this_computer_alone_says_what_to_start_instead(
    invite: Invite, tmp_path: Path
) -> None:
    async with serving(tmp_path) as local:
        ada = await invite("Ada")
        await ada.open_room(local.url)
        await expect(ada.part("share-local")).to_contain_text("noughts serve --host 0.0.0.0")
        await expect(ada.part("share-code")).to_be_hidden()
        await ada.visit(f"{local.url}/tv", "tv")
        tv = ada.page.locator("#tv")
        await expect(tv.locator('[data-part="tv-join"]')).to_have_text(
            "Only this computer can open this"
        )
        await expect(tv.locator('[data-part="tv-local"]')).to_contain_text("make run HOST=0.0.0.0")
        await expect(tv.locator('[data-part="tv-code"]')).to_be_hidden()


async def test_a_second_tab_is_the_same_player_and_is_offered_the_other_seat(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    link = await ada.open_room(server.url)
    tab = await invite(beside=ada)
    await tab.visit(link, "room")
    await tab.is_told("Waiting for your friend")

    await tab.offer("sit_too").click()
    await tab.is_told("X to move", "You play both sides")
    await tab.play(4)
    await ada.play(0)

    await ada.sees("O.. .X. ...")
    await tab.sees("O.. .X. ...")


async def test_whoever_is_invited_may_just_watch(invite: Invite, server: Served) -> None:
    ada, bo = await invite("Ada"), await invite("Bo")
    link = await ada.open_room(server.url)
    await bo.visit(link, "room")
    await expect(bo.part("invite-title")).to_have_text("Ada invites you")
    await expect(bo.offer("sit")).to_have_text("Play as O")

    await bo.page.get_by_role("button", name="Just watch").click()

    await expect(bo.part("invite")).to_be_hidden()
    await expect(bo.part("crowd")).to_have_text("You are watching")
    await ada.is_told("Waiting for your friend")


async def test_the_one_who_invites_chooses_side_and_clock(invite: Invite, server: Served) -> None:
    ada, bo = await invite("Ada"), await invite("Bo")
    await ada.visit(server.url, "home")
    sheet = await ada.open_sheet("Friend")
    for name in ("O", "3 min"):
        await sheet.get_by_role("radio", name=name, exact=True).check(force=True)
    await sheet.get_by_role("button", name="Get the link").click()
    await ada.arrives("room")
    await bo.visit(ada.page.url, "room")
    await expect(bo.part("invite-rule")).to_contain_text("3 min each on the clock.")
    await expect(bo.offer("sit")).to_have_text("Play as X")
    await bo.offer("sit").click()
    await bo.is_told("Your turn", "You are X")
    await expect(ada.seat("O").locator('[data-part="clock"]')).to_have_text("3:00")


async def test_a_reload_in_the_middle_of_a_game_resumes_it(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)
    await ada.play(4)

    await bo.page.reload()
    await bo.sees("... .X. ...")
    await bo.is_told("Your turn", "You are O")
    await bo.play(0)

    await ada.sees("O.. .X. ...")


async def test_an_unknown_address_says_so_in_the_chosen_theme_and_leads_home(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    sockets: list[WebSocket] = []
    ada.page.on("websocket", lambda socket: sockets.append(socket))
    await ada.page.add_init_script("""localStorage['noughts.prefs'] = '{"theme": "dark"}'""")
    response = await ada.page.goto(f"{server.url}/no/such/page")
    assert response is not None
    assert response.status == 404
    ada.complaints.clear()  # the browser logs the 404

    await ada.arrives("missing")
    await expect(ada.page.locator("html")).to_have_attribute("data-theme", "dark")
    await expect(ada.page).to_have_title("Nothing here · Noughts")
    await expect(ada.page.get_by_role("heading", name="Nothing on this square.")).to_be_visible()
    assert sockets == [], "nothing there needs the server"

    await ada.page.get_by_role("link", name="Go home").click()
    await ada.arrives("home")
    await expect(ada.page.locator('[data-part="me"]')).to_have_value("Ada")

    await ada.page.go_back()
    await ada.arrives("missing")
    await ada.page.go_forward()
    await ada.arrives("home")
    await ada.page.get_by_role("button", name="Play a friend").click()
    await ada.page.get_by_role("button", name="Get the link").click()
    await ada.arrives("room")
    assert len(sockets) == 1


async def test_a_friend_can_be_invited_from_an_unknown_address(
    invite: Invite, server: Served
) -> None:
    ada = await invite("Ada")
    await ada.page.goto(f"{server.url}/no/such/page")
    ada.complaints.clear()  # the browser logs the 404
    await ada.arrives("missing")
    await ada.page.get_by_role("button", name="Play a friend").click()
    await ada.page.get_by_role("button", name="Get the link").click()
    await ada.arrives("room")
    await ada.is_told("Waiting for your friend")


async def test_an_unknown_room_says_so_and_offers_a_new_one(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    response = await ada.page.goto(f"{server.url}/r/nobody-was-here")
    assert response is not None
    assert response.status == 404
    ada.complaints.clear()  # the browser logs the 404
    await ada.arrives("missing")

    await expect(ada.page.get_by_role("heading", name="This game is gone.")).to_be_visible()
    await ada.page.get_by_role("button", name="Play a friend").click()
    await ada.page.get_by_role("button", name="Get the link").click()

    await ada.arrives("room")
    await ada.is_told("Waiting for your friend")


async def test_private_rooms_stay_off_the_list_and_public_ones_move_in_it(
    invite: Invite, server: Served
) -> None:
    ada, bo, cy = await invite("Ada-on-list"), await invite("Bo-on-list"), await invite("Cy")
    private = await ada.open_room(server.url)
    public = await ada.open_room(server.url, public=True)
    await bo.visit(public, "room")
    await bo.offer("sit").click()
    await cy.visit(server.url, "home")

    hung = cy.page.locator(f'a.game[href="{public.removeprefix(server.url)}"]')
    await expect(hung).to_contain_text("Ada-on-list")
    await expect(hung).to_contain_text("Bo-on-list")
    await expect(
        cy.page.locator(f'a.game[href="{private.removeprefix(server.url)}"]')
    ).to_have_count(0)
    await ada.play(4)
    await expect(hung.locator('.frame [data-mark="X"]')).to_have_count(1)
    await hung.click()

    await cy.arrives("room")
    await cy.sees("... .X. ...")
    await cy.page.go_back()
    await cy.arrives("home")


async def test_resigning_asks_once_and_in_place(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)

    menu = await ada.open_menu()
    await ada.offer("resign").click()
    await expect(menu).to_contain_text("Resign this game?")
    await expect(ada.offer("cancel")).to_be_focused()
    await ada.offer("cancel").click()
    await expect(ada.offer("confirm")).to_have_count(0)
    await ada.is_told("Your turn")
    await ada.offer("resign").click()
    await ada.offer("confirm").click()

    await ada.is_told("Bo won", "You resigned")
    await bo.is_told("You won", "Ada resigned")


async def test_a_click_shows_at_once_and_is_undone_when_refused(
    invite: Invite, server: Served
) -> None:
    ada, bo = await invite("Ada"), await invite("Bo")
    held: list[str] = []
    is_holding = False

    def route(page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()

        def to_server(frame: str | bytes) -> None:
            is_play = json.loads(frame)["type"] == "play"
            if is_play and is_holding:
                held.append(str(frame))
            else:
                server_side.send(frame)

        page_side.on_message(to_server)
        routes.append(page_side)

    routes: list[WebSocketRoute] = []
    await ada.page.route_web_socket("**/ws", route)
    link = await ada.open_room(server.url)
    await bo.visit(link, "room")
    await bo.offer("sit").click()
    await ada.is_told("Your turn")
    is_holding = True

    await ada.cell(4).click()
    await expect(ada.cell(4)).to_have_attribute("data-pending", "")
    await expect(ada.cell(4)).to_have_attribute("data-mark", "X")
    [play] = held
    refusal = {
        "type": "refused",
        "re": json.loads(play)["id"],
        "reason": "cell_taken",
        "text": "That square is taken. Pick another one.",
    }
    routes[-1].send(json.dumps(refusal))

    await ada.sees("... ... ...")
    await expect(ada.notice).to_have_text("That square is taken. Pick another one.")


async def test_names_are_text_and_nothing_else(invite: Invite, server: Served) -> None:
    wicked = "<img src=x onerror=a()>"
    ada, bo = await invite(wicked), await invite("Bo")
    link = await ada.open_room(server.url, public=True)
    await bo.visit(link, "room")

    await expect(bo.seat("X").locator('[data-part="name"]')).to_have_text(wicked)
    await bo.visit(server.url, "home")
    await expect(bo.page.locator("a.game", has_text=wicked)).to_be_visible()
    assert await bo.page.locator("#live img").count() == 0


async def test_a_new_name_is_remembered_and_seen_by_others(invite: Invite, server: Served) -> None:
    ada, bo = await friends(invite, server)

    await ada.page.get_by_role("link", name="Noughts, home").click()
    await ada.page.get_by_label("Your name").fill("Countess")
    await ada.page.keyboard.press("Enter")
    await ada.page.get_by_role("link", name="Resume").click()

    await expect(bo.seat("X").locator('[data-part="name"]')).to_have_text("Countess")
    await ada.page.goto(server.url)
    await expect(ada.page.get_by_label("Your name")).to_have_value("Countess")
