"""docs/protocol.md §1: programs say that they are bots, and their seats are marked everywhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.dialling import Player, dialled, play_out, seated_pair
from tests.support.fetching import fetch
from tests.support.serving import Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def robo(server: Served) -> AsyncIterator[Player]:
    async with dialled(server.ws, name="Robo", bot=True) as player:
        yield player


def marked(seats: dict[str, dict[str, Any]]) -> list[str]:
    """The seats that are marked. A seat of a person does not even have the field."""
    assert all(seat.get("bot", True) is True for seat in seats.values())
    return [mark for mark, seat in seats.items() if "bot" in seat]


async def test_a_seat_of_a_bot_is_marked_in_every_state_and_swaps_with_a_rematch(
    ada: Player, robo: Player
) -> None:
    room = await seated_pair(ada, robo)
    state = await play_out(room, (ada, robo), [0, 3, 1, 4, 2])
    assert state["seats"]["O"] == {"kind": "human", "player": robo.id, "name": "Robo", "bot": True}
    assert marked(state["seats"]) == ["O"]
    for player in (ada, robo):
        await player.accept("rematch", room=room)
    state = await ada.state(room, lambda it: bool(it["game"] == 2))
    assert marked(state["seats"]) == ["X"]


async def test_a_bot_that_opens_a_room_marks_the_seats_that_it_takes(robo: Player) -> None:
    room = await robo.create(seats={"X": "me", "O": {"me": "Second"}})
    state = await robo.watch(room)
    assert marked(state["seats"]) == ["X", "O"]
    assert state["seats"]["O"]["name"] == "Second"
    await robo.accept("leave", room=room, seat="O")
    await robo.accept("sit", room=room, seat="O", name="Third")
    seats = (await robo.watch(room))["seats"]
    assert (marked(seats), seats["O"]["name"]) == (["X", "O"], "Third")


async def test_a_player_who_is_no_bot_any_more_sits_down_again_to_lose_the_mark(
    server: Served, robo: Player
) -> None:
    room = await robo.create()
    async with dialled(server.ws, token=robo.token, name="Robo", bot=False) as same:
        assert marked((await same.watch(room))["seats"]) == ["X"]
        await same.accept("sit", room=room, seat="X")
        assert marked((await same.watch(room))["seats"]) == []


async def test_welcome_said_and_quick_name_a_bot_as_one(server: Served, robo: Player) -> None:
    assert robo.welcome["player"] == {"id": robo.id, "name": "Robo", "bot": True}
    async with dialled(server.ws, name="Ada") as ada:
        assert "bot" not in ada.welcome["player"]
        for player in (ada, robo):
            await player.accept("quick", on=True, variant="drop")
        frame = await ada.until(lambda it: it["type"] == "quick" and it["partner"] is not None)
        assert frame["partner"]["bot"] is True
        await ada.accept("meet", player=robo.id)
        room = (await robo.accept("meet", player=ada.id))["room"]
        seats = (await ada.watch(room))["seats"]
        assert [seats[mark]["player"] for mark in marked(seats)] == [robo.id]
        await robo.accept("say", room=room, phrase="hello")
        assert (await ada.of_type("said"))["player"]["bot"] is True


async def test_games_over_http_and_the_lobby_show_bots_and_can_be_asked_for(
    server: Served, ada: Player, robo: Player
) -> None:
    room = await seated_pair(ada, robo, variant="reverse")
    plain = await ada.create(variant="reverse")
    drop = await robo.create(variant="drop")
    await play_out(room, (ada, robo), [0])
    assert marked(fetch(server, f"/api/rooms/{room}").json["seats"]) == ["O"]
    assert marked(fetch(server, f"/api/rooms/{room}/games/1").json["players"]) == ["O"]
    assert marked(fetch(server, f"/api/rooms/{room}/games").json["games"][0]["players"]) == ["O"]

    def listed(query: str) -> set[str]:
        answer = fetch(server, f"/api/rooms{query}")
        assert answer.status == 200
        assert answer.json.keys() == {"type", "complete", "rooms", "gone"}
        return {each["room"] for each in answer.json["rooms"]} & {room, plain, drop}

    assert listed("") == listed("?other=1") == {room, plain, drop}
    assert listed("?bots=0") == {plain}
    assert listed("?bots=1") == {room, drop}
    assert listed("?variant=reverse") == {room, plain}
    assert listed("?variant=reverse&bots=1") == {room}
    assert listed("?variant=ultimate&bots=1") == set()


@pytest.mark.parametrize(
    ("query", "reason", "word"),
    [
        ("bots=2", "malformed", "bots"),
        ("bots=", "malformed", "0, 1"),
        ("bots=true", "malformed", "bots"),
        ("bots=0&bots=1", "malformed", "bots"),
        ("variant=chess", "no_such_variant", "ultimate"),
        ("variant=%00&bots=1", "no_such_variant", "variant"),
    ],
)
async def test_a_query_that_makes_no_sense_is_answered_with_400_and_a_sentence(
    server: Served, query: str, reason: str, word: str
) -> None:
    answer = fetch(server, f"/api/rooms?{query}")
    assert (answer.status, answer.json["reason"]) == (400, reason)
    assert word in answer.json["text"]
    assert answer.json["text"].endswith(".")


@pytest.mark.parametrize("bot", [1, "yes", None, {}])
async def test_a_bot_that_is_neither_true_nor_false_is_malformed(
    server: Served, bot: object
) -> None:
    async with dialled(server.ws, hello=False) as player:
        answer = await player.ask("hello", protocol=1, bot=bot)
        assert (answer["reason"], answer["text"][:4]) == ("malformed", "bot:")


async def test_the_mark_survives_a_restart(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path}/rooms.db"
    async with serving(tmp_path, store=store) as server:
        async with dialled(server.ws, name="Robo", bot=True) as robo:
            room = await robo.create(seats={"X": {"ai": "easy"}, "O": "me"})
        assert await server.stop() == 0
    async with serving(tmp_path, store=store) as server:
        assert marked(fetch(server, f"/api/rooms/{room}").json["seats"]) == ["O"]
