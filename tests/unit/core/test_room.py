"""Questions about a room: the side to move, the right to analyse, and whether it is in use."""

from __future__ import annotations

import pytest

from server.core.commands import AI_PLAYER, Rematch, Resign, SeatAI, Sit
from server.core.events import Person
from server.core.record import replace
from server.core.room import AI, Room
from server.core.rules import Mark
from tests.support.people import ADA, BO, CY
from tests.support.playing import X_WINS, a_room, after, played

O, X = Mark.O, Mark.X


def test_a_room_waits_until_both_seats_are_filled_and_has_no_turn_till_then() -> None:
    waiting = a_room(ADA, None)
    playing = after(waiting, Sit(BO, O))

    assert (waiting.status, waiting.turn) == ("waiting", None)
    assert (playing.status, playing.turn) == ("playing", X)


def test_the_ai_moves_for_its_seats_and_a_covered_owner_does_not() -> None:
    room = after(a_room(), SeatAI(ADA.id, O, "hard", absent_for=20_000))

    assert room.seats_of(AI_PLAYER) == [O]
    assert room.seats_of(BO.id) == []
    assert room.is_covered(BO.id)
    assert not room.is_covered(ADA.id)


@pytest.mark.parametrize(
    ("room", "player", "may"),
    [
        (a_room(), ADA, False),
        (a_room(), BO, False),
        (a_room(), CY, True),
        (a_room(ADA, "easy"), ADA, True),
        (a_room(ADA, ADA), ADA, True),
        (a_room("easy", "hard"), CY, True),
        (after(a_room(), Resign(ADA.id)), ADA, True),
        (after(a_room(), SeatAI(ADA.id, O, "hard", absent_for=20_000)), BO, False),
        (after(a_room(), SeatAI(ADA.id, O, "hard", absent_for=20_000)), ADA, True),
    ],
)
def test_players_may_not_analyse_while_their_game_runs(
    room: Room, player: Person, may: bool
) -> None:
    assert room.may_analyse(player.id) is may


def test_only_rooms_without_a_person_are_unmanned() -> None:
    assert a_room("easy", "hard").is_unmanned()
    assert a_room(None, "hard").is_unmanned()
    assert not a_room(None, ADA).is_unmanned()


def test_a_room_is_unused_until_the_first_move_and_done_between_two_games() -> None:
    fresh = a_room()
    begun, over = played(fresh, "4"), played(fresh, X_WINS)
    next_game = after(over, Rematch(ADA.id), Rematch(BO.id))

    assert [room.is_unused() for room in (fresh, begun, over, next_game)] == [True, *[False] * 3]
    assert [room.is_done() for room in (fresh, begun, over, next_game)] == [
        False, False, True, True,
    ]  # fmt: skip


def test_only_two_ais_of_their_own_are_an_exhibition() -> None:
    covered = replace(a_room("easy", "hard"), seats=(AI("easy", covers=ADA), AI("hard")))

    assert a_room("easy", "hard").is_exhibition()
    assert not a_room("easy", ADA).is_exhibition()
    assert not covered.is_exhibition()
