"""docs/protocol.md §2 and §3: opening and following rooms, taking and leaving seats."""

from __future__ import annotations

import pytest

from tests.support.dialling import Frame, Player, dialled, play_out, seated_pair
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

OPEN = {"kind": "open"}
UNKNOWN = ["AAAAAAAAAAAAAAAA", "", "no/such room", "é", "x" * 2000, "../etc/passwd", "\u0000"]


def human(player: Player) -> Frame:
    return {"kind": "human", "player": player.id, "name": player.welcome["player"]["name"]}


async def test_a_new_room_has_its_creator_on_x_and_o_open(ada: Player) -> None:
    answer = await ada.accept("create")
    state = await ada.next("presence")
    assert state == {
        "type": "state",
        "room": answer["room"],
        "seq": answer["seq"],
        "public": True,
        "variant": {"name": "3x3", "rows": 3, "columns": 3, "line": 3},
        "game": 1,
        "board": [None] * 9,
        "moves": [],
        "turn": None,
        "status": "waiting",
        "outcome": None,
        "seats": {"X": human(ada), "O": OPEN},
        "score": {"X": 0, "O": 0, "draws": 0},
        "rematch": [],
        "clock": None,
    }


async def test_the_creator_watches_the_new_room_at_once(ada: Player, bob: Player) -> None:
    room = await ada.create()
    await bob.accept("sit", room=room, seat="O")
    assert (await ada.state(room))["status"] == "playing"


@pytest.mark.parametrize("x", ["me", "open", {"ai": "perfect"}])
@pytest.mark.parametrize("o", ["me", "open", {"ai": "easy"}])
async def test_a_seat_is_created_as_me_open_or_an_ai(ada: Player, x: object, o: object) -> None:
    await ada.send("create", seats={"X": x, "O": o})
    room = (await ada.of_type("accepted"))["room"]
    state = await ada.state(room)
    for mark, wish in (("X", x), ("O", o)):
        seat = state["seats"][mark]
        if isinstance(wish, dict):
            assert seat == {"kind": "ai", "level": wish["ai"]}
        else:
            assert seat == (human(ada) if wish == "me" else OPEN)
    if "open" in (x, o):
        assert (state["status"], state["turn"]) == ("waiting", None)


async def test_create_takes_variant_public_and_clock(ada: Player) -> None:
    clock = {"budget": 60_000, "increment": 2_000}
    await ada.send("create", variant="3x3", public=False, clock=clock)
    state = await ada.of_type("state")
    assert state["public"] is False
    assert state["clock"] == {**clock, "left": {"X": 60_000, "O": 60_000}, "since": None}


async def test_create_is_refused_for_an_unknown_variant_or_level(ada: Player) -> None:
    assert await ada.reason("create", variant="19x19") == "no_such_variant"
    seats = {"X": "me", "O": {"ai": "grandmaster"}}
    assert await ada.reason("create", seats=seats) == "no_such_level"


@pytest.mark.parametrize(
    "fields",
    [
        {"variant": None},
        {"seats": None},
        {"seats": {"X": "you", "O": "open"}},
        {"seats": {"X": "me", "O": None}},
        {"seats": {"X": "me", "O": {"ai": 3}}},
        {"seats": {"X": "me", "O": {"ai": "easy", "name": "Bot"}}},
        {"seats": {"X": "me", "O": "open", "Z": "open"}},
        {"seats": "me"},
        {"public": 1},
        {"public": None},
        {"clock": {"budget": 4_999, "increment": 0}},
        {"clock": {"budget": 3_600_001, "increment": 0}},
        {"clock": {"budget": 60_000, "increment": -1}},
        {"clock": {"budget": 60_000, "increment": 60_001}},
        {"clock": {"budget": 60_000.0, "increment": 0}},
        {"clock": {"increment": 0}},
        {"clock": 60_000},
        {"nonce": "x" * 65},
        {"nonce": 7},
        {"nonce": None},
    ],
)
async def test_a_create_with_invalid_fields_is_malformed(
    ada: Player, fields: dict[str, object]
) -> None:
    assert await ada.reason("create", **fields) == "malformed"


@pytest.mark.parametrize("clock", [{"budget": 5_000, "increment": 60_000}, {"budget": 3_600_000}])
async def test_a_clock_may_be_as_short_or_long_as_documented(ada: Player, clock: Frame) -> None:
    await ada.create(clock={"increment": 0, **clock})


