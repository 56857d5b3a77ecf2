"""`play`: the exact order of its checks, and moves that are sent twice."""

from __future__ import annotations

import pytest

from server.core.commands import AI_PLAYER, Command, Leave, Play, Reason, Rematch, SeatAI
from server.core.decide import decide
from server.core.events import MovePlayed
from server.core.room import Room
from server.core.rules import DROP, ULTIMATE, Mark
from tests.support.people import ADA, BO, CY
from tests.support.playing import X_WINS, a_room, after, played, refusal

X, O = Mark.X, Mark.O


def second_game() -> Room:
    """The second game of a room: Bo is X, Ada is O, and Bo has taken the centre."""
    return played(after(played(a_room(), X_WINS), Rematch(ADA.id), Rematch(BO.id)), "4")


def test_a_move_is_the_movers_mark_on_the_cell() -> None:
    assert decide(a_room(), Play(ADA.id, 4, 0), 7) == (MovePlayed(7, X, 4),)
    assert decide(played(a_room(), "4"), Play(BO.id, 0, 1), 9) == (MovePlayed(9, O, 0),)


OVER = played(a_room(), X_WINS)
WAITING = after(played(a_room(), "4"), Leave(BO.id, O))
PLAYING = played(a_room(), "4")  # Bo to move, the centre is taken
DROPPED = played(a_room(variant=DROP), "38")  # Bo to move; a mark falls to the lowest free cell
SENT = played(a_room(variant=ULTIMATE), "0")  # Bo has to play on the first board


@pytest.mark.parametrize(
    ("room", "command", "reason"),
    [
        # Each command would also fail every later check; the first failure is the answer.
        (None, Play(CY.id, 99, 7, game=9), Reason.NO_SUCH_ROOM),
        (OVER, Play(CY.id, 99, 7, game=9), Reason.NOT_SEATED),
        (OVER, Play(BO.id, 99, 7, game=9), Reason.GAME_OVER),
        (WAITING, Play(ADA.id, 99, 7, game=9), Reason.WAITING),
        (PLAYING, Play(ADA.id, 99, 7), Reason.STALE),
        (PLAYING, Play(ADA.id, 99, 1, game=9), Reason.STALE),
        (PLAYING, Play(ADA.id, 99, 1), Reason.NOT_YOUR_TURN),
        (PLAYING, Play(BO.id, 99, 1), Reason.NO_SUCH_CELL),
        (PLAYING, Play(BO.id, 4, 1), Reason.CELL_TAKEN),
        (PLAYING, Play(BO.id, -1, 1), Reason.NO_SUCH_CELL),
        (PLAYING, Play(BO.id, 9, 1), Reason.NO_SUCH_CELL),
        (PLAYING, Play(BO.id, 10**30, 1), Reason.NO_SUCH_CELL),
        (PLAYING, Play(BO.id, 0, 10**30), Reason.STALE),
        (PLAYING, Play(BO.id, 0, -1), Reason.STALE),
        (PLAYING, Play(BO.id, 0, 1, game=0), Reason.STALE),
        (DROPPED, Play(BO.id, 38, 1), Reason.CELL_TAKEN),
        (DROPPED, Play(BO.id, 24, 1), Reason.NOT_PLAYABLE),
        (SENT, Play(BO.id, 80, 1), Reason.NOT_PLAYABLE),
    ],
)
def test_play_is_checked_in_the_order_of_the_protocol(
    room: Room | None, command: Command, reason: Reason
) -> None:
    assert refusal(room, command) is reason


def test_a_late_click_is_refused_and_changes_nothing() -> None:
    room = played(a_room(), "4 0")
    before = repr(room)

    reason = refusal(room, Play(ADA.id, 1, 0))

    assert reason is Reason.STALE
    assert repr(room) == before


@pytest.mark.parametrize("game", [None, 1])
def test_the_same_move_sent_again_is_accepted_and_makes_no_event(game: int | None) -> None:
    first = Play(ADA.id, 4, 0, game=game)

    assert decide(played(a_room(), "4"), first, 0) == ()
    assert decide(played(a_room(), "4 0"), first, 0) == ()


def test_a_move_sent_again_is_accepted_even_though_it_ended_the_game() -> None:
    assert decide(OVER, Play(ADA.id, 2, 4), 0) == ()


def test_a_move_sent_again_is_accepted_while_the_room_waits() -> None:
    assert decide(WAITING, Play(ADA.id, 4, 0), 0) == ()


def test_a_move_to_another_cell_or_of_another_player_is_no_repeat() -> None:
    room = played(a_room(), "4 0")

    assert refusal(room, Play(ADA.id, 5, 0)) is Reason.STALE
    assert refusal(room, Play(BO.id, 4, 0)) is Reason.STALE
    assert refusal(room, Play(ADA.id, 0, -1)) is Reason.STALE


def test_a_move_of_the_last_game_is_stale_even_where_this_game_has_the_same() -> None:
    room = second_game()

    assert refusal(room, Play(BO.id, 4, 0, game=1)) is Reason.STALE
    assert decide(room, Play(BO.id, 4, 0, game=2), 0) == ()


def test_a_player_of_both_seats_moves_for_whichever_is_to_move() -> None:
    room = a_room(ADA, ADA)

    room = after(room, Play(ADA.id, 4, 0), Play(ADA.id, 0, 1))

    assert room.moves == (4, 0)
    assert decide(room, Play(ADA.id, 4, 0), 0) == decide(room, Play(ADA.id, 0, 1), 0) == ()


def test_the_ai_moves_where_it_sits_and_is_refused_like_anybody() -> None:
    room = a_room("easy", BO)

    assert decide(room, Play(AI_PLAYER, 4, 0), 0) == (MovePlayed(0, X, 4),)
    assert refusal(played(room, "4"), Play(AI_PLAYER, 0, 0)) is Reason.STALE
    assert refusal(played(room, "4"), Play(AI_PLAYER, 0, 1)) is Reason.NOT_YOUR_TURN
    assert refusal(a_room(), Play(AI_PLAYER, 0, 0)) is Reason.NOT_SEATED


def test_a_covered_owner_does_not_move_until_they_sit_again() -> None:
    covered = after(a_room(), SeatAI(BO.id, X, "hard", absent_for=20_000))

    assert refusal(covered, Play(ADA.id, 4, 0)) is Reason.NOT_SEATED
    assert after(covered, Play(AI_PLAYER, 4, 0)).moves == (4,)
