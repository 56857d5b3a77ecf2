"""The page behind nginx and on two nodes: it never notices which of them it talks to.

With FLEET=3 all the other tests of the page run on three nodes, too.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.fleet import Fleet, fleet
from tests.browser.people import Invite, Visitor, forgive, play_in_turn
from tests.docs.hosting.nginx import NGINX, sockets

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(NGINX is None, reason="nginx is missing"),
]

BACK_WITHIN = 3.0  # seconds


@pytest_asyncio.fixture(loop_scope="session")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Fleet]:
    """Nginx gives the next socket to the less busy node."""
    async with fleet(tmp_path_factory.mktemp("fleet")) as served:
        yield served
        assert "Traceback" not in served.log, served.log


async def move_apart(site: Fleet, visitor: Visitor) -> None:
    """Let the visitor come again until there are sockets on both nodes."""
    for _ in range(20):
        if min([await sockets(node) for node in site.nodes]) > 0:
            return
        await visitor.page.reload()
        await visitor.arrives("room")
    raise AssertionError("nginx uses one node only")


async def test_friends_a_spectator_and_the_computer_meet_across_nodes(
    site: Fleet, invite: Invite
) -> None:
    ada, bo, cy = [await invite(name) for name in ("Ada", "Bo", "Cy")]
    link = await ada.open_room(site.url, public=True)
    await bo.visit(link, "room")
    await expect(ada.notice).to_have_text("Somebody opened your link.")
    await bo.offer("sit").click()
    await ada.is_told("Your turn", "You are X")
    await move_apart(site, bo)
    await cy.visit(site.url, "home")
    await expect(cy.page.locator("#live .game")).to_have_count(1)
    await cy.visit(link, "room")
    await expect(ada.part("crowd")).to_contain_text("1 person is watching")
    await cy.page.get_by_role("button", name="Say").click()
    await cy.page.get_by_role("button", name="Good luck!").click()
    await expect(ada.part("heard")).to_contain_text("Cy: Good luck!")

    await play_in_turn(ada, bo, [0, 3, 1, 4, 2])
    for visitor in (ada, bo, cy):
        await visitor.sees("XXX OO. ...")
        await expect(visitor.part("result-moves").locator("[data-grade]")).to_have_count(5)
    await ada.offer("rematch").click()
    await expect(bo.part("again")).to_contain_text("wants another")
    await bo.offer("rematch").click()
    await bo.is_told("Your turn")  # sides change

    await bo.play(4)
    await ada.ask_menu("leave")
    await bo.is_told("Ada has left")
    await cy.offer("sit").click()
    await bo.is_told("Waiting for Cy…")
    await cy.play(0)
    for visitor in (bo, cy):
        await visitor.sees("O.. .X. ...")


async def test_a_node_is_killed_and_its_people_go_on_playing_on_the_other(
    site: Fleet, invite: Invite
) -> None:
    ada, bo = [await invite(name) for name in ("Ada", "Bo")]
    link = await ada.open_room(site.url)
    await bo.visit(link, "room")
    await bo.offer("sit").click()
    await play_in_turn(ada, bo, [4, 0])
    await ada.is_told("Your turn")
    await move_apart(site, bo)

    await site.nodes[0].kill()
    begin = time.monotonic()
    await ada.play(8)
    for visitor in (ada, bo):
        await visitor.sees("O.. .X. ..X")
    took = time.monotonic() - begin
    await bo.is_told("Your turn")
    await bo.play(2)
    await ada.sees("O.O .X. ..X")

    assert took < BACK_WITHIN
    forgive(ada, bo)
