"""The room as a fold over its log: the effect of each event."""

from __future__ import annotations

import pytest

from server.core.commands import DismissAI, Leave, Rematch, SeatAI, Sit
from server.core.events import (
    GameForfeited,
    GameStarted,
    MovePlayed,
    Person,
    RoomOpened,
    SeatTaken,
    TimeControl,
)
from server.core.evolve import evolve, replay
from server.core.room import AI, Room
from server.core.rules import CLASSIC, Ending, Mark, Outcome, read_position
from tests.support.people import ADA, BO, CY
from tests.support.playing import DRAW, X_WINS, a_room, after, played

X, O = Mark.X, Mark.O
OPENED = RoomOpened(0, CLASSIC, public=True)


def scored(room: Room) -> tuple[int, int, int]:
    return (*room.score, room.draws)


def ada_leads() -> Room:
    """Ada (X) has won a game against Bo (O), and it is over."""
    return played(a_room(), X_WINS)


def test_an_empty_log_is_no_room() -> None:
    assert replay([]) is None


def test_a_log_begins_with_the_opening() -> None:
    with pytest.raises(ValueError, match="begins"):
        evolve(None, SeatTaken(0, X, ADA))


def test_a_room_opens_once() -> None:
    with pytest.raises(ValueError, match="once"):
        evolve(a_room(), OPENED)


def test_the_next_game_cannot_start_before_the_last_is_over() -> None:
    with pytest.raises(ValueError, match="over"):
        evolve(a_room(), GameStarted(0))


def test_every_event_counts_and_leaves_its_time() -> None:
    room = replay([OPENED, SeatTaken(3, X, ADA), SeatTaken(7, O, BO), MovePlayed(9, X, 4)])

    assert room is not None
    assert (room.seq, room.changed, room.turn_since) == (4, 9, 9)
    assert room.position == read_position("... .X. ...")
    assert room.moves == (4,)


def test_a_finished_game_stays_over_when_a_seat_opens_and_fills() -> None:
    room = after(ada_leads(), Leave(BO.id, O))

    assert (room.status, room.turn) == ("over", None)
    assert after(room, Sit(CY, O)).status == "over"


def test_seats_change_hands_without_touching_the_game() -> None:
    room = played(a_room(), "4 0 8")

    changed = after(room, Leave(ADA.id, X), Sit(CY, X))

    assert (changed.moves, changed.position) == (room.moves, room.position)
    assert changed.turn is O


def test_a_line_a_full_board_and_a_forfeit_each_count_in_the_score() -> None:
    assert ada_leads().outcome == Outcome(X, Ending.LINE, (0, 1, 2))
    assert scored(ada_leads()) == (1, 0, 0)
    assert scored(played(a_room(), DRAW)) == (0, 0, 1)
    assert scored(evolve(a_room(), GameForfeited(0, X, Ending.TIME))) == (0, 1, 0)


def test_the_next_game_swaps_marks_and_score_and_keeps_the_rest() -> None:
    room = after(ada_leads(), Rematch(ADA.id), Rematch(BO.id))

    assert room.seats == (BO, ADA)
    assert scored(room) == (0, 1, 0)
    assert (room.game, room.moves, room.outcome, room.rematch_asked) == (2, (), None, frozenset())
    assert room.turn is X


def test_the_score_stays_when_somebody_leaves_and_returns() -> None:
    room = after(ada_leads(), Leave(BO.id, O), Sit(BO, O))

    assert scored(room) == (1, 0, 0)


def test_the_score_starts_again_when_somebody_else_sits_down_and_not_before() -> None:
    left = after(ada_leads(), Leave(BO.id, O))

    assert scored(left) == (1, 0, 0)
    assert scored(after(left, Sit(CY, O))) == (0, 0, 0)
    assert scored(after(left, SeatAI(ADA.id, O, "easy"))) == (0, 0, 0)


def test_the_score_against_an_ai_ends_when_a_person_takes_its_seat() -> None:
    room = played(a_room(ADA, "easy"), X_WINS)

    dismissed = after(room, DismissAI(ADA.id, O))

    assert scored(dismissed) == (1, 0, 0)
    assert scored(after(dismissed, Sit(BO, O))) == (0, 0, 0)


def test_an_ai_that_covers_changes_no_score_and_neither_does_the_owners_return() -> None:
    covered = after(ada_leads(), SeatAI(ADA.id, O, "hard", absent_for=20_000))

    assert covered.seats[O] == AI("hard", covers=BO)
    assert scored(covered) == (1, 0, 0)
    assert scored(after(covered, Sit(BO, O))) == (1, 0, 0)
    assert scored(after(covered, DismissAI(ADA.id, O))) == (1, 0, 0)


def test_the_score_ends_when_a_covered_owner_leaves_the_seat_to_the_ai() -> None:
    covered = after(ada_leads(), SeatAI(ADA.id, O, "hard", absent_for=20_000))

    assert scored(after(covered, Leave(BO.id, O))) == (0, 0, 0)


def test_the_score_follows_a_covered_seat_into_the_next_game() -> None:
    covered = after(ada_leads(), SeatAI(ADA.id, O, "hard", absent_for=20_000))

    room = after(covered, Rematch(ADA.id), Sit(BO, X))

    assert room.seats == (BO, ADA)
    assert scored(room) == (0, 1, 0)


def test_a_new_name_is_no_change_of_person() -> None:
    room = after(ada_leads(), Sit(Person(BO.id, "Bobby"), O))

    assert scored(room) == (1, 0, 0)


def test_leaving_withdraws_the_wish_for_a_rematch() -> None:
    room = after(ada_leads(), Rematch(BO.id), Leave(BO.id, O))

    assert room.rematch_asked == frozenset()


def test_a_room_without_time_control_has_no_clock() -> None:
    assert a_room().clock is None
    assert a_room().deadline() is None
    assert a_room(time=TimeControl(60_000)).clock is not None
