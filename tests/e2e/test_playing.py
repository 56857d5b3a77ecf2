"""docs/protocol.md §2: `play`, the order of its checks, and commands that are sent twice."""

from __future__ import annotations

import pytest

from tests.support.dialling import Frame, Player, play_out, seated_pair

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_answer_precedes_the_state_it_causes(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    for ply, (mover, other, cell) in enumerate([(ada, bob, 4), (bob, ada, 0), (ada, bob, 8)]):
        id = await mover.send("play", room=room, cell=cell, ply=ply)
        answer = await mover.next("presence")
        state = await mover.next("presence")
        assert answer == {"type": "accepted", "re": id, "room": room, "seq": ply + 4}
        assert (state["type"], state["seq"]) == ("state", ply + 4)
        assert await other.next("presence") == state


async def test_a_whole_game_is_won_with_a_line(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    state = await play_out(room, (ada, bob), [0, 1, 4, 2, 8])
    assert (state["status"], state["turn"]) == ("over", None)
    assert state["outcome"] == {"winner": "X", "by": "line", "line": [0, 4, 8]}
    assert state["score"] == {"X": 1, "O": 0, "draws": 0}
    assert state["moves"] == [0, 1, 4, 2, 8]


async def test_a_full_board_without_a_line_is_a_draw(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    state = await play_out(room, (ada, bob), [0, 1, 2, 4, 3, 5, 7, 6, 8])
    assert state["status"] == "over"
    assert state["outcome"] == {"winner": None, "by": "full", "line": None}
    assert state["score"] == {"X": 0, "O": 0, "draws": 1}
    assert None not in state["board"]


async def test_a_line_with_the_last_cell_is_a_win(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    state = await play_out(room, (ada, bob), [0, 1, 2, 3, 4, 5, 7, 6, 8])
    assert state["outcome"] == {"winner": "X", "by": "line", "line": [0, 4, 8]}


async def test_play_is_refused_until_both_are_seated(ada: Player) -> None:
    room = await ada.create()
    assert await ada.reason("play", room=room, cell=4, ply=0) == "waiting"
    assert await ada.reason("play", room=room, cell=99, ply=7) == "waiting"  # checked first


async def test_play_is_checked_in_the_documented_order(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [4, 0])

    async def reason(player: Player, **fields: object) -> str:
        return await player.reason("play", room=room, **fields)

    # not_seated is checked first, even before a repeat
    assert await reason(eve, cell=4, ply=0) == "not_seated"
    assert await reason(eve, cell=99, ply=99, game=99) == "not_seated"
    # a repeat is accepted in anybody's turn; another player's move, cell or game is no repeat
    assert (await ada.accept("play", room=room, cell=4, ply=0))["seq"] == 5
    assert (await ada.accept("play", room=room, cell=4, ply=0, game=1))["seq"] == 5
    assert (await bob.accept("play", room=room, cell=0, ply=1))["seq"] == 5
    assert await reason(ada, cell=0, ply=1) == "stale"
    assert await reason(bob, cell=4, ply=0) == "stale"
    assert await reason(ada, cell=5, ply=0) == "stale"
    assert await reason(ada, cell=4, ply=0, game=2) == "stale"
    # stale before not_your_turn
    assert await reason(bob, cell=1, ply=3) == "stale"
    assert await reason(bob, cell=1, ply=2, game=0) == "stale"
    assert await reason(ada, cell=99, ply=-1) == "stale"
    # not_your_turn before no_such_cell and cell_taken
    assert await reason(bob, cell=99, ply=2) == "not_your_turn"
    assert await reason(bob, cell=4, ply=2) == "not_your_turn"
    assert await reason(bob, cell=1, ply=2, game=1) == "not_your_turn"
    # the cell is checked last
    assert await reason(ada, cell=9, ply=2) == "no_such_cell"
    assert await reason(ada, cell=-1, ply=2) == "no_such_cell"
    assert await reason(ada, cell=4, ply=2) == "cell_taken"
    assert await reason(ada, cell=0, ply=2) == "cell_taken"
    # the refused commands changed nothing
    assert (await eve.watch(room))["seq"] == 5
    await ada.accept("play", room=room, cell=8, ply=2, game=1)


async def test_only_a_repeat_is_accepted_after_the_end(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    over = await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
    assert (await ada.accept("play", room=room, cell=2, ply=4))["seq"] == over["seq"]
    assert (await bob.accept("play", room=room, cell=3, ply=1))["seq"] == over["seq"]
    assert await eve.reason("play", room=room, cell=2, ply=4) == "not_seated"
    assert await bob.reason("play", room=room, cell=5, ply=5) == "game_over"
    assert await ada.reason("play", room=room, cell=99, ply=77) == "game_over"
    assert await ada.reason("play", room=room, cell=2, ply=4, game=7) == "game_over"


async def test_game_over_comes_before_waiting(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
    await bob.accept("leave", room=room, seat="O")
    assert await ada.reason("play", room=room, cell=8, ply=5) == "game_over"
    assert (await ada.watch(room))["status"] == "over"


async def test_waiting_comes_before_stale(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [4])
    await bob.accept("leave", room=room, seat="O")
    assert await ada.reason("play", room=room, cell=99, ply=9, game=9) == "waiting"
    await ada.accept("play", room=room, cell=4, ply=0)  # a repeat is still accepted


async def test_a_stale_refusal_is_followed_by_the_current_state(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [4])
    await eve.watch(room)
    id = await ada.send("play", room=room, cell=0, ply=0)
    answer = await ada.next("presence")
    assert (answer["re"], answer["reason"]) == (id, "stale")
    state = await ada.next("presence")
    assert (state["type"], state["seq"], state["moves"]) == ("state", 4, [4])
    assert "state" not in [frame["type"] for frame in await eve.quiet()]  # only the sender gets it


async def test_a_repeat_carries_the_current_seq_and_makes_no_second_move(
    ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob)
    for _ in range(5):
        await ada.send("play", room=room, cell=4, ply=0, game=1)
    answers = [await ada.until(lambda frame: "re" in frame) for _ in range(5)]
    assert [(answer["type"], answer["seq"]) for answer in answers] == [("accepted", 4)] * 5
    await bob.state(room, lambda state: state["moves"] == [4])
    await bob.accept("play", room=room, cell=0, ply=1)
    assert (await ada.accept("play", room=room, cell=4, ply=0))["seq"] == 5
    assert (await ada.watch(room))["moves"] == [4, 0]


async def test_one_of_two_clicks_at_once_is_accepted_and_the_other_refused(ada: Player) -> None:
    room = await ada.create(seats={"X": "me", "O": "me"})
    await ada.send("play", room=room, cell=4, ply=0)
    await ada.send("play", room=room, cell=0, ply=0)
    first, second = [await ada.until(lambda frame: "re" in frame) for _ in range(2)]
    assert first["type"] == "accepted"
    assert second["reason"] == "stale"
    assert (await ada.watch(room))["moves"] == [4]


async def test_a_command_with_nothing_to_change_is_accepted_again(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)

    async def twice(player: Player, type: str, **fields: object) -> Frame:
        first = await player.accept(type, room=room, **fields)
        state = await player.state(room)
        assert state["seq"] == first["seq"]
        again = await player.accept(type, room=room, **fields)
        assert again["seq"] == first["seq"]
        assert (await player.watch(room)) == state
        return state

    assert (await ada.accept("sit", room=room, seat="X"))["seq"] == 3
    await twice(ada, "resign")
    await twice(ada, "rematch")
    await bob.state(room, lambda state: state["rematch"] == ["X"])
    state = await twice(bob, "rematch", game=1)
    assert state["game"] == 2
    await ada.state(room, lambda state: state["game"] == 2)
    await twice(ada, "leave", seat="O")
    await bob.state(room, lambda state: state["status"] == "waiting")
    await twice(bob, "seat_ai", seat="O", level="easy")
    await twice(bob, "dismiss_ai", seat="O")


async def test_a_player_far_behind_still_sees_the_newest_state(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    state = await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
    seqs = [frame["seq"] for frame in ada.seen if frame["type"] == "state"]
    assert seqs == sorted(seqs)
    assert state == await bob.watch(room)
