"""docs/protocol.md §2 and §3: resigning, rematches and their score, claims, and phrases."""

from __future__ import annotations

import time

import pytest

from tests.support.dialling import Frame, Player, play_out, seated_pair

pytestmark = pytest.mark.asyncio(loop_scope="session")

X_WINS = [0, 3, 1, 4, 2]


def names(state: Frame) -> tuple[str, str]:
    return state["seats"]["X"]["name"], state["seats"]["O"]["name"]


async def test_a_player_who_resigns_loses_in_or_out_of_turn(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    await bob.accept("resign", room=room)
    state = await ada.state(room)
    assert state["outcome"] == {"winner": "X", "by": "resignation", "line": None}
    assert (state["status"], state["turn"]) == ("over", None)
    assert state["score"] == {"X": 1, "O": 0, "draws": 0}


async def test_resign_is_refused_to_others_before_and_after_the_game(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await ada.create()
    assert await ada.reason("resign", room=room) == "waiting"
    await bob.accept("sit", room=room, seat="O")
    await bob.state(room)
    assert await eve.reason("resign", room=room) == "not_seated"
    await ada.state(room)
    await play_out(room, (ada, bob), X_WINS)
    assert await bob.reason("resign", room=room) == "game_over"


async def test_the_winner_of_a_resigned_game_cannot_resign(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    await ada.accept("resign", room=room)
    assert await bob.reason("resign", room=room) == "game_over"


async def test_a_rematch_starts_when_both_have_asked_and_swaps_marks_and_score(
    ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), X_WINS)
    await ada.accept("rematch", room=room)
    asked = await bob.state(room)
    assert (asked["game"], asked["status"], asked["rematch"]) == (1, "over", ["X"])
    await bob.accept("rematch", room=room, game=1)
    state = await ada.state(room, lambda s: s["game"] == 2)
    assert names(state) == ("Bob", "Ada")
    assert state["score"] == {"X": 0, "O": 1, "draws": 0}
    assert (state["moves"], state["board"], state["rematch"]) == ([], [None] * 9, [])
    assert (state["status"], state["turn"], state["outcome"]) == ("playing", "X", None)
    await bob.state(room, lambda s: s["game"] == 2)
    state = await play_out(room, (bob, ada), X_WINS)
    assert state["score"] == {"X": 1, "O": 1, "draws": 0}
    await bob.accept("rematch", room=room)
    await ada.accept("rematch", room=room)
    third = await ada.state(room, lambda s: s["game"] == 3)
    assert names(third) == ("Ada", "Bob")
    assert third["score"] == {"X": 1, "O": 1, "draws": 0}


async def test_rematch_is_refused_to_others_and_before_the_end(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    assert await ada.reason("rematch", room=room) == "game_not_over"
    await ada.accept("resign", room=room)
    assert await eve.reason("rematch", room=room) == "not_seated"
    await eve.watch(room)
    assert await eve.reason("rematch", room=room) == "not_seated"


async def test_leaving_withdraws_the_rematch_and_a_newcomer_may_sit_after_the_end(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), X_WINS)
    await ada.accept("rematch", room=room)
    await bob.accept("leave", room=room, seat="O")
    state = await bob.state(room, lambda s: s["seats"]["O"]["kind"] == "open")
    assert (state["status"], state["rematch"]) == ("over", ["X"])
    await ada.accept("leave", room=room, seat="X")
    assert (await ada.state(room, lambda s: s["rematch"] == []))["status"] == "over"
    await ada.accept("sit", room=room, seat="X")
    await eve.accept("sit", room=room, seat="O")
    state = await eve.state(room)
    assert (state["status"], state["game"]) == ("over", 1)
    assert state["score"] == {"X": 0, "O": 0, "draws": 0}  # Eve is a new opponent
    await eve.accept("rematch", room=room)
    assert (await eve.state(room))["status"] == "over"
    await ada.accept("rematch", room=room)
    state = await eve.state(room)
    assert (state["status"], state["game"], names(state)) == ("playing", 2, ("Eve", "Ada"))


async def test_the_score_stays_when_the_same_person_sits_down_again(
    ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), X_WINS)
    await bob.accept("leave", room=room, seat="O")
    await bob.accept("sit", room=room, seat="O")
    assert (await bob.watch(room))["score"] == {"X": 1, "O": 0, "draws": 0}
    await bob.accept("leave", room=room, seat="O")
    await ada.accept("seat_ai", room=room, seat="O", level="easy")
    assert (await ada.watch(room))["score"] == {"X": 0, "O": 0, "draws": 0}


async def test_a_command_for_an_earlier_game_is_accepted_if_it_so_happened(
    ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob)
    await ada.accept("resign", room=room, game=1)
    await ada.accept("rematch", room=room, game=1)
    seq = (await bob.accept("rematch", room=room, game=1))["seq"]
    for player in (ada, bob):
        assert (await player.accept("rematch", room=room, game=1))["seq"] == seq
    assert (await ada.accept("resign", room=room, game=1))["seq"] == seq
    assert await bob.reason("resign", room=room, game=1) == "stale"
    assert await ada.reason("claim", room=room, game=1) == "stale"
    assert await bob.reason("claim", room=room, game=1) == "stale"
    for game in (0, -1, 3, 10**30):
        for type in ("resign", "rematch", "claim"):
            assert await ada.reason(type, room=room, game=game) == "stale"
    state = await ada.watch(room)
    assert (state["game"], state["seq"], state["status"]) == (2, seq, "playing")


async def test_claim_is_too_early_while_the_other_is_here(ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    assert await bob.reason("claim", room=room) == "too_early"
    assert await ada.reason("claim", room=room) == "too_early"  # it is Ada's own turn
    await ada.accept("unwatch", room=room)
    assert await bob.reason("claim", room=room) == "too_early"  # Ada is here


async def test_claim_is_too_early_against_an_ai_and_when_holding_both_seats(ada: Player) -> None:
    room = await ada.create(seats={"X": "me", "O": {"ai": "easy"}})
    assert await ada.reason("claim", room=room) == "too_early"
    room = await ada.create(seats={"X": "me", "O": "me"})
    assert await ada.reason("claim", room=room) == "too_early"


async def test_claim_is_refused_to_others_before_and_after_the_game(
    ada: Player, bob: Player, eve: Player
) -> None:
    room = await ada.create()
    assert await ada.reason("claim", room=room) == "waiting"
    assert await eve.reason("claim", room=room) == "not_seated"
    await bob.accept("sit", room=room, seat="O")
    await bob.accept("resign", room=room)
    assert await ada.reason("claim", room=room) == "game_over"
    assert await bob.reason("claim", room=room, game=1) == "game_over"


async def test_a_phrase_is_shown_to_the_whole_room(ada: Player, bob: Player, eve: Player) -> None:
    room = await seated_pair(ada, bob)
    await eve.watch(room)
    for phrase in ada.welcome["phrases"]:
        answer = await ada.accept("say", room=room, phrase=phrase)
        assert (answer["room"], answer["seq"]) == (room, 3)
        said = [await player.of_type("said") for player in (ada, bob, eve)]
        assert said[0] == said[1] == said[2]
        assert said[0].keys() == {"type", "room", "player", "phrase", "now"}
        assert (said[0]["room"], said[0]["phrase"]) == (room, phrase)
        assert said[0]["player"] == {"id": ada.id, "name": "Ada"}
        assert abs(said[0]["now"] - time.time() * 1000) < 60_000
    await eve.accept("say", room=room, phrase="good_game")  # a spectator may speak too
    assert (await ada.of_type("said"))["player"] == {"id": eve.id, "name": "Eve"}
    assert (await eve.watch(room))["seq"] == 3  # not stored


async def test_say_is_refused_first_to_strangers_then_for_the_phrase(
    ada: Player, eve: Player
) -> None:
    room = await ada.create()
    assert await eve.reason("say", room=room, phrase="good_game") == "not_here"
    assert await eve.reason("say", room=room, phrase="!?") == "not_here"
    assert await ada.reason("say", room=room, phrase="!?") == "no_such_phrase"
    assert await ada.reason("say", room=room, phrase="") == "no_such_phrase"
    await eve.watch(room)
    assert await eve.reason("say", room=room, phrase="Good_Game") == "no_such_phrase"
    await eve.accept("unwatch", room=room)
    assert await eve.reason("say", room=room, phrase="good_game") == "not_here"
