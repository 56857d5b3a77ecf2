"""Opening rooms and changing seats: people, AIs, and an AI that covers for a person."""

from __future__ import annotations

import pytest

from server.core.commands import (
    AI_PLAYER,
    Command,
    Create,
    DismissAI,
    Leave,
    Play,
    Reason,
    Rematch,
    Resign,
    SeatAI,
    Sit,
)
from server.core.decide import decide
from server.core.events import (
    AIDismissed,
    AISeated,
    Person,
    RoomOpened,
    SeatLeft,
    SeatTaken,
    TimeControl,
)
from server.core.record import replace
from server.core.room import AI
from server.core.rules import CLASSIC, DROP, Mark, Variant
from tests.support.people import ADA, BO, CY
from tests.support.playing import X_WINS, Seat, a_room, after, played, refusal

X, O = Mark.X, Mark.O
BLITZ = TimeControl(60_000, 1_000)
COVERED = after(a_room(), SeatAI(ADA.id, O, "hard", absent_for=20_000))  # the AI covers for Bo


@pytest.mark.parametrize(
    ("seats", "events"),
    [
        ((ADA, None), (SeatTaken(5, X, ADA),)),
        ((None, None), ()),
        ((ADA, ADA), (SeatTaken(5, X, ADA), SeatTaken(5, O, ADA))),
        (("easy", ADA), (AISeated(5, X, "easy"), SeatTaken(5, O, ADA))),
        (("hard", "perfect"), (AISeated(5, X, "hard"), AISeated(5, O, "perfect"))),
    ],
)
def test_a_room_opens_with_the_requested_seats(
    seats: tuple[Seat, Seat], events: tuple[object, ...]
) -> None:
    opened = RoomOpened(5, CLASSIC, False, BLITZ)

    assert decide(None, Create(CLASSIC, seats, False, BLITZ), 5) == (opened, *events)


def test_a_room_does_not_open_with_an_unknown_level() -> None:
    assert refusal(None, Create(CLASSIC, (ADA, "godlike"))) is Reason.NO_SUCH_LEVEL


def test_a_room_that_is_open_already_is_opened_again_without_an_event() -> None:
    assert decide(a_room(), Create(CLASSIC, (CY, None)), 0) == ()


@pytest.mark.parametrize(
    "command",
    [
        Sit(ADA, X),
        Leave(ADA.id, X),
        SeatAI(ADA.id, X, "easy"),
        DismissAI(ADA.id, X),
        Play(ADA.id, 0, 0),
        Resign(ADA.id),
        Rematch(ADA.id),
    ],
)
def test_a_room_that_does_not_exist_refuses_everything(command: Command) -> None:
    assert refusal(None, command) is Reason.NO_SUCH_ROOM


def test_an_open_seat_is_free_to_anybody_and_a_taken_one_is_not() -> None:
    room = a_room(ADA, None)

    assert decide(room, Sit(BO, O), 3) == (SeatTaken(3, O, BO),)
    assert decide(room, Sit(ADA, O), 3) == (SeatTaken(3, O, ADA),)
    assert refusal(room, Sit(BO, X)) is Reason.SEAT_TAKEN
    assert refusal(a_room(ADA, "easy"), Sit(ADA, O)) is Reason.SEAT_TAKEN


def test_sitting_again_changes_nothing_but_the_name() -> None:
    renamed = Person(ADA.id, "Countess")

    assert decide(a_room(), Sit(ADA, X), 0) == ()
    assert decide(a_room(), Sit(renamed, X), 3) == (SeatTaken(3, X, renamed),)


def test_sitting_again_marks_a_seat_as_a_bots_or_takes_the_mark_away() -> None:
    robot = replace(ADA, bot=True)
    room = after(a_room(), Sit(robot, X))

    assert room.seats[X] == robot
    assert decide(room, Sit(robot, X), 0) == ()
    assert after(room, Sit(ADA, X)).seats[X] == ADA


