"""Resigning, claiming against an absent player, and asking for the next game."""

from __future__ import annotations

import pytest

from server.core.commands import Claim, Leave, Reason, Rematch, Resign, SeatAI, Sit
from server.core.decide import decide
from server.core.events import GameForfeited, GameStarted, Person, RematchAsked
from server.core.room import AI, Room
from server.core.rules import Ending, Mark, Outcome
from tests.support.people import ADA, BO, CY
from tests.support.playing import X_WINS, a_room, after, played, refusal

X, O = Mark.X, Mark.O
AWAY = 30_000
OVER = played(a_room(), X_WINS)
EXHIBITION = played(a_room("easy", "hard"), X_WINS)


# ---------------------------------------------------------------------------------- resign


@pytest.mark.parametrize(("by", "winner"), [(ADA, O), (BO, X)])
def test_a_player_who_resigns_loses_in_or_out_of_turn(by: Person, winner: Mark) -> None:
    assert after(a_room(), Resign(by.id)).outcome == Outcome(winner, Ending.RESIGNATION)


def test_a_player_of_both_seats_resigns_the_side_to_move() -> None:
    assert decide(a_room(ADA, ADA), Resign(ADA.id), 3)[0] == GameForfeited(3, X, Ending.RESIGNATION)
    moved = played(a_room(ADA, ADA), "4")
    assert decide(moved, Resign(ADA.id), 3)[0] == GameForfeited(3, O, Ending.RESIGNATION)


def test_resigning_is_refused_to_strangers_while_waiting_and_after_the_end() -> None:
    assert refusal(a_room(), Resign(CY.id)) is Reason.NOT_SEATED
    assert refusal(OVER, Resign(CY.id)) is Reason.NOT_SEATED
    assert refusal(a_room(ADA, None), Resign(ADA.id)) is Reason.WAITING
    assert refusal(OVER, Resign(BO.id)) is Reason.GAME_OVER
    assert refusal(a_room(), Resign(ADA.id, game=2)) is Reason.STALE


def test_resigning_twice_is_accepted_and_the_winner_cannot_join_in() -> None:
    resigned = after(a_room(), Resign(ADA.id))

    assert decide(resigned, Resign(ADA.id), 0) == ()
    assert decide(resigned, Resign(ADA.id, game=1), 0) == ()
    assert refusal(resigned, Resign(BO.id)) is Reason.GAME_OVER


def next_game(room: Room) -> Room:
    return after(room, Rematch(ADA.id), Rematch(BO.id))


def test_a_resignation_of_an_earlier_game_is_accepted_if_it_so_happened() -> None:
    room = next_game(after(a_room(), Resign(ADA.id)))

    assert decide(room, Resign(ADA.id, game=1), 0) == ()
    assert refusal(room, Resign(BO.id, game=1)) is Reason.STALE
    assert refusal(next_game(OVER), Resign(BO.id, game=1)) is Reason.STALE
    assert refusal(room, Resign(ADA.id, game=0)) is Reason.STALE


def test_a_resignation_stays_the_persons_when_an_ai_covers_them_before_the_rematch() -> None:
    resigned = after(a_room(), Resign(BO.id))
    covered = after(resigned, SeatAI(ADA.id, O, "easy", absent_for=20_000), Rematch(ADA.id))

    assert decide(covered, Resign(BO.id, game=1), 0) == ()
    assert decide(after(covered, Sit(BO, X)), Resign(BO.id, game=1), 0) == ()


def test_a_resignation_stays_the_persons_when_somebody_else_plays_the_rematch() -> None:
    resigned = after(a_room(), Resign(BO.id), Leave(BO.id, O), Sit(CY, O))
    room = after(resigned, Rematch(ADA.id), Rematch(CY.id))

    assert decide(room, Resign(BO.id, game=1), 0) == ()
    assert refusal(room, Resign(CY.id, game=1)) is Reason.STALE


def test_a_newcomer_after_a_resignation_has_not_resigned() -> None:
    room = after(a_room(), Resign(BO.id), Leave(BO.id, O), Sit(CY, O))

    assert refusal(room, Resign(CY.id)) is Reason.GAME_OVER


# ----------------------------------------------------------------------------------- claim


def test_a_game_is_claimed_after_thirty_seconds_of_the_absent_players_turn() -> None:
    room = played(a_room(), "4", now=1_000)  # Bo is to move from 1000 on

    assert decide(room, Claim(ADA.id, absent_for=AWAY), 31_000) == (
        GameForfeited(31_000, O, Ending.ABSENCE),
    )
    assert refusal(room, Claim(ADA.id, absent_for=AWAY - 1), now=31_000) is Reason.TOO_EARLY
    assert refusal(room, Claim(ADA.id, absent_for=AWAY), now=30_999) is Reason.TOO_EARLY


def test_a_claim_in_the_own_turn_or_against_an_ai_is_refused() -> None:
    late = 10**6

    assert refusal(a_room(), Claim(ADA.id, absent_for=late), now=late) is Reason.TOO_EARLY
    assert refusal(a_room(ADA, ADA), Claim(ADA.id, absent_for=late), now=late) is Reason.TOO_EARLY
    against_ai = a_room("easy", BO)
    assert refusal(against_ai, Claim(BO.id, absent_for=late), now=late) is Reason.TOO_EARLY


def test_claiming_is_refused_to_strangers_while_waiting_and_after_the_end() -> None:
    assert refusal(a_room(), Claim(CY.id, absent_for=AWAY)) is Reason.NOT_SEATED
    assert refusal(a_room(None, BO), Claim(BO.id, absent_for=AWAY)) is Reason.WAITING
    assert refusal(OVER, Claim(ADA.id, absent_for=AWAY)) is Reason.GAME_OVER
    assert refusal(a_room(), Claim(BO.id, 2, AWAY), now=AWAY) is Reason.STALE


