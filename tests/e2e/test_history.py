"""The history checker itself: it must fail on every kind of broken history."""

from __future__ import annotations

import copy
import json

import pytest

from server.core.events import (
    AIDismissed,
    AISeated,
    ClockResumed,
    Event,
    GameForfeited,
    GameStarted,
    MovePlayed,
    Person,
    PlayerId,
    RematchAsked,
    RoomOpened,
    SeatLeft,
    SeatTaken,
)
from server.core.evolve import replay
from server.core.room import RoomId
from server.core.rules import CLASSIC, Ending, Mark
from server.wire import snapshots
from tests.support.history import Asked, Broken, Frame, Record, check, check_convergence

ADA, BOB = Person(PlayerId("ada"), "Ada"), Person(PlayerId("bob"), "Bob")
LOG: list[Event] = [
    RoomOpened(0, CLASSIC, True),
    SeatTaken(0, Mark.X, ADA),
    SeatTaken(1, Mark.O, BOB),
    MovePlayed(2, Mark.X, 4),
    MovePlayed(3, Mark.O, 0),
    GameForfeited(4, Mark.X, Ending.RESIGNATION),
    RematchAsked(5, Mark.X),
    RematchAsked(6, Mark.O),
    GameStarted(6),
]

COVERED: list[Event] = [
    *LOG[:4],
    AISeated(3, Mark.O, "easy"),
    MovePlayed(4, Mark.O, 0),
    SeatTaken(5, Mark.O, BOB),
    MovePlayed(6, Mark.X, 8),
    GameForfeited(7, Mark.O, Ending.RESIGNATION),
]


def state(seq: int, log: list[Event] = LOG) -> Frame:
    room = replay(log[:seq])
    assert room is not None
    shown: Frame = json.loads(snapshots.state_text(RoomId("r"), room))
    return shown


def play(player: str, cell: int, ply: int, seq: int | None, sent: float, answered: float) -> Asked:
    command = {"type": "play", "room": "r", "game": 1, "cell": cell, "ply": ply}
    return Asked(player, command, sent, answered, seq)


def records() -> list[Record]:
    """The correct records of two players and a spectator."""
    ada = Record("r", [Asked("ada", {"type": "create"}, 0.0, 1.0, 2)], [state(2), state(4)])
    ada.asked += [play("ada", 4, 0, 4, 4.0, 5.0)]
    ada.asked += [Asked("ada", {"type": "rematch", "room": "r", "game": 1}, 8.0, 9.0, 7)]
    sitting = {"type": "sit", "room": "r", "seat": "O"}
    bob = Record("r", [Asked("bob", sitting, 2.0, 3.0, 3)], [state(3), state(3), state(9)])
    bob.asked += [play("bob", 0, 1, 5, 6.0, 7.0)]
    return [ada, bob, Record("r", [], [state(seq) for seq in range(1, 10)])]


def judge(log: list[Event], seen: list[Record]) -> None:
    check("r", log, seen)


def test_a_correct_history_passes() -> None:
    judge(LOG, records())
    check_convergence("r", LOG, [state(9), state(9)])


def test_a_command_that_was_never_answered_may_or_may_not_have_happened() -> None:
    seen = records()
    seen[0].asked.append(play("ada", 8, 2, None, 9.0, 0.0))
    seen[1].asked[1].seq = None
    judge(LOG, seen)


@pytest.mark.parametrize(
    "log",
    [
        pytest.param([], id="nothing at all"),
        pytest.param(LOG[1:], id="no beginning"),
        pytest.param(LOG[:4] + LOG[5:7], id="a rematch in mid-game"),
        pytest.param([*LOG[:4], MovePlayed(3, Mark.X, 0)], id="a move out of turn"),
        pytest.param([*LOG[:4], MovePlayed(3, Mark.O, 4)], id="a cell taken twice"),
        pytest.param([*LOG[:4], MovePlayed(3, Mark.O, 9)], id="a cell that does not exist"),
        pytest.param([*LOG[:4], SeatTaken(3, Mark.X, BOB)], id="a seat taken away"),
        pytest.param([*LOG[:6], MovePlayed(5, Mark.X, 8)], id="a move after the end"),
        pytest.param([*LOG[:7], GameStarted(7)], id="a rematch only one asked for"),
        pytest.param([*LOG[:4], MovePlayed(1, Mark.O, 0)], id="a clock that runs backwards"),
        pytest.param([*LOG, RoomOpened(9, CLASSIC, True)], id="a second beginning"),
        pytest.param([*COVERED[:5], SeatTaken(4, Mark.O, ADA)], id="a covered seat taken away"),
        pytest.param([*COVERED[:5], AISeated(4, Mark.O, "easy")], id="an AI on an AI"),
        pytest.param([*LOG[:3], AIDismissed(3, Mark.O)], id="an AI dismissed that is not there"),
        pytest.param([*LOG[:2], SeatLeft(3, Mark.O)], id="a seat left that nobody had"),
        pytest.param([*LOG[:4], ClockResumed(3)], id="a clock resumed where there is none"),
        pytest.param(
            [*LOG[:4], GameForfeited(3, Mark.O, Ending.TIME)], id="a flag without a clock"
        ),
        pytest.param([*LOG[:4], GameForfeited(3, Mark.X, Ending.ABSENCE)], id="absent out of turn"),
    ],
)
def test_an_illegal_log_is_red(log: list[Event]) -> None:
    with pytest.raises(Broken):
        judge(log, [])


