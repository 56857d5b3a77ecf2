"""docs/protocol.md §2: the AI takes a seat at any time, plays either side, and is dismissed."""

from __future__ import annotations

import pytest

from tests.support.dialling import Frame, Player, play_out, seated_pair

pytestmark = pytest.mark.asyncio(loop_scope="session")

LEVELS = ["gentle", "easy", "medium", "hard", "perfect"]


async def finish(player: Player, room: str, state: Frame, mark: str) -> Frame:
    """Play the first free cell whenever it is `mark`'s turn, until the game is over."""
    while state["status"] != "over":
        if state["turn"] == mark:
            cell, ply = state["board"].index(None), len(state["moves"])
            await player.accept("play", room=room, cell=cell, ply=ply, game=state["game"])
        state = await player.state(room, lambda s, seq=state["seq"]: s["seq"] > seq)  # type: ignore[misc]
    return state


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("mark", ["X", "O"])
async def test_the_ai_plays_a_whole_game_from_either_side(
    ada: Player, level: str, mark: str
) -> None:
    other = "O" if mark == "X" else "X"
    room = str((await ada.accept("create", seats={mark: "me", other: {"ai": level}}))["room"])
    state = await finish(ada, room, await ada.state(room), mark)
    assert state["seats"][other] == {"kind": "ai", "level": level}
    if level == "perfect":
        assert state["outcome"]["winner"] in (other, None)


async def test_an_ai_agrees_to_a_rematch_at_once_and_swaps_marks(ada: Player) -> None:
    room = str((await ada.accept("create", seats={"X": "me", "O": {"ai": "hard"}}))["room"])
    await finish(ada, room, await ada.state(room), "X")
    await ada.accept("rematch", room=room)
    state = await ada.state(room)
    assert (state["game"], state["seats"]["X"]) == (2, {"kind": "ai", "level": "hard"})
    await finish(ada, room, state, "O")


async def test_an_ai_fills_an_open_seat_in_mid_game(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [4])
    await bob.accept("leave", room=room, seat="O")
    answer = await ada.accept("seat_ai", room=room, seat="O", level="perfect")
    state = await ada.state(room, lambda s: s["seats"]["O"]["kind"] == "ai")
    assert (state["seq"], state["moves"], state["turn"]) == (answer["seq"], [4], "O")
    state = await ada.state(room, lambda s: len(s["moves"]) == 2)
    assert state["turn"] == "X"


async def test_an_ai_is_dismissed_in_mid_game_and_a_person_plays_on(
    ada: Player, bob: Player
) -> None:
    room = str((await ada.accept("create", seats={"X": {"ai": "easy"}, "O": "me"}))["room"])
    state = await ada.state(room, lambda s: len(s["moves"]) == 1)
    await ada.accept("dismiss_ai", room=room, seat="X")
    state = await ada.state(room)
    assert (state["seats"]["X"], state["status"], state["turn"]) == (
        {"kind": "open"},
        "waiting",
        None,
    )
    await bob.accept("sit", room=room, seat="X")
    state = await bob.state(room)
    assert (state["turn"], len(state["moves"])) == ("O", 1)
    await ada.accept("play", room=room, cell=state["board"].index(None), ply=1)
    state = await bob.state(room)
    await bob.accept("play", room=room, cell=state["board"].index(None), ply=2)


async def test_seat_ai_is_refused_for_an_unknown_level_or_a_taken_seat(
    ada: Player, bob: Player
) -> None:
    room = await ada.create()
    assert await ada.reason("seat_ai", room=room, seat="O", level="god") == "no_such_level"
    assert await ada.reason("seat_ai", room=room, seat="X", level="easy") == "seat_taken"
    await bob.accept("sit", room=room, seat="O")
    assert await ada.reason("seat_ai", room=room, seat="O", level="easy") == "seat_taken"
    await bob.accept("unwatch", room=room)
    assert (
        await ada.reason("seat_ai", room=room, seat="O", level="easy") == "seat_taken"
    )  # not 20 s


async def test_another_level_on_an_ais_seat_is_seat_taken_until_it_is_dismissed(
    ada: Player,
) -> None:
    room = await ada.create()
    first = await ada.accept("seat_ai", room=room, seat="O", level="easy")
    again = await ada.accept("seat_ai", room=room, seat="O", level="easy")
    assert again["seq"] == first["seq"]
    assert await ada.reason("seat_ai", room=room, seat="O", level="hard") == "seat_taken"
    assert await ada.reason("sit", room=room, seat="O") == "seat_taken"
    await ada.accept("dismiss_ai", room=room, seat="O")
    await ada.accept("seat_ai", room=room, seat="O", level="hard")
    assert (await ada.watch(room))["seats"]["O"] == {"kind": "ai", "level": "hard"}


