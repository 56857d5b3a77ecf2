"""docs/hosting.md, Limits: the rates and counts of one connection and of one address.

This server has limits. All tests share one address.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.support.dialling import Frame, Player, dialled
from tests.support.fetching import fetch
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with serving(tmp_path_factory.mktemp("limits")) as served:
        yield served
        assert "Traceback" not in served.log, served.log


async def burst(player: Player, count: int) -> list[Frame]:
    """Send `count` pings at once, and return their answers."""
    for _ in range(count):
        await player.send("ping")
    return [await player.until(lambda frame: "re" in frame) for _ in range(count)]


async def test_twenty_commands_at_once_are_accepted_and_more_are_too_fast(ada: Player) -> None:
    answers = await burst(ada, 40)
    assert [answer["re"] for answer in answers] == list(range(2, 42))  # one answer each
    assert {answer["type"] for answer in answers[:19]} == {"pong"}  # the hello counted as the first
    refused = [answer for answer in answers if answer["type"] == "refused"]
    assert len(refused) >= 5
    assert {answer["reason"] for answer in refused} == {"too_fast"}


@pytest.mark.parametrize("kind", ["ping", "pong"])
async def test_control_frames_count_toward_the_rate(server: Served, kind: str) -> None:
    async with dialled(server.ws) as player:
        with suppress(ConnectionClosed):
            for _ in range(400):
                await getattr(player.socket, kind)()
        assert await player.closed() == 1008


async def test_a_command_that_was_too_fast_changed_nothing_and_can_be_sent_again(
    server: Served,
) -> None:
    async with dialled(server.ws) as player:
        while (await burst(player, 20))[-1]["type"] == "pong":
            pass
        answer = await player.ask("lobby", on=True)
        while answer["type"] == "refused":  # ten a second are refilled
            assert answer["reason"] == "too_fast"
            assert "lobby" not in [frame["type"] for frame in player.seen]
            await player.quiet(0.2)
            answer = await player.ask("lobby", on=True)
        assert (await player.of_type("lobby"))["complete"] is True


async def test_the_rate_is_each_connections_own(server: Served, ada: Player) -> None:
    while (await burst(ada, 20))[-1]["type"] == "pong":
        pass
    async with dialled(server.ws, token=ada.token) as tab:
        assert (await tab.ask("ping"))["type"] == "pong"


async def test_malformed_frames_count_toward_the_rate(server: Served) -> None:
    async with dialled(server.ws) as player:
        for _ in range(9):
            await player.socket.send("?")
        answers = await burst(player, 9 + 30)
        assert [answer["reason"] for answer in answers[:9]] == ["malformed"] * 9
        pongs = [answer for answer in answers[9:] if answer["type"] == "pong"]
        rest = [await player.until(lambda frame: "re" in frame) for _ in range(9)]
        assert len(pongs) + sum(answer["type"] == "pong" for answer in rest) < 39


async def test_the_hundredth_too_fast_within_a_minute_closes_with_1008(server: Served) -> None:
    async with dialled(server.ws) as player:
        for _ in range(200):
            await player.send("ping")
        assert await player.closed() == 1008
        assert sum(frame.get("reason") == "too_fast" for frame in player.seen) == 100


async def test_an_address_that_is_full_is_refused_with_429_until_one_of_its_sockets_closes(
    tmp_path: Path,
) -> None:
    async with (
        serving(tmp_path, "--limit=connections_per_address=2") as server,
        AsyncExitStack() as stack,
    ):
        connect = partial(dialled, server.ws)
        first, second = [await stack.enter_async_context(connect(hello=False)) for _ in range(2)]
        with pytest.raises(InvalidStatus) as refused:
            await stack.enter_async_context(connect())
        assert refused.value.response.status_code == 429
        asked = fetch(server, "/ws")
        assert (asked.status, asked.json["reason"]) == (429, "address")
        assert (await second.ask("hello", protocol=1))["type"] == "welcome"
        await first.socket.close()
        newcomer = await stack.enter_async_context(connect())  # one place is free again
        assert (await newcomer.ask("ping"))["type"] == "pong"


async def test_a_player_opens_twenty_rooms_a_minute_through_all_sockets_together(
    server: Served,
) -> None:
    async with dialled(server.ws) as ada, dialled(server.ws, token=ada.token) as again:
        for _ in range(10):
            await ada.create()
            await again.create()
        while (answer := await again.ask("create"))["type"] == "accepted":
            pass  # one is refilled every three seconds
        assert (answer["reason"], answer["whose"]) == ("too_many_rooms", "player")


async def test_a_repeated_create_does_not_count_toward_the_limit(tmp_path: Path) -> None:
    """Its answer may have been lost: sending `create` again gives the same room."""
    async with serving(tmp_path) as server:
        async with dialled(server.ws) as ada, dialled(server.ws) as bob:
            first = await ada.create(nonce="mine")
            while (await bob.ask("create"))["type"] == "accepted":
                pass
        async with dialled(server.ws, token=ada.token) as ada:
            assert await ada.create(nonce="mine") == first
