"""docs/protocol.md §2 and §3: what happens after people have been gone for half a minute.

The clock of this server is fast, so that half a minute takes about a second.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.dialling import HANG, Frame, Player, dialled, play_out, seated_pair
from tests.support.fetching import fetch
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

FASTER = 20
PROGRAM = f"""
import sys
from server import app
from server.__main__ import main
real, begin = app.now, app.now()
app.now = lambda: begin + {FASTER} * (real() - begin)
sys.exit(main())
"""
HALF_A_MINUTE = 30 / FASTER


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("absence")
    async with serving(folder, "--no-limits", "--limit=ping=1", program=PROGRAM) as served:
        yield served
        assert "Traceback" not in served.log, served.log


def listed(server: Served) -> dict[str, Frame]:
    return {entry["room"]: entry for entry in fetch(server, "/api/rooms").json["rooms"]}


async def until_gone(server: Served, room: str) -> None:
    async with asyncio.timeout(HANG):
        while room in listed(server):
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("cells", [[4, 0], [0, 3, 1, 4, 2]])
async def test_a_room_that_nobody_has_followed_for_half_a_minute_is_not_listed(
    server: Served, ada: Player, bob: Player, eve: Player, cells: list[int]
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), cells)
    await eve.accept("lobby", on=True)
    complete = await eve.of_type("lobby")
    assert room in [entry["room"] for entry in complete["rooms"]]
    await ada.accept("unwatch", room=room)
    begin = time.monotonic()
    await bob.accept("unwatch", room=room)

    await eve.until(lambda frame: frame["type"] == "lobby" and room in frame["gone"])

    assert time.monotonic() - begin >= HALF_A_MINUTE
    assert room not in listed(server)
    await bob.watch(room)
    assert room in listed(server)


async def test_a_room_with_only_a_spectator_is_listed_and_nobody_is_online(
    server: Served, ada: Player, bob: Player, eve: Player
) -> None:
    watched = await seated_pair(ada, bob)
    forgotten = await seated_pair(ada, bob)
    await eve.watch(watched)
    for player in (ada, bob):
        for room in (watched, forgotten):
            await player.accept("unwatch", room=room)

    await until_gone(server, forgotten)

    entry = listed(server)[watched]
    while entry["online"] > 0:  # presence is counted once a second
        entry = listed(server)[watched]
    assert (entry["status"], entry["online"], entry["watchers"]) == ("playing", 0, 1)


async def test_an_exhibition_that_nobody_watches_is_not_listed(server: Served, ada: Player) -> None:
    room = await ada.create(variant="vanishing", seats={"X": {"ai": "easy"}, "O": {"ai": "easy"}})
    assert room in listed(server)
    await ada.accept("unwatch", room=room)

    await until_gone(server, room)


async def test_the_ai_covers_at_the_top_level_if_the_other_player_asks_for_a_weaker_one(
    server: Served, ada: Player
) -> None:
    async with dialled(server.ws, name="Bob") as bob:
        room = await seated_pair(ada, bob)
    cover = {"room": room, "seat": "O", "level": "gentle"}
    async with asyncio.timeout(HANG):
        while (answer := await ada.ask("seat_ai", **cover))["type"] == "refused":
            assert answer["reason"] == "seat_taken"
            await asyncio.sleep(0.05)

    state = await ada.state(room)
    again = await ada.accept("seat_ai", **cover)

    covers = {"player": bob.id, "name": "Bob"}
    assert state["seats"]["O"] == {"kind": "ai", "level": "perfect", "covers": covers}
    assert state["seq"] == answer["seq"] == again["seq"]
