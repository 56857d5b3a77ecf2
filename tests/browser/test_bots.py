"""Bots, notices and closed rooms on the page."""

from __future__ import annotations

import json
import re
import time

import pytest
from playwright.async_api import WebSocketRoute, expect

from noughts import __version__
from tests.browser.people import DESKTOP, PHONE, Invite, Visitor
from tests.support.dialling import dialled, seated_pair
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "Noughts restarts for an update. Every game is kept, and you are back within a minute."


async def test_a_bot_is_marked_in_its_strip_and_named_so_to_a_screen_reader(
    invite: Invite, server: Served
) -> None:
    async with dialled(server.ws, name="Robo", bot=True) as robo:
        room = await robo.create(public=False)
        ada = await invite("Ada")
        await ada.visit(f"{server.url}/r/{room}", "room")
        await expect(ada.seat("X").get_by_text("bot", exact=True)).to_be_visible()
        await ada.offer("sit").click()
        await expect(ada.page.get_by_role("region", name="Robo, bot, X")).to_be_visible()
        await expect(ada.seat("O").get_by_text("bot", exact=True)).to_be_hidden()


async def test_games_with_bots_are_marked_and_hidden_on_this_device_if_one_likes(
    invite: Invite, server: Served
) -> None:
    async with (
        dialled(server.ws, name="Robo", bot=True) as robo,
        dialled(server.ws, name="Grace") as grace,
        dialled(server.ws, name="Edsger") as edsger,
    ):
        with_bot = await seated_pair(robo, grace)
        without = await seated_pair(edsger, grace)
        ada = await invite("Ada", viewport=PHONE)
        await ada.visit(server.url, "home")
        cards = [ada.page.locator(f'a[data-room="{room}"]') for room in (with_bot, without)]
        await expect(cards[0].locator(".bot:visible")).to_have_count(1)
        await expect(cards[1].locator(".bot:visible")).to_have_count(0)

        toggle = ada.page.get_by_role("button", name="No bots")
        await toggle.click()
        await expect(cards[0]).to_have_count(0)
        await expect(cards[1]).to_be_visible()
        await ada.page.reload()
        await expect(toggle).to_have_attribute("aria-pressed", "true")
        await expect(cards[1]).to_be_visible()
        await expect(cards[0]).to_have_count(0)
        await toggle.click()
        await expect(cards[0]).to_be_visible()


async def test_the_footer_names_the_version_of_the_server(invite: Invite, server: Served) -> None:
    ada = await invite("Ada")
    await ada.visit(server.url, "home")
    await expect(ada.page.locator("#home footer")).to_contain_text(f"Noughts {__version__}")


class Operator:
    """Stands between a page and the server, and sends what an operator would have sent."""

    def __init__(self) -> None:
        self._routes: list[WebSocketRoute] = []

    async def join(self, visitor: Visitor) -> None:
        def connect(route: WebSocketRoute) -> None:
            route.connect_to_server()
            self._routes.append(route)

        await visitor.page.route_web_socket(re.compile("/ws$"), connect)

    async def send(self, visitor: Visitor, type: str, **fields: object) -> None:
        await expect(visitor.page.locator("body")).to_have_attribute("data-link", "online")
        self._routes[-1].send(json.dumps({"type": type, **fields}))


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP, {"width": 667, "height": 375}])
async def test_a_notice_covers_no_control_and_moves_no_board_in_a_game(
    invite: Invite, server: Served, viewport: dict[str, int]
) -> None:
    ada, operator = await invite("Ada", viewport=viewport), Operator()
    await operator.join(ada)
    await ada.play_ai(server.url, "Easy", "X")
    before = await ada.part("board").bounding_box()
    await operator.send(ada, "notice", text=TEXT, at=int(time.time() * 1000) + 5 * 60_000)

    note = ada.page.locator('[data-part="announced"]')
    await expect(note).to_have_text(re.compile(r"^In (5:00|4:\d\d) · Noughts restarts"))
    first = await note.text_content()
    await expect(note).not_to_have_text(first or "")  # it counts down
    assert await ada.part("board").bounding_box() == before
    box = await note.bounding_box()
    assert box is not None
    controls = await ada.page.locator("#room :is(button, a, input):visible").all()
    assert len(controls) > 9
    for control in controls:
        other = await control.bounding_box()
        assert other is not None
        apart = (
            other["x"] >= box["x"] + box["width"]
            or other["x"] + other["width"] <= box["x"]
            or other["y"] >= box["y"] + box["height"]
            or other["y"] + other["height"] <= box["y"]
        )
        assert apart, await control.evaluate("it => it.outerHTML")

    await operator.send(ada, "notice", text="", at=None)
    await expect(note).to_be_hidden()


async def test_a_notice_is_announced_once_and_shown_at_home_above_everything(
    invite: Invite, server: Served
) -> None:
    ada, operator = await invite("Ada"), Operator()
    await operator.join(ada)
    await ada.visit(server.url, "home")
    await operator.send(ada, "notice", text="Thank you for playing.", at=None)
    note = ada.page.locator('[data-part="announced"]')
    await expect(note).to_have_text("Thank you for playing.")
    await operator.send(ada, "notice", text=TEXT, at=int(time.time() * 1000) + 90_000)
    heard = ada.page.locator("#announcer p", has_text="restarts")
    await expect(heard).to_have_count(1)
    first = await note.text_content()
    await expect(note).not_to_have_text(first or "")
    await expect(heard).to_have_count(1)


async def test_a_room_that_is_closed_leads_to_its_own_page_with_the_operators_text(
    invite: Invite, server: Served
) -> None:
    ada, operator = await invite("Ada"), Operator()
    await operator.join(ada)
    link = await ada.play_ai(server.url, "Easy", "X")
    await ada.play(4)  # so that nothing is under way that would show the room again
    await ada.is_asked()
    await operator.send(
        ada, "closed", room=link.rpartition("/")[2], text="Closed: the name was abuse."
    )

    await ada.arrives("missing")
    await expect(ada.page.get_by_role("heading", name="This game is gone.")).to_be_visible()
    await expect(ada.page.get_by_text("Closed: the name was abuse.")).to_be_visible()
    await ada.page.get_by_role("link", name="Go home").click()
    await ada.arrives("home")