async def test_a_stranger_may_not_seat_or_dismiss_an_ai_while_a_person_sits_here(
    ada: Player, eve: Player
) -> None:
    room = await ada.create()
    await eve.watch(room)
    assert await eve.reason("seat_ai", room=room, seat="O", level="easy") == "not_seated"
    assert await eve.reason("dismiss_ai", room=room, seat="O") == "not_seated"
    await ada.accept("seat_ai", room=room, seat="O", level="easy")
    assert await eve.reason("dismiss_ai", room=room, seat="O") == "not_seated"
    assert await eve.reason("dismiss_ai", room=room, seat="X") == "not_seated"


async def test_a_creator_without_a_seat_has_no_rights_beyond_it(ada: Player, bob: Player) -> None:
    room = await ada.create(seats={"X": "open", "O": {"ai": "easy"}})
    await bob.accept("sit", room=room, seat="X")
    assert await ada.reason("dismiss_ai", room=room, seat="O") == "not_seated"
    await bob.accept("dismiss_ai", room=room, seat="O")
    assert await ada.reason("seat_ai", room=room, seat="O", level="easy") == "not_seated"
    assert await ada.reason("resign", room=room) == "not_seated"


async def test_anybody_may_seat_and_dismiss_ais_while_no_person_sits_here(
    ada: Player, eve: Player
) -> None:
    room = await ada.create(seats={"X": "open", "O": "open"})
    await eve.accept("dismiss_ai", room=room, seat="X")  # nothing to change
    await eve.accept("seat_ai", room=room, seat="X", level="easy")
    await eve.accept("dismiss_ai", room=room, seat="X")
    state = await ada.state(room, lambda s: s["seq"] == 3)
    assert state["seats"] == {"X": {"kind": "open"}, "O": {"kind": "open"}}


async def test_two_ais_play_an_exhibition_and_a_follower_may_ask_for_the_next(
    ada: Player, eve: Player
) -> None:
    seats = {"X": {"ai": "perfect"}, "O": {"ai": "perfect"}}
    room = str((await ada.accept("create", seats=seats))["room"])
    over = await ada.state(room, lambda s: s["status"] == "over")
    assert over["outcome"] == {"winner": None, "by": "full", "line": None}
    assert await eve.reason("rematch", room=room) == "not_seated"  # Eve does not follow the room
    await eve.watch(room)
    answer = await eve.accept("rematch", room=room)
    state = await eve.state(room)
    assert (state["game"], state["seq"], state["moves"]) == (2, answer["seq"], [])
    over = await eve.state(room, lambda s: s["status"] == "over")
    assert over["score"] == {"X": 0, "O": 0, "draws": 2}
    again = await eve.accept("rematch", room=room, game=1)
    assert (again["seq"], (await eve.watch(room))["game"]) == (over["seq"], 2)


async def test_nobody_can_play_for_an_ai(ada: Player, eve: Player) -> None:
    room = str((await ada.accept("create", seats={"X": "me", "O": {"ai": "easy"}}))["room"])
    await ada.accept("play", room=room, cell=4, ply=0)
    state = await ada.state(room, lambda s: len(s["moves"]) == 2)
    assert await eve.reason("play", room=room, cell=8, ply=2) == "not_seated"
    assert await ada.reason("play", room=room, cell=state["moves"][1], ply=1) == "stale"


async def test_resigning_against_an_ai_ends_the_game(ada: Player) -> None:
    room = str((await ada.accept("create", seats={"X": {"ai": "easy"}, "O": "me"}))["room"])
    await ada.accept("resign", room=room)
    state = await ada.state(room, lambda s: s["status"] == "over")
    assert state["outcome"] == {"winner": "X", "by": "resignation", "line": None}


async def test_twenty_rooms_with_ais_all_come_to_an_end(ada: Player) -> None:
    seats = {"X": {"ai": "hard"}, "O": {"ai": "medium"}}
    for _ in range(20):
        await ada.send("create", seats=seats)
    over: set[str] = set()
    while len(over) < 20:
        state = await ada.until(lambda f: f["type"] == "state" and f["status"] == "over")
        over.add(state["room"])
