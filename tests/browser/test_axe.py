"""axe-core finds no fault in any view or state."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.people import ANY_MARK, PHONE, X_WINS, Invite, Visitor, friends, play_in_turn
from tests.support.serving import ROOT, Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

# A mark is about to vanish, columns are playable, or a small board has an owner.
MOVES = {
    "Vanishing": [1, 8, 7, 3, 0, 2],
    "Drop four": [38, 31, 37],
    "Ultimate": [40, 30, 10, 31, 13, 32],
}
AXE = ROOT / "tests/client/node_modules/axe-core/axe.min.js"


async def check(visitor: Visitor) -> None:
    """Fail with what axe finds, and the elements concerned."""
    await visitor.page.evaluate(AXE.read_text())
    found: list[dict[str, Any]] = await visitor.page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)"
    )
    complaints = [
        f"{rule['id']}: {rule['help']}: {[node['html'] for node in rule['nodes']][:3]}"
        for rule in found
    ]
    assert complaints == []


@pytest.fixture(params=["light", "dark", "contrast", "phone"])
def screen(request: pytest.FixtureRequest) -> dict[str, Any]:
    scheme = "dark" if request.param == "dark" else "light"
    size = {"viewport": PHONE} if request.param == "phone" else {}
    return {"color_scheme": scheme, "reduced_motion": "reduce", "theme": request.param, **size}


async def arriving(invite: Invite, name: str, screen: dict[str, Any]) -> Visitor:
    options = {key: value for key, value in screen.items() if key != "theme"}
    visitor = await invite(name, **options)
    if screen["theme"] == "contrast":
        await visitor.page.add_init_script("localStorage['noughts.theme'] = 'contrast'")
    return visitor


async def test_home_and_the_list_of_games(
    invite: Invite, server: Served, screen: dict[str, Any]
) -> None:
    ada = await arriving(invite, "Ada", screen)
    await ada.open_room(server.url, public=True)
    await check(ada)  # waiting, with the link
    await ada.visit(server.url, "home")
    await expect(ada.page.locator(".wall-list .wall-room").first).to_be_visible()
    await check(ada)


async def test_a_game_from_both_sides_and_from_outside(
    invite: Invite, server: Served, screen: dict[str, Any]
) -> None:
    ada, bo = await friends(invite, server)
    cy = await arriving(invite, "Cy", screen)
    await cy.visit(ada.page.url, "room")
    await play_in_turn(ada, bo, X_WINS[:3])
    await cy.page.get_by_role("button", name="Analysis").click()
    await expect(cy.page.locator("[data-value]").first).to_be_visible()
    await check(cy)
    await cy.page.get_by_role("button", name="One move back").click()
    await check(cy)
    await ada.cell(8).click()  # a premove
    for player in (ada, bo):
        await check(player)
    await ada.cell(8).click()
    await play_in_turn(bo, ada, X_WINS[3:])
    for visitor in (ada, bo, cy):
        await check(visitor)


@pytest.mark.parametrize("game", MOVES)
async def test_a_game_of_every_shape(
    invite: Invite, server: Served, screen: dict[str, Any], game: str
) -> None:
    ada, bo = await friends(invite, server, game)
    cy = await arriving(invite, "Cy", screen)
    await cy.visit(ada.page.url, "room")
    await play_in_turn(ada, bo, MOVES[game])
    await expect(cy.cell(MOVES[game][-1])).to_have_attribute("data-mark", ANY_MARK)
    for visitor in (ada, cy):
        await check(visitor)


async def test_quick_play_and_a_question_back(
    invite: Invite, server: Served, screen: dict[str, Any]
) -> None:
    ada = await arriving(invite, "Ada", screen)
    await ada.visit(server.url, "home")
    await ada.page.get_by_role("button", name="Play now").click()
    await ada.arrives("room")
    await ada.offer("resign").click()
    await expect(ada.offer("confirm")).to_be_visible()
    await check(ada)
    await ada.page.get_by_role("button", name="Stop looking").click()


async def test_a_room_that_does_not_exist(
    invite: Invite, server: Served, screen: dict[str, Any]
) -> None:
    ada = await arriving(invite, "Ada", screen)
    await ada.page.goto(f"{server.url}/r/AAAAAAAAAAAAAAAA")
    await ada.arrives("missing")
    await check(ada)
    ada.complaints.clear()  # the browser logs the 404
