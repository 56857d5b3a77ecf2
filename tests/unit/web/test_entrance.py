"""Who may open a socket, asked over a real connection without opening one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_network

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from server.live.house import House
from server.web.entrance import Entrance
from server.web.handshake import is_handshake
from server.web.proxies import Proxies
from tests.support.houses import new_house

HERE = "127.0.0.1"


@asynccontextmanager
async def asked(house: House) -> AsyncIterator[TestClient[web.Request, web.Application]]:
    """A client of a server that has nothing but the entrance."""
    entrance = Entrance(house, ("https://play.example",), Proxies(()))

    async def serve(request: web.Request) -> web.StreamResponse:
        if not is_handshake(request):
            return entrance.answer(request)
        with entrance.admit(request):
            return web.Response(text=f"{house.metrics.connections} inside")

    app = web.Application()
    app.add_routes([web.get("/ws", serve)])
    async with TestClient(TestServer(app)) as client:
        yield client


def fill(house: House) -> None:
    for number in range(house.limits.connections):
        house.addresses.add_connection(f"2001:db8:{number:x}::/64")


def use_up_address(house: House) -> None:
    for _ in range(house.limits.connections_per_address):
        house.addresses.add_connection(HERE)


def drain(house: House) -> None:
    house.is_draining = True


def ban(house: House) -> None:
    house.bans.add(ip_network(HERE))


@pytest.mark.parametrize(
    ("happens", "status", "reason"),
    [
        (lambda _: None, 400, "malformed"),
        (ban, 403, "banned"),
        (use_up_address, 429, "address"),
        (fill, 503, "full"),
        (drain, 503, "draining"),
    ],
)
async def test_a_question_gets_the_answer_of_a_handshake_and_is_not_counted(
    happens: Callable[[House], None],
    status: int,
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    house = new_house()
    happens(house)

    async with asked(house) as client:
        answer = await client.get("/ws")
        told = await answer.json()

        assert (answer.status, told["reason"]) == (status, reason)
        assert answer.headers["Cache-Control"] == "no-store"
        assert (house.metrics.turned_away, caplog.text) == ({}, "")
        handshake = await client.get("/ws", headers={"Upgrade": "websocket"})
        if status == 400:
            assert (handshake.status, await handshake.text()) == (200, "1 inside")
            assert "WebSocket" in told["text"]
        else:
            assert (handshake.status, await handshake.text()) == (status, told["text"])
            assert house.metrics.turned_away == {(reason, status): 1}
    assert house.metrics.connections == 0


async def test_a_page_of_another_site_is_told_403_before_anything_else() -> None:
    house = new_house()
    fill(house)
    async with asked(house) as client:
        foreign = await client.get("/ws", headers={"Origin": "https://evil.example"})
        assert (foreign.status, (await foreign.json())["reason"]) == (403, "origin")
        known = await client.get("/ws", headers={"Origin": "https://play.example"})
        assert known.status == 503


async def test_an_address_has_its_place_back_once_a_handshake_has_ended() -> None:
    house = new_house()
    for _ in range(house.limits.connections_per_address - 1):
        house.addresses.add_connection(HERE)
    async with asked(house) as client:
        for _ in range(3):
            inside = await client.get("/ws", headers={"Upgrade": "websocket"})
            assert inside.status == 200
