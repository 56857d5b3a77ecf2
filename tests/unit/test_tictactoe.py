"""The classic exercise exactly as specified: plain values in, plain values out."""

from __future__ import annotations

import copy
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from server.tictactoe import (
    EMPTY,
    Action,
    Board,
    O,
    X,
    actions,
    initial_state,
    minimax,
    player,
    result,
    terminal,
    utility,
    winner,
)


def drawn(text: str) -> Board:
    """A board from a drawing: three words of X, O and dots."""
    return [[None if mark == "." else mark for mark in row] for row in text.split()]


def test_the_names_are_plain_values() -> None:
    assert (X, O, EMPTY) == ("X", "O", None)
    assert initial_state() == [[None] * 3, [None] * 3, [None] * 3]


def test_every_initial_state_is_a_board_of_its_own() -> None:
    one, other = initial_state(), initial_state()
    one[0][0] = X

    assert other == drawn("... ... ...")
    assert len({id(row) for row in other}) == 3


@pytest.mark.parametrize(
    ("board", "turn"), [("... ... ...", "X"), ("... .X. ...", "O"), ("O.. .X. ...", "X")]
)
def test_x_begins_and_the_two_take_turns(board: str, turn: str) -> None:
    assert player(drawn(board)) == turn


def test_actions_are_a_set_of_pairs_of_the_empty_cells() -> None:
    found = actions(drawn("XOX O.O X.."))

    assert type(found) is set
    assert found == {(1, 1), (2, 1), (2, 2)}
    assert {type(value) for action in found for value in (action, *action)} == {tuple, int}
    assert actions(drawn("XOX XOO OXX")) == set()


def test_a_result_is_a_new_board_that_shares_no_row_with_the_old_one() -> None:
    board = drawn("X.. .O. ...")
    kept, rows = copy.deepcopy(board), {id(row) for row in board}

    after = result(board, (2, 1))

    assert after == drawn("X.. .O. .X.")
    assert board == kept
    assert not rows & {id(row) for row in after}
    after[0][0] = O
    assert board == kept


BAD_ACTIONS: list[Any] = [
    (-1, 0), (0, -1), (-3, -3), (3, 0), (0, 3), (99, 99), (10**30, 0),  # off the board
    (0, 0), (1, 1),  # taken
    (), (0,), (0, 1, 2), ((0, 1),), (0, (1,)),  # of another length
    (0.0, 1), (0, 1.0), ("0", "1"), (None, 1), (True, False), (False, 2), (1j, 0),  # no ints
    [0, 1], {0, 1}, {0: 1}, "01", b"01", 1, None, 0.5, object(), range(2),  # no tuple
]  # fmt: skip


@pytest.mark.parametrize("action", BAD_ACTIONS, ids=repr)
def test_every_action_but_an_empty_cell_is_a_value_error(action: Any) -> None:
    board = drawn("X.. .O. ...")

    with pytest.raises(ValueError):
        result(board, action)

    assert board == drawn("X.. .O. ...")


@pytest.mark.parametrize(
    ("text", "won", "over", "worth"),
    [
        ("XXX OO. ...", "X", True, 1),
        ("X.O XO. O.X", "O", True, -1),
        ("XO. XO. .OX", "O", True, -1),
        ("XOX XOO OXX", None, True, 0),
        ("XOX OXO OXX", "X", True, 1),
        ("XO. ... ...", None, False, 0),
        ("... ... ...", None, False, 0),
    ],
)
def test_winner_terminal_and_utility(text: str, won: str | None, over: bool, worth: int) -> None:
    board = drawn(text)

    assert winner(board) == won
    assert terminal(board) is over
    assert utility(board) == worth
    assert type(utility(board)) is int


def test_minimax_on_a_finished_board_is_none() -> None:
    assert minimax(drawn("XXX OO. ...")) is None
    assert minimax(drawn("XOX XOO OXX")) is None


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("XX. OO. ...", (0, 2)),  # win rather than block
        ("XX. O.. ...", (0, 2)),  # block, though the game is lost
        ("XO. .X. ..O", (1, 0)),  # fork
        ("X.. ... ...", (1, 1)),  # the one reply that draws
    ],
)
def test_minimax_finds_the_known_best_move(text: str, action: Action) -> None:
    found = minimax(drawn(text))

    assert found == action
    assert type(found) is tuple
    assert {type(number) for number in found} == {int}


# ---------------------------------------------------------------- every position there is


Key = tuple[tuple[str | None, ...], ...]
Worth = tuple[int, int]  # for X: win, draw or loss; and the plies it takes


def every_board() -> Iterator[tuple[Board, Worth]]:
    """Each reachable board with its value in perfect play, by a separate search."""
    known: dict[Key, Worth] = {}

    def search(board: Board) -> Worth:
        key = tuple(map(tuple, board))
        if key not in known:
            if terminal(board):
                known[key] = (utility(board), 0)
            else:
                after = [search(result(board, action)) for action in actions(board)]
                known[key] = better(after, 1 if player(board) == X else -1)
        return known[key]

    search(initial_state())
    for key, worth in known.items():
        yield [list(row) for row in key], worth


def better(worths: list[Worth], sign: int) -> Worth:
    """The best for X (1) or O (-1): a quick win, else a draw, else a slow loss."""
    value, plies = max(worths, key=lambda worth: (sign * worth[0], -sign * worth[0] * worth[1]))
    return value, plies + 1


def test_minimax_is_optimal_from_every_reachable_board_and_wins_fast_and_loses_slowly() -> None:
    worths = {tuple(map(tuple, board)): worth for board, worth in every_board()}

    assert len(worths) == 5478
    for key, (value, plies) in worths.items():
        board: Board = [list(row) for row in key]
        action = minimax(board)
        assert tuple(map(tuple, board)) == key
        if action is None:
            assert terminal(board)
        else:
            after = tuple(map(tuple, result(board, action)))
            assert worths[after] == (value, plies - 1), f"{action} on {board}"


# -------------------------------------------------------------------- threads, lists, speed


def test_several_threads_may_call_everything_at_once() -> None:
    boards = [board for board, _ in every_board()][::40]
    expected = [minimax(board) for board in boards]
    together, wrong = threading.Barrier(6), []

    def work() -> None:
        together.wait()
        for board, action in zip(boards, expected, strict=True):
            if minimax(board) != action or len(actions(board)) + filled(board) != 9:
                wrong.append(board)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []


def filled(board: Board) -> int:
    return sum(mark is not None for row in board for mark in row)


def test_a_list_that_is_reused_is_judged_by_its_current_content() -> None:
    board = drawn("XX. OO. ...")
    assert minimax(board) == (0, 2)

    board[0][2], board[2][0] = O, X

    assert player(board) == "X"
    assert minimax(board) == (1, 2)
    board[:] = drawn("XXX OO. ...")
    assert winner(board) == "X"
    assert minimax(board) is None


def test_import_and_first_answer_take_a_few_tens_of_milliseconds() -> None:
    program = (
        "from time import process_time as now; begin = now(); import server.tictactoe as t;"
        "t.minimax(t.initial_state()); print(now() - begin)"
    )

    def seconds() -> float:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        return float(done.stdout)

    # Processor time: 40 ms on a typical machine. The best of three, with room for a slow machine.
    assert min(seconds() for _ in range(3)) < 0.15
