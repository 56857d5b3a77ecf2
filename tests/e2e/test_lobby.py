"""docs/protocol.md §3: the list of public rooms, on a server with no rooms of other tests."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.dialling import Frame, Player, dialled, play_out, seated_pair
from tests.support.fetching import fetch
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with serving(tmp_path_factory.mktemp("lobby"), "--no-limits") as served:
        yield served
        assert "Traceback" not in served.log, served.log


async def follow(player: Player) -> Frame:
    """Follow the lobby and return the complete list."""
    await player.accept("lobby", on=True)
    return await player.of_type("lobby")


async def listed(player: Player, room: str) -> Frame:
    """Wait for a change that names this room, and return its entry."""
    frame = await player.until(
        lambda f: f["type"] == "lobby" and any(each["room"] == room for each in f["rooms"])
    )
    return next(entry for entry in frame["rooms"] if entry["room"] == room)


async def test_the_list_is_complete_first_then_only_what_changed(
    ada: Player, bob: Player, eve: Player
) -> None:
    before = await ada.create()
    complete = await follow(eve)
    assert complete.keys() == {"type", "complete", "rooms", "gone"}
    assert (complete["complete"], complete["gone"]) == (True, [])
    assert before in [entry["room"] for entry in complete["rooms"]]
    await bob.accept("sit", room=before, seat="O")
    change = await eve.of_type("lobby")
    while not any(entry["room"] == before and entry["turn"] for entry in change["rooms"]):
        change = await eve.of_type("lobby")  # about rooms of other tests
    assert not change["complete"]


async def test_an_entry_shows_the_room_as_it_is(ada: Player, bob: Player, eve: Player) -> None:
    await follow(eve)
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [0, 2, 4])
    entry = await listed(eve, room)
    while (entry["board"], entry["online"]) != ("X.O.X....", 2):
        entry = await listed(eve, room)
    assert entry == {
        "room": room,
        "variant": "3x3",
        "game": 1,
        "board": "X.O.X....",
        "status": "playing",
        "turn": "O",
        "seats": {"X": {"kind": "human", "name": "Ada"}, "O": {"kind": "human", "name": "Bob"}},
        "watchers": 0,
        "online": 2,
    }
    await eve.watch(room)
    entry = await listed(eve, room)
    assert entry["watchers"] == 1


@pytest.mark.parametrize(
    ("cells", "winner"), [([0, 3, 1, 4, 2], "X"), ([0, 1, 2, 4, 3, 5, 7, 6, 8], None)]
)
async def test_an_entry_of_a_game_that_is_over_names_its_winner(
    ada: Player, bob: Player, eve: Player, cells: list[int], winner: str | None
) -> None:
    await follow(eve)
    room = await seated_pair(ada, bob)
    entry = await listed(eve, room)
    assert "winner" not in entry
    await play_out(room, (ada, bob), cells)
    while entry["status"] != "over":
        entry = await listed(eve, room)
    assert (entry["winner"], entry["turn"]) == (winner, None)
    await bob.accept("unwatch", room=room)
    while entry["online"] != 1:
        entry = await listed(eve, room)
    assert entry["winner"] == winner


async def test_an_open_seat_and_an_ai_are_listed_too(ada: Player, eve: Player) -> None:
    await follow(eve)
    waiting = await ada.create()
    entry = await listed(eve, waiting)
    assert (entry["status"], entry["turn"]) == ("waiting", None)
    assert entry["seats"] == {"X": {"kind": "human", "name": "Ada"}, "O": {"kind": "open"}}
    against_ai = await ada.create(seats={"X": "me", "O": {"ai": "hard"}})
    entry = await listed(eve, against_ai)
    assert entry["seats"]["O"]["kind"] == "ai"


async def test_a_private_room_is_never_listed(ada: Player, bob: Player, eve: Player) -> None:
    await follow(eve)
    room = await seated_pair(ada, bob, public=False)
    await play_out(room, (ada, bob), [4])
    public = await ada.create()
    await listed(eve, public)
    frames = [frame for frame in eve.seen if frame["type"] == "lobby"]
    assert room not in [entry["room"] for frame in frames for entry in frame["rooms"]]
    assert room not in [entry["room"] for entry in (await follow(bob))["rooms"]]


async def test_lobby_off_ends_the_changes_and_both_can_be_repeated(
    ada: Player, eve: Player
) -> None:
    answer = await eve.accept("lobby", on=True)
    assert answer == {"type": "accepted", "re": answer["re"]}
    assert (await eve.of_type("lobby"))["complete"] is True
    assert (await follow(eve))["complete"] is True
    for _ in range(2):
        await eve.accept("lobby", on=False)
    await ada.create()
    assert "lobby" not in [frame["type"] for frame in await eve.quiet(0.6)]


async def test_running_games_come_first_and_then_the_newest_change(
    ada: Player, bob: Player, eve: Player
) -> None:
    playing = await seated_pair(ada, bob)
    older, newer = await ada.create(), await ada.create()
    order = [entry["room"] for entry in (await follow(eve))["rooms"]]
    assert order.index(playing) < order.index(newer) < order.index(older)
    statuses = [entry["status"] for entry in (await follow(eve))["rooms"]]
    assert statuses == sorted(statuses, key=lambda status: status != "playing")


async def test_at_most_four_frames_a_second_however_much_happens(ada: Player, eve: Player) -> None:
    room = await ada.create(seats={"X": "me", "O": "me"})
    await follow(eve)
    eve.seen.clear()
    begin = time.monotonic()
    while time.monotonic() - begin < 1.5:
        await ada.accept("resign", room=room)
        await ada.accept("rematch", room=room)
        await eve.ask("ping")  # reads the frames that have arrived
    lasted = time.monotonic() - begin
    frames = [frame for frame in eve.seen if frame["type"] == "lobby"]
    assert 2 <= len(frames) <= 4 * lasted + 1
    game = (await ada.watch(room))["game"]
    while not shows_game(eve.seen, room, game):  # the last change arrives in the end
        await eve.of_type("lobby")


def shows_game(frames: list[Frame], room: str, game: int) -> bool:
    listed = [entry for frame in frames for entry in frame.get("rooms", ())]
    return any(entry["room"] == room and entry["game"] == game for entry in listed)


async def test_the_api_gives_the_same_complete_frame(
    server: Served, ada: Player, eve: Player
) -> None:
    await ada.create()
    answer = fetch(server, "/api/rooms")
    frame = await follow(eve)
    assert answer.status == 200
    assert answer.json == frame


async def test_the_oldest_rooms_beyond_two_hundred_are_gone(server: Served, eve: Player) -> None:
    async with dialled(server.ws) as ada:
        first = await ada.create()
        await follow(eve)
        for _ in range(200):
            await ada.send("create")
            room = (await ada.of_type("accepted"))["room"]
            await ada.accept("unwatch", room=room)
        gone: set[str] = set()
        while first not in gone:
            gone.update((await eve.of_type("lobby"))["gone"])
        rooms = (await follow(eve))["rooms"]
        assert len(rooms) == 200
        assert first not in [entry["room"] for entry in rooms]
        assert (await eve.watch(first))["status"] == "waiting"  # the room still exists