def test_a_claim_sent_again_is_accepted_also_in_the_next_game() -> None:
    claimed = after(a_room(), Claim(BO.id, absent_for=AWAY), now=AWAY)

    assert decide(claimed, Claim(BO.id), AWAY) == ()
    assert refusal(claimed, Claim(ADA.id)) is Reason.GAME_OVER
    assert decide(next_game(claimed), Claim(BO.id, game=1), AWAY) == ()
    assert refusal(next_game(claimed), Claim(ADA.id, game=1)) is Reason.STALE


def test_the_turn_of_somebody_who_sits_down_begins_with_them() -> None:
    left = after(played(a_room(), "4"), Leave(BO.id, O), now=1_000)
    room = after(left, Sit(CY, O), now=100_000)

    assert refusal(room, Claim(ADA.id, absent_for=AWAY), now=129_999) is Reason.TOO_EARLY
    assert decide(room, Claim(ADA.id, absent_for=AWAY), 130_000)


def test_a_new_name_does_not_make_the_turn_begin_again() -> None:
    room = after(a_room(), Sit(Person(BO.id, "Bobby"), O), now=29_000)

    assert decide(room, Claim(BO.id, absent_for=AWAY), AWAY)


# --------------------------------------------------------------------------------- rematch


def test_the_next_game_starts_when_both_have_asked() -> None:
    asked = after(OVER, Rematch(BO.id))

    assert asked.rematch_asked == {O}
    assert asked.status == "over"
    assert decide(asked, Rematch(BO.id), 3) == ()
    assert decide(asked, Rematch(ADA.id), 3) == (RematchAsked(3, X), GameStarted(3))


def test_a_rematch_is_refused_to_strangers_and_before_the_end() -> None:
    assert refusal(OVER, Rematch(CY.id, follows=True)) is Reason.NOT_SEATED
    assert refusal(a_room(), Rematch(ADA.id)) is Reason.GAME_NOT_OVER
    assert refusal(a_room(), Rematch(CY.id)) is Reason.NOT_SEATED
    assert refusal(OVER, Rematch(ADA.id, game=2)) is Reason.STALE


def test_a_rematch_of_an_earlier_game_is_accepted_for_those_who_played_on() -> None:
    room = next_game(OVER)

    assert decide(room, Rematch(ADA.id, game=1), 0) == ()
    assert decide(after(room, Resign(ADA.id)), Rematch(ADA.id, game=1), 0) == ()
    assert refusal(room, Rematch(ADA.id, game=2)) is Reason.GAME_NOT_OVER
    assert (
        refusal(after(room, Leave(ADA.id, O), Sit(CY, O)), Rematch(CY.id, game=1)) is Reason.STALE
    )


def test_an_ai_agrees_at_once_even_if_it_only_covers() -> None:
    assert next_seats(played(a_room(ADA, "easy"), X_WINS)) == (AI("easy"), ADA)
    covered = after(OVER, SeatAI(ADA.id, O, "hard", absent_for=20_000))
    assert next_seats(covered) == (AI("hard", BO), ADA)


def next_seats(room: Room) -> tuple[object, object]:
    room = after(room, Rematch(ADA.id))
    assert room.game == 2
    return room.seats


def test_a_player_of_both_seats_asks_for_both() -> None:
    room = played(a_room(ADA, ADA), X_WINS)

    assert after(room, Rematch(ADA.id)).game == 2


def test_an_ai_that_fills_the_open_seat_starts_the_game_somebody_asked_for() -> None:
    waiting = after(OVER, Leave(BO.id, O), Rematch(ADA.id))

    room = after(waiting, SeatAI(ADA.id, O, "easy"))

    assert (waiting.game, waiting.status) == (1, "over")
    assert (room.game, room.status, room.seats) == (2, "playing", (AI("easy"), ADA))


def test_an_ai_that_covers_starts_the_game_the_other_asked_for() -> None:
    asked = after(OVER, Rematch(ADA.id))

    assert after(asked, SeatAI(ADA.id, O, "easy", absent_for=20_000)).game == 2


def test_a_newcomer_has_to_ask_too() -> None:
    room = after(OVER, Rematch(ADA.id), Leave(BO.id, O), Sit(CY, O))

    assert (room.game, room.rematch_asked) == (1, frozenset({X}))
    assert after(room, Rematch(CY.id)).game == 2


def test_an_exhibition_goes_on_when_anybody_who_follows_it_asks() -> None:
    assert decide(EXHIBITION, Rematch(CY.id, follows=True), 3) == (GameStarted(3),)
    assert refusal(EXHIBITION, Rematch(CY.id)) is Reason.NOT_SEATED
    running = a_room("easy", "hard")
    assert refusal(running, Rematch(CY.id, follows=True)) is Reason.GAME_NOT_OVER


def test_an_exhibition_asked_twice_for_the_same_game_goes_on_once() -> None:
    room = after(EXHIBITION, Rematch(CY.id, game=1, follows=True))

    assert room.game == 2
    assert decide(room, Rematch(CY.id, game=1, follows=True), 0) == ()
    again = played(room, X_WINS)
    assert decide(again, Rematch(CY.id, game=1, follows=True), 0) == ()


@pytest.mark.parametrize("game", [0, 2, 99])
def test_an_exhibition_does_not_go_on_for_a_rematch_of_another_game(game: int) -> None:
    assert refusal(EXHIBITION, Rematch(CY.id, game=game, follows=True)) is Reason.STALE