async def test_creating_again_with_the_same_nonce_gives_the_same_room(
    server: Served, bob: Player
) -> None:
    async with dialled(server.ws, name="Ada") as ada:
        room = await ada.create(nonce="n" * 64, public=False)
        await bob.accept("sit", room=room, seat="O")
        await ada.state(room)
    async with dialled(server.ws, token=ada.token, name="Ada") as again:
        answer = await again.accept("create", nonce="n" * 64, public=False)
        assert answer["room"] == room
        assert (await again.state(room))["seq"] == answer["seq"] == 3
        assert await again.create(nonce="another") != room
        await again.accept("play", room=room, cell=4, ply=0)  # the creator follows it again
        assert (await again.state(room))["moves"] == [4]
    assert await bob.create(nonce="n" * 64) != room  # another player's nonce is another room


@pytest.mark.parametrize("room", UNKNOWN)
async def test_every_command_that_names_a_room_is_refused_for_an_unknown_one(
    eve: Player, room: str
) -> None:
    seat = {"room": room, "seat": "X"}
    assert await eve.reason("watch", room=room) == "no_such_room"
    assert await eve.reason("unwatch", room=room) == "no_such_room"
    assert await eve.reason("sit", **seat) == "no_such_room"
    assert await eve.reason("leave", **seat) == "no_such_room"
    assert await eve.reason("seat_ai", **seat, level="easy") == "no_such_room"
    assert await eve.reason("dismiss_ai", **seat) == "no_such_room"
    assert await eve.reason("play", room=room, cell=99, ply=99) == "no_such_room"
    assert await eve.reason("resign", room=room) == "no_such_room"
    assert await eve.reason("rematch", room=room) == "no_such_room"
    assert await eve.reason("claim", room=room) == "no_such_room"
    assert await eve.reason("say", room=room, phrase="hello") == "no_such_room"
    assert await eve.reason("analyse", room=room) == "no_such_room"


async def test_watch_sends_a_state_at_once_and_again_each_time(ada: Player, eve: Player) -> None:
    room = await ada.create()
    for _ in range(3):
        answer = await eve.accept("watch", room=room)
        state = await eve.next("presence")
        assert (state["type"], state["seq"]) == ("state", answer["seq"])
        assert answer == {"type": "accepted", "re": answer["re"], "room": room, "seq": 2}


