"""The sentences about a room, for its players and for those who watch."""

from __future__ import annotations

from noughts.shapes import AISeat, HumanSeat, Mark, OpenSeat
from noughts.terminal.words import is_bot, rematch_note, result, seat_name, status, title
from tests.support.tables import state_after, state_resigned

X: tuple[Mark, ...] = ("X",)
O: tuple[Mark, ...] = ("O",)
BOTH: tuple[Mark, ...] = ("X", "O")


def test_whose_turn_it_is_depends_on_who_asks() -> None:
    state = state_after("3x3", [])

    assert status(state, X) == "Your turn."
    assert status(state, O) == status(state, ()) == "Ada to move."
    assert status(state, BOTH) == "Ada, your turn."


def test_each_game_reminds_of_its_rule() -> None:
    assert status(state_after("reverse", []), X) == "Your turn: avoid three."
    assert status(state_after("ultimate", []), X) == "Your turn, any open board."
    assert status(state_after("ultimate", [40]), O) == "Your turn, board 5."
    vanishing = state_after("vanishing", [0, 1, 4, 5, 2, 6])
    assert status(vanishing, X) == "Your turn: the (X) on 1 goes next."
    assert status(vanishing, ()) == "Ada to move. The (X) on 1 goes next."


def test_the_result_is_told_to_each_in_their_own_way() -> None:
    won, lost = state_after("3x3", [0, 3, 1, 4, 2]), state_resigned()

    assert [status(won, who) for who in (X, O, (), BOTH)] == [
        "You win!", "Ada wins.", "Ada wins!", "Ada wins!",
    ]  # fmt: skip
    assert status(lost, X) == "Bo wins. You resigned."
    assert status(lost, O) == "You win! Ada resigned."
    assert (
        status(state_after("3x3", [0, 1, 2, 4, 3, 5, 7, 6, 8]), X) == "A draw. The board is full."
    )
    assert result(state_after("3x3", []), X) == "A draw."


def test_in_reverse_it_is_said_who_made_the_line() -> None:
    state = state_after("reverse", [0, 3, 1, 4, 2])

    assert status(state, X) == "Bo wins. You made three in a row."
    assert status(state, ()) == "Bo wins! Ada made three in a row."


def test_a_room_waits_for_its_players() -> None:
    state = state_after("3x3", [], waits=True)

    assert status(state, X) == "Waiting for the other player."
    assert status(state, ()) == "Waiting for players."


def test_a_wish_for_another_game_is_told_to_both() -> None:
    state = state_resigned()
    assert rematch_note(state, X) == ""
    state.rematch = ["O"]
    assert rematch_note(state, X) == "Bo wants another game."
    assert rematch_note(state, O) == "Waiting for Ada to play again."


def test_seats_and_games_have_names() -> None:
    assert seat_name(AISeat("hard")) == "Hard computer"
    assert seat_name(OpenSeat()) == "nobody yet"
    assert not is_bot(HumanSeat("id", "Ada"))
    assert is_bot(HumanSeat("id", "Hal", bot=True))
    state = state_after("drop", [])
    state.game = 3
    assert title(state) == "Drop Four · game 3"
