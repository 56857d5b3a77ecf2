"""Spectators: the list of games, the featured game, stepping back, and analysis."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.people import X_WINS, Invite, Visitor, friends
from tests.support.dialling import dialled, play_out, seated_pair
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def watched(invite: Invite, server: Served) -> tuple[Visitor, Visitor, Visitor]:
    ada, bo = await friends(invite, server)
    cy = await invite("Cy")
    await cy.visit(ada.page.url, "room")
    await expect(cy.part("crowd")).to_have_text("You are watching")
    return ada, bo, cy


async def test_a_spectator_who_steps_back_stays_there_and_returns_with_one_tap(
    invite: Invite, server: Served
) -> None:
    ada, bo, cy = await watched(invite, server)
    await ada.play(0)
    await bo.play(3)
    await cy.sees("X.. O.. ...")
    await cy.page.get_by_role("button", name="Look back").click()
    await cy.sees("X.. ... ...")
    live = cy.page.locator("[data-part=live]")
    await expect(live).to_have_text("Back to the game")

    await ada.play(1)
    await expect(live).to_have_text("1 new move")
    await bo.play(4)
    await expect(live).to_have_text("2 new moves")
    await cy.sees("X.. ... ...")

    await live.click()
    await cy.sees("XX. OO. ...")
    await expect(live).to_be_hidden()


async def test_chips_buttons_and_arrow_keys_lead_through_the_moves(
    invite: Invite, server: Served
) -> None:
    ada, bo, cy = await watched(invite, server)
    for mover, cell in zip((ada, bo, ada), (0, 3, 1), strict=True):
        await mover.play(cell)
    await cy.sees("XX. O.. ...")
    await cy.page.get_by_role("button", name="Look back").click()
    await cy.sees("X.. O.. ...")
    await expect(cy.cell(1)).to_have_attribute("data-next", "")
    await cy.page.get_by_role("button", name="Move 2: O on row 2, column 1").click()
    await cy.sees("X.. ... ...")
    await expect(cy.part("title")).to_have_text("Game 1 · move 2 of 3")
    for key, board in (
        ("ArrowLeft", "... ... ..."),
        ("ArrowLeft", "... ... ..."),
        ("ArrowRight", "X.. ... ..."),
        ("ArrowRight", "X.. O.. ..."),
    ):
        await cy.page.keyboard.press(key)
        await cy.sees(board)
    await cy.page.get_by_role("button", name="One move back").click()
    await cy.sees("X.. ... ...")
    for _ in range(2):
        await cy.page.get_by_role("button", name="One move forward").click()
    await cy.sees("XX. O.. ...")
    await expect(cy.part("review")).to_be_hidden()


async def test_a_new_game_does_not_interrupt_a_look_back_at_the_last_one(
    invite: Invite, server: Served
) -> None:
    ada, bo, cy = await watched(invite, server)
    for ply, cell in enumerate(X_WINS):
        await (ada, bo)[ply % 2].play(cell)
    await cy.page.get_by_role("button", name="Move 5:").click()
    await cy.sees("XX. OO. ...")
    await ada.offer("rematch").click()
    await bo.offer("rematch").click()
    await bo.play(8)
    await cy.sees("XX. OO. ...")
    live = cy.page.locator("[data-part=live]")
    await expect(live).to_have_text("Go to the new game")
    await live.click()
    await cy.sees("... ... ..X")


async def test_an_earlier_game_can_be_opened_and_left_again(invite: Invite, server: Served) -> None:
    ada, bo, cy = await watched(invite, server)
    for ply, cell in enumerate(X_WINS):
        await (ada, bo)[ply % 2].play(cell)
    await ada.offer("rematch").click()
    await bo.offer("rematch").click()
    await bo.play(8)
    await cy.sees("... ... ..X")

    await cy.page.get_by_role("button", name="Look back").click()
    await cy.page.get_by_role("link", name="Game 1", exact=True).click()
    await cy.sees("XXX OO. ...")
    await cy.is_told("Ada won", "Three in a row for X.")
    assert cy.page.url.endswith("/1")
    await cy.page.get_by_role("button", name="One move back").click()
    await cy.sees("XX. OO. ...")
    await cy.page.reload()
    await cy.sees("XXX OO. ...")
    await cy.page.get_by_role("button", name="One move back").click()
    await expect(cy.cell(2)).to_have_attribute("data-value", "win")
    await cy.page.go_back()

    await cy.sees("... ... ..X")
    await cy.is_told("Ada to move")


async def test_spectators_see_what_each_cell_is_worth_and_players_do_not(
    invite: Invite, server: Served
) -> None:
    ada, bo, cy = await watched(invite, server)
    await ada.play(0)
    await bo.play(1)
    await cy.page.get_by_role("button", name="Show values").click()
    await expect(cy.cell(4)).to_have_attribute("data-value", "win")
    await expect(cy.cell(4).locator("[data-part=value]")).to_have_text("Wins in 3 moves")
    for player in (ada, bo):
        await expect(player.page.get_by_role("button", name="Rules")).to_be_visible()
        await expect(player.page.get_by_role("button", name="Show values")).to_have_count(0)
        await expect(player.page.get_by_role("button", name="Hint")).to_have_count(0)
    await cy.page.get_by_role("button", name="Hide values").click()
    await expect(cy.page.locator("#room [data-value]")).to_have_count(0)


async def test_the_list_can_be_filtered(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    link = await ada.open_room(server.url, public=True)
    room = link.rpartition("/")[2]
    cy = await invite("Cy")
    await cy.visit(server.url, "home")
    card = cy.page.locator(f'#live [data-room="{room}"]')
    await expect(card).to_be_visible()
    await cy.page.get_by_role("button", name="Needs a player").click()
    await expect(card).to_be_visible()
    async with dialled(server.ws, name="Bo") as bo:
        await bo.accept("sit", room=room, seat="O")
        await expect(cy.page.locator(f'#live [data-room="{room}"]')).to_have_count(0)
        await cy.page.get_by_role("button", name="With people").click()
        await expect(cy.page.locator(f'#live [data-room="{room}"]')).to_be_visible()


async def test_the_featured_game_is_the_most_watched_and_stays_for_its_rematch(
    invite: Invite, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with (
        serving(tmp_path_factory.mktemp("featured"), "--no-limits") as server,
        dialled(server.ws, name="X") as x,
        dialled(server.ws, name="O") as o,
        dialled(server.ws, name="Eve") as eve,
    ):
        await seated_pair(x, o)
        room = await seated_pair(x, o)
        await eve.watch(room)
        cy = await invite("Cy")
        await cy.visit(server.url, "home")
        featured = cy.page.locator("#live .featured a")
        await expect(featured).to_have_attribute("data-room", room)
        await x.accept("resign", room=room)
        await expect(featured).to_have_attribute("data-status", "over")
        await x.accept("rematch", room=room)
        await o.accept("rematch", room=room)
        await expect(featured).to_have_attribute("data-status", "playing")
        await expect(featured).to_have_attribute("data-room", room)
        await o.accept("play", room=room, cell=4, ply=0)
        await expect(featured.locator('.mini [data-mark="X"]')).to_have_count(1)


async def test_a_game_that_everybody_has_left_is_neither_listed_nor_featured(
    invite: Invite, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with (
        serving(tmp_path_factory.mktemp("ghosts"), "--no-limits", ai_pause=60_000) as server,
        dialled(server.ws, name="Eve") as eve,
    ):
        cy = await invite("Cy")
        await cy.visit(server.url, "home")
        featured = cy.page.locator("#live .featured a")
        async with dialled(server.ws, name="Ada") as ada, dialled(server.ws, name="Bo") as bo:
            people = await seated_pair(ada, bo)
            await expect(featured).to_have_attribute("data-room", people)
            computers = await eve.create(seats={"X": {"ai": "hard"}, "O": {"ai": "easy"}})
            waiting = await ada.create()
            for room in (people, waiting):
                await eve.watch(room)  # so that the server goes on listing it
            await expect(cy.page.locator("#live li")).to_have_count(3)
            await expect(featured).to_have_attribute("data-room", people)

        await expect(featured).to_have_attribute("data-room", computers)
        await expect(cy.page.locator("#live li")).to_have_count(1)
        await expect(cy.page.locator('#home [data-part="live-count"]')).to_contain_text("1 game")


async def test_a_finished_game_with_a_free_place_does_not_need_a_player(
    invite: Invite, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with (
        serving(tmp_path_factory.mktemp("free"), "--no-limits") as server,
        dialled(server.ws, name="Ada") as ada,
        dialled(server.ws, name="Bo") as bo,
    ):
        over, waiting = await seated_pair(ada, bo), await ada.create()
        await play_out(over, (ada, bo), X_WINS)
        await bo.accept("leave", room=over, seat="O")
        cy = await invite("Cy")
        await cy.visit(server.url, "home")
        await expect(cy.page.locator("#live a.game")).to_have_count(2)
        card = cy.page.locator(f'#live [data-room="{over}"]')
        await expect(card.locator('[data-part="game-status"]')).to_have_text("Ada won")

        await cy.page.get_by_role("button", name="Needs a player").click()

        assert await cy.page.locator("#live a.game").count() == 1  # at once: it goes after a while
        await expect(cy.page.locator(f'#live [data-room="{waiting}"]')).to_contain_text("Join")


async def test_only_the_games_in_view_are_drawn(
    invite: Invite, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with (
        serving(
            tmp_path_factory.mktemp("many"), "--no-limits", "--limit=rooms_followed=500"
        ) as server,
        dialled(server.ws, name="Curator") as curator,
    ):
        for _ in range(120):
            await curator.create(seats={"X": "me", "O": "me"})
        cy = await invite("Cy")
        await cy.visit(server.url, "home")
        cards = cy.page.locator("#live .live-grid > li")
        await expect(cards).to_have_count(120)
        drawn = "element => element.checkVisibility({ contentVisibilityAuto: true })"
        first, last = (each.locator(".mini") for each in (cards.first, cards.last))
        await cards.first.scroll_into_view_if_needed()
        await expect(first).to_be_visible()
        assert await first.evaluate(drawn)
        assert not await last.evaluate(drawn)
        await cards.last.scroll_into_view_if_needed()
        await cy.page.wait_for_function(
            "() => [...document.querySelectorAll('#live .mini')].at(-1)"
            ".checkVisibility({ contentVisibilityAuto: true })"
        )