def test_only_the_holder_may_leave_a_seat_and_leaving_twice_is_accepted() -> None:
    left = after(a_room(), Leave(BO.id, O))

    assert decide(a_room(), Leave(BO.id, O), 3) == (SeatLeft(3, O),)
    assert decide(left, Leave(BO.id, O), 3) == ()
    assert refusal(a_room(), Leave(BO.id, X)) is Reason.NOT_SEATED
    assert refusal(a_room(), Leave(CY.id, X)) is Reason.NOT_SEATED
    assert refusal(left, Leave(CY.id, O)) is Reason.NOT_SEATED
    assert refusal(after(left, Sit(CY, O)), Leave(BO.id, O)) is Reason.NOT_SEATED


@pytest.mark.parametrize("by", [ADA, BO, CY])
def test_an_open_seat_in_a_room_without_people_gets_an_ai_from_anybody(by: Person) -> None:
    assert decide(a_room(None, "easy"), SeatAI(by.id, X, "hard"), 3) == (AISeated(3, X, "hard"),)


def test_only_seated_players_may_seat_and_dismiss_an_ai() -> None:
    waiting, against_ai = a_room(ADA, None), a_room(ADA, "easy")

    assert decide(waiting, SeatAI(ADA.id, O, "easy"), 3) == (AISeated(3, O, "easy"),)
    assert refusal(waiting, SeatAI(CY.id, O, "easy")) is Reason.NOT_SEATED
    assert decide(against_ai, DismissAI(ADA.id, O), 3) == (AIDismissed(3, O),)
    assert refusal(against_ai, DismissAI(CY.id, O)) is Reason.NOT_SEATED


def test_the_seats_of_an_exhibition_are_nobodys_until_it_is_over() -> None:
    playing = a_room("easy", "hard")
    over = played(playing, X_WINS)

    assert refusal(playing, DismissAI(CY.id, O)) is Reason.NOT_SEATED
    assert refusal(playing, SeatAI(CY.id, O, "easy")) is Reason.NOT_SEATED
    assert decide(playing, SeatAI(CY.id, O, "hard"), 3) == ()  # it may be a repeat
    assert decide(over, DismissAI(CY.id, O), 3) == (AIDismissed(3, O),)
    assert refusal(over, SeatAI(CY.id, O, "easy")) is Reason.SEAT_TAKEN


def test_an_ai_that_covers_makes_no_exhibition() -> None:
    room = after(a_room("easy", BO), SeatAI(AI_PLAYER, O, "hard", absent_for=20_000))

    assert isinstance(room.seats[O], AI)
    assert decide(room, DismissAI(BO.id, O), 3) == (AIDismissed(3, O),)


def test_an_unknown_level_is_refused_before_anything_else() -> None:
    assert refusal(a_room(), SeatAI(CY.id, X, "godlike")) is Reason.NO_SUCH_LEVEL


def test_the_same_level_again_is_accepted_and_another_is_refused() -> None:
    room = a_room(ADA, "easy")

    assert decide(room, SeatAI(ADA.id, O, "easy"), 0) == ()
    assert refusal(room, SeatAI(ADA.id, O, "hard")) is Reason.SEAT_TAKEN


def test_dismissing_where_no_ai_sits_is_accepted_and_does_nothing() -> None:
    assert decide(a_room(ADA, None), DismissAI(ADA.id, O), 0) == ()
    assert decide(a_room(), DismissAI(ADA.id, O), 0) == ()


@pytest.mark.parametrize(
    ("absent_for", "answer"), [(20_000, AI("hard", BO)), (19_999, Reason.SEAT_TAKEN)]
)
def test_the_ai_covers_a_seat_after_twenty_seconds_offline(
    absent_for: int, answer: AI | Reason
) -> None:
    command = SeatAI(ADA.id, O, "hard", absent_for)

    if isinstance(answer, Reason):
        assert refusal(a_room(), command) is answer
    else:
        assert after(a_room(), command).seats == (ADA, answer)


@pytest.mark.parametrize(
    ("variant", "asked", "level"),
    [
        (CLASSIC, "gentle", "perfect"),
        (CLASSIC, "medium", "perfect"),
        (CLASSIC, "hard", "hard"),
        (CLASSIC, "perfect", "perfect"),
        (DROP, "easy", "best"),
        (DROP, "hard", "hard"),
    ],
)
def test_the_ai_covers_at_hard_or_the_top_level_whatever_the_other_player_asks_for(
    variant: Variant, asked: str, level: str
) -> None:
    room, command = a_room(variant=variant), SeatAI(ADA.id, O, asked, absent_for=20_000)
    covered = after(room, command)

    assert covered.seats == (ADA, AI(level, BO))
    assert decide(covered, command, 0) == ()  # sent again


