"""docs/protocol.md, quick play: a waiting player is told of a partner, and the two may meet."""

from __future__ import annotations

import pytest

from tests.support.dialling import Player, dialled
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def joins(player: Player) -> None:
    answer = await player.ask("quick", on=True)
    assert answer == {"type": "accepted", "re": answer["re"]}


async def test_two_players_meet_and_play(ada: Player, bob: Player) -> None:
    await joins(ada)
    await joins(bob)
    told = await ada.until(lambda frame: frame["type"] == "quick" and frame["partner"] is not None)
    assert told["partner"] == {"id": bob.id, "name": "Bob"}

    answer = await ada.accept("meet", player=bob.id)
    assert "room" not in answer
    await bob.until(lambda frame: frame["type"] == "quick" and frame["asks"])
    answer = await bob.accept("meet", player=ada.id)

    room = answer["room"]
    state = await bob.until(lambda frame: frame["type"] == "state")  # the room is followed
    assert (state["room"], state["seq"]) == (room, answer["seq"])
    told = await ada.until(lambda frame: frame["type"] == "quick" and frame["room"] is not None)
    assert (told["on"], told["room"]) == (False, room)
    state = await ada.watch(room)
    assert {seat["player"] for seat in state["seats"].values()} == {ada.id, bob.id}
    assert (await ada.accept("meet", player=bob.id))[
        "room"
    ] == room  # as if the answer had been lost


async def test_a_player_who_has_gone_is_nobodys_partner(server: Served, ada: Player) -> None:
    async with dialled(server.ws) as passer_by:
        await joins(passer_by)
        await joins(ada)
        await ada.until(lambda frame: frame["type"] == "quick" and frame["partner"] is not None)
    await ada.until(lambda frame: frame["type"] == "quick" and frame["partner"] is None)
    assert await ada.reason("meet", player=passer_by.id) == "stale"
    await ada.accept("quick", on=False)


async def test_quick_play_ends_when_it_is_turned_off(ada: Player, bob: Player) -> None:
    await joins(ada)
    await ada.accept("quick", on=False)
    await joins(bob)
    told = await bob.of_type("quick")
    assert told["partner"] is None
    assert await bob.reason("meet", player=ada.id) == "stale"
    await bob.accept("quick", on=False)


@pytest.mark.parametrize(
    ("type", "fields"),
    [("quick", {}), ("quick", {"on": 1}), ("meet", {}), ("meet", {"player": 7})],
)
async def test_an_invalid_quick_or_meet_is_malformed(
    ada: Player, type: str, fields: dict[str, object]
) -> None:
    assert await ada.reason(type, **fields) == "malformed"