async def test_a_spectator_sees_every_change_and_a_late_one_the_whole_room(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    await eve.watch(room)
    last = await play_out(room, (ada, bob), [4, 0, 8])
    seen = [await eve.state(room) for _ in range(3)]
    assert [state["moves"] for state in seen] == [[4], [4, 0], [4, 0, 8]]
    assert [state["seq"] for state in seen] == [4, 5, 6]
    assert seen[-1] == last == await eve.watch(room)
    assert last["board"] == ["O", None, None, None, "X", None, None, None, "X"]
    assert (last["turn"], last["status"]) == ("O", "playing")


async def test_unwatch_ends_the_states_but_keeps_the_seat(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    answer = await bob.accept("unwatch", room=room)
    assert answer["room"] == room
    await ada.accept("play", room=room, cell=4, ply=0)
    await ada.state(room)
    assert "state" not in [frame["type"] for frame in await bob.quiet()]
    await bob.accept("play", room=room, cell=0, ply=1)
    assert (await ada.state(room))["moves"] == [4, 0]
    await bob.accept("unwatch", room=room)  # nothing to change


async def test_sitting_down_also_watches(ada: Player, bob: Player) -> None:
    room = await ada.create()
    answer = await bob.accept("sit", room=room, seat="O")
    state = await bob.next("presence")
    assert (state["type"], state["seq"]) == ("state", answer["seq"])
    assert state["seats"] == {"X": human(ada), "O": human(bob)}
    await ada.accept("play", room=room, cell=4, ply=0)
    assert (await bob.state(room))["moves"] == [4]


async def test_a_taken_seat_is_refused_and_nothing_changes(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    assert await eve.reason("sit", room=room, seat="X") == "seat_taken"
    assert await eve.reason("sit", room=room, seat="O") == "seat_taken"
    assert await bob.reason("sit", room=room, seat="X") == "seat_taken"
    assert (await eve.watch(room))["seq"] == 3


async def test_sitting_down_with_a_new_name_renames(server: Served, bob: Player) -> None:
    async with dialled(server.ws, name="Ada") as ada:
        room = await seated_pair(ada, bob)
    async with dialled(server.ws, token=ada.token, name="Countess") as ada:
        answer = await ada.accept("sit", room=room, seat="X")
        state = await ada.state(room)
        assert state["seats"]["X"] == {"kind": "human", "player": ada.id, "name": "Countess"}
        assert state["seq"] == answer["seq"] == 4
        assert (await bob.state(room)) == state
        assert (await ada.accept("sit", room=room, seat="X"))["seq"] == 4  # nothing to change


async def test_a_seat_that_is_left_is_open_and_the_game_waits(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [4])
    first = await bob.accept("leave", room=room, seat="O")
    state = await ada.state(room)
    assert state["seats"]["O"] == OPEN
    assert (state["status"], state["turn"], state["moves"]) == ("waiting", None, [4])
    assert (await bob.accept("leave", room=room, seat="O"))["seq"] == first[
        "seq"
    ]  # nothing to change
    assert await bob.reason("play", room=room, cell=0, ply=1) == "not_seated"
    await eve.accept("sit", room=room, seat="O")
    assert (await ada.state(room))["turn"] == "O"
    await eve.accept("play", room=room, cell=0, ply=1)
    assert (await ada.state(room))["moves"] == [4, 0]
    assert await bob.reason("leave", room=room, seat="O") == "not_seated"


async def test_only_the_holder_can_leave_a_seat(ada: Player, eve: Player) -> None:
    room = await ada.create()
    for mark in "XO":
        assert await eve.reason("leave", room=room, seat=mark) == "not_seated"
    assert await ada.reason("leave", room=room, seat="O") == "not_seated"
    assert (await ada.watch(room))["seq"] == 2


async def test_one_player_may_hold_both_seats(ada: Player) -> None:
    room = await ada.create()
    await ada.accept("sit", room=room, seat="O")
    state = await ada.state(room)
    assert state["seats"] == {"X": human(ada), "O": human(ada)}
    for ply, cell in enumerate([0, 3, 1, 4, 2]):
        await ada.accept("play", room=room, cell=cell, ply=ply)
        state = await ada.state(room)
    assert state["outcome"] == {"winner": "X", "by": "line", "line": [0, 1, 2]}
    await ada.accept("rematch", room=room)  # for both seats
    state = await ada.state(room)
    assert (state["game"], state["status"], state["turn"]) == (2, "playing", "X")
    assert state["score"] == {"X": 0, "O": 1, "draws": 0}
    await ada.accept("play", room=room, cell=4, ply=0)
    await ada.state(room)
    await ada.accept("resign", room=room)  # for the side to move
    assert (await ada.state(room))["outcome"]["winner"] == "X"


async def test_a_private_room_is_found_by_its_id(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob, public=False)
    assert (await bob.watch(room))["public"] is False


async def state_at(player: Player, answer: Frame) -> Frame:
    """The state that an `accepted` promises."""
    return await player.state(answer["room"], lambda state: state["seq"] >= answer["seq"])


async def test_two_people_at_one_screen_have_two_names(ada: Player) -> None:
    answer = await ada.accept("create", seats={"X": {"me": "Mia"}, "O": {"me": "Noa"}})
    state = await state_at(ada, answer)
    assert [state["seats"][mark]["name"] for mark in "XO"] == ["Mia", "Noa"]
    assert {state["seats"][mark]["player"] for mark in "XO"} == {ada.id}

    answer = await ada.accept("sit", room=answer["room"], seat="O", name="Noah")

    state = await state_at(ada, answer)
    assert [state["seats"][mark]["name"] for mark in "XO"] == ["Mia", "Noah"]
    assert state["score"] == {"X": 0, "O": 0, "draws": 0}


async def test_a_game_begins_after_the_moves_it_was_created_with(ada: Player) -> None:
    answer = await ada.accept("create", seats={"X": "me", "O": "me"}, moves=[4, 0, 8])
    room = answer["room"]
    state = await state_at(ada, answer)
    assert (state["opening"], state["moves"], state["turn"]) == (3, [4, 0, 8], "O")

    for ply, cell in enumerate((2, 1, 7, 5, 3, 6), start=3):
        answer = await ada.accept("play", room=room, cell=cell, ply=ply)
    over = await state_at(ada, answer)
    assert (over["status"], over["opening"]) == ("over", 3)
    answer = await ada.accept("rematch", room=room)

    following = await state_at(ada, answer)
    assert (following["moves"], following["game"]) == ([], 2)
    assert "opening" not in following


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ([9], "no_such_cell"),
        ([-1], "no_such_cell"),
        ([10**30], "no_such_cell"),
        ([4, 4], "cell_taken"),
        ([0, 3, 1, 4, 2], "game_over"),
        ([0, 3, 1, 4, 2, 5], "game_over"),
        ([0, 3, 1, 4, 2, 99], "game_over"),
        ([0, 1, 2, 4, 3, 5, 7, 6, 8], "game_over"),
    ],
)
async def test_moves_that_begin_no_game_are_refused_and_open_no_room(
    ada: Player, moves: list[int], reason: str
) -> None:
    assert await ada.reason("create", moves=moves) == reason