def test_an_ai_that_covers_is_not_changed_to_another_level() -> None:
    assert refusal(COVERED, SeatAI(ADA.id, O, "perfect")) is Reason.SEAT_TAKEN
    assert refusal(COVERED, SeatAI(ADA.id, O, "easy")) is Reason.SEAT_TAKEN


def test_an_open_seat_gets_an_ai_of_any_level_also_after_somebody_has_left_it() -> None:
    left = after(a_room(), Leave(BO.id, O))

    assert after(left, SeatAI(ADA.id, O, "gentle")).seats == (ADA, AI("gentle"))


def test_only_a_player_seated_here_may_have_a_seat_covered() -> None:
    assert refusal(a_room(), SeatAI(CY.id, O, "hard", absent_for=99_999)) is Reason.NOT_SEATED
    assert refusal(COVERED, SeatAI(BO.id, X, "hard", absent_for=99_999)) is Reason.NOT_SEATED


def test_a_covered_owner_takes_the_seat_back_by_sitting_down() -> None:
    assert after(COVERED, Sit(BO, O)).seats == (ADA, BO)
    assert refusal(COVERED, Sit(CY, O)) is Reason.SEAT_TAKEN
    assert refusal(COVERED, Sit(ADA, O)) is Reason.SEAT_TAKEN


@pytest.mark.parametrize("by", [ADA, BO])
def test_a_covering_ai_dismissed_by_owner_or_opponent_returns_the_seat(by: Person) -> None:
    room = after(COVERED, DismissAI(by.id, O))

    assert room.seats == (ADA, BO)
    assert decide(room, DismissAI(by.id, O), 0) == ()
    assert refusal(COVERED, DismissAI(CY.id, O)) is Reason.NOT_SEATED


def test_a_bot_whose_seat_was_covered_is_still_marked_when_it_is_back() -> None:
    robot = replace(BO, bot=True)
    covered = after(a_room(ADA, robot), SeatAI(ADA.id, O, "hard", absent_for=20_000))
    assert covered.seats[O] == AI("hard", robot)

    assert after(covered, DismissAI(ADA.id, O)).seats[O] == robot


def test_a_covered_owner_who_leaves_gives_the_seat_to_the_ai_for_good() -> None:
    room = after(COVERED, Leave(BO.id, O))

    assert room.seats == (ADA, AI("hard"))
    assert decide(room, Leave(BO.id, O), 0) == ()
    assert refusal(room, Sit(BO, O)) is Reason.SEAT_TAKEN
    assert refusal(room, DismissAI(BO.id, O)) is Reason.NOT_SEATED


def test_a_covered_owner_may_fill_the_open_seat_across() -> None:
    room = after(COVERED, Leave(ADA.id, X))

    assert after(room, SeatAI(BO.id, X, "easy")).seats == (AI("easy"), AI("hard", BO))


def test_a_covered_seat_cannot_be_changed_by_a_stranger() -> None:
    room = after(COVERED, Leave(ADA.id, X))

    assert refusal(room, SeatAI(CY.id, X, "easy")) is Reason.NOT_SEATED
    assert refusal(room, DismissAI(CY.id, O)) is Reason.NOT_SEATED
    assert after(room, Sit(CY, X)).seats == (CY, AI("hard", BO))


def test_anybody_may_dismiss_the_ais_once_no_seat_is_a_persons() -> None:
    room = after(COVERED, Leave(BO.id, O), Leave(ADA.id, X))

    sent_away = after(room, DismissAI(CY.id, O))

    assert sent_away.seats == (None, None)
    assert decide(sent_away, DismissAI(CY.id, O), 0) == ()


def test_a_stranger_may_not_dismiss_an_ai_while_somebody_is_seated() -> None:
    assert refusal(a_room(ADA, None), DismissAI(CY.id, O)) is Reason.NOT_SEATED
