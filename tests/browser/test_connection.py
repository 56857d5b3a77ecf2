"""The connection breaks or the server dies: the page says so and reconnects by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.browser.people import Invite, Visitor, forgive, friends
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_server_killed_and_restarted_in_mid_game_is_resumed_in_place(
    invite: Invite, tmp_path: Path, database: str
) -> None:
    async with serving(tmp_path, store=database) as first:
        ada, bo = await friends(invite, first)
        await ada.play(4)
        await first.kill()
        note = bo.part("line-note")
        await expect(note).to_be_visible()
        await expect(note).to_contain_text("No connection, retrying")
        await bo.is_told("No connection", "The game is kept")
        port = first.port

    await bo.cell(0).click()  # while the server is down: sent after the restart
    await expect(bo.cell(0)).to_have_attribute("data-pending", "")
    await expect(bo.seat("O")).to_contain_text("Move kept, not sent yet")
    async with serving(tmp_path, store=database, port=port):
        await bo.sees("O.. .X. ...")
        await ada.sees("O.. .X. ...")
        await expect(note).to_be_hidden()
        await ada.is_told("Your turn")
        await ada.play(8)
        await bo.sees("O.. .X. ..X")
        for visitor in (ada, bo):
            await visitor.page.close()
    forgive(ada, bo)


async def play_alone(
    invite: Invite, server: Served, route: Callable[[WebSocketRoute], None]
) -> Visitor:
    """Ada on both seats of a new room. Each of her sockets goes through `route`."""
    ada = await invite("Ada")
    await ada.page.route_web_socket("**/ws", route)
    await ada.open_room(server.url)
    await ada.offer("sit_too").click()
    await ada.is_told("X to move")
    return ada


async def test_a_lost_socket_is_replaced_without_a_notice(invite: Invite, server: Served) -> None:
    routes: list[WebSocketRoute] = []

    def route(page_side: WebSocketRoute) -> None:
        page_side.connect_to_server()
        routes.append(page_side)

    ada = await play_alone(invite, server, route)
    await routes[0].close(code=1012)
    await ada.play(4)

    await ada.sees("... .X. ...")
    assert len(routes) > 1


async def test_a_dead_connection_is_noticed_by_the_pages_own_ping(
    invite: Invite, server: Served
) -> None:
    routes: list[WebSocketRoute] = []
    is_dead = False

    def route(page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()
        mine = len(routes)

        def pass_on(frame: str | bytes) -> None:
            if not (is_dead and mine == 0):
                server_side.send(frame)

        page_side.on_message(pass_on)
        routes.append(page_side)

    ada = await play_alone(invite, server, route)
    is_dead = True  # frames are swallowed without a close
    await ada.cell(4).click()

    await ada.sees("... .X. ...")
    assert len(routes) == 2