def red(seen: list[Record], words: str, log: list[Event] = LOG) -> None:
    with pytest.raises(Broken, match=words):
        judge(log, seen)


def test_an_accepted_move_that_is_missing_is_red() -> None:
    seen = [Record("r", copy.deepcopy(record.asked), []) for record in records()]
    red(seen, "is not in the log", LOG[:4])
    seen = records()
    seen[1].asked[1].command["cell"] = 8
    red(seen, "is not in the log")


def test_an_answer_before_its_event_is_red() -> None:
    seen = records()
    seen[0].asked[1].seq = 3
    red(seen, "accepted before it happened")


def test_a_refused_command_that_happened_is_red() -> None:
    seen = records()
    seen[1].asked[1].seq, seen[1].asked[1].refused = None, "stale"
    red(seen, "was refused, but happened")
    seen = records()
    refused = play("bob", 8, 1, None, 6.0, 7.0)
    refused.refused = "cell_taken"
    seen[1].asked.append(refused)
    judge(LOG, seen)


def test_a_move_nobody_asked_for_is_red() -> None:
    seen = records()
    del seen[1].asked[1]
    red(seen, "nobody asked for")


def test_a_move_accepted_from_somebody_else_is_red() -> None:
    seen = records()
    seen[1].asked[1].player = "ada"
    red(seen, "is not in the log")


def test_a_state_older_than_the_last_one_seen_is_red() -> None:
    seen = records()
    seen[2].states.append(state(3))
    red(seen, "saw 3 after 9")


def test_a_state_beyond_the_log_is_red() -> None:
    seen = records()
    red([Record("r", [], seen[2].states)], "the log ends at 3", LOG[:3])


def test_a_state_that_differs_in_any_field_is_red() -> None:
    for field in state(9):
        seen = records()
        seen[0].states[1] = {**seen[0].states[1], field: 99}
        red(seen, "saw")


def test_an_order_that_contradicts_the_clients_is_red() -> None:
    seen = records()
    first, second = seen[0].asked[1], seen[1].asked[1]
    first.sent, first.answered = second.answered + 1, second.answered + 2
    red(seen, "was sent after")


def test_a_client_that_never_sees_the_end_of_the_log_is_red() -> None:
    with pytest.raises(Broken, match="left with"):
        check_convergence("r", LOG, [state(9), state(8)])


def covered() -> list[Record]:
    """The log and records of a room where an AI covered for Bob until he came back."""
    sit = {"type": "sit", "room": "r", "seat": "O"}
    cover = {"type": "seat_ai", "room": "r", "seat": "O", "level": "easy"}
    ada = Record("r", [Asked("ada", {"type": "create"}, 0.0, 1.0, 2)])
    ada.asked += [play("ada", 4, 0, 4, 4.0, 5.0), Asked("ada", cover, 6.0, 7.0, 5)]
    ada.asked += [play("ada", 8, 2, 8, 10.0, 11.0)]
    bob = Record("r", [Asked("bob", sit, 2.0, 3.0, 3), Asked("bob", sit, 8.0, 9.0, 7)])
    bob.asked += [Asked("bob", {"type": "resign", "room": "r", "game": 1}, 12.0, 13.0, 9)]
    return [ada, bob]


def test_an_ai_that_covers_moves_unasked_and_its_owner_takes_the_seat_back() -> None:
    check("r", COVERED, covered(), whole=True)


@pytest.mark.parametrize(("who", "which"), [(0, 2), (1, 1), (1, 2)])
def test_an_event_that_nobody_asked_for_is_red_if_the_records_are_whole(
    who: int, which: int
) -> None:
    seen = covered()
    del seen[who].asked[which]
    check("r", COVERED, seen)
    with pytest.raises(Broken, match="nobody asked for"):
        check("r", COVERED, seen, whole=True)


def test_a_seat_that_differs_from_its_answer_is_red() -> None:
    seen = covered()
    seen[1].asked[1].seq = 6
    red(seen, "is not in the log", COVERED)


def test_a_repeated_move_is_refused_without_blame_only_once_the_seat_was_lost() -> None:
    seen = covered()
    seen[0].asked[3].seq, seen[0].asked[3].refused, seen[0].asked[3].again = None, "stale", 1
    red(seen, "was refused, but happened", COVERED)
    judge([*COVERED, SeatLeft(8, Mark.X)], seen)
