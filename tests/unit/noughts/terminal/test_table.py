"""A room as a whole screen, in windows of any size."""

from __future__ import annotations

from dataclasses import replace

import pytest

from noughts.shapes import Clock, TimeLeft
from noughts.terminal.board import Sight
from noughts.terminal.styled import width_of
from noughts.terminal.table import Table, draw_plainly, draw_table, left_of
from tests.support.tables import drawing, seen, state_after, state_resigned

GAMES = ["3x3", "reverse", "vanishing", "5x5", "drop", "ultimate"]
TABLE = Table(
    state_after("3x3", [4, 0, 8, 2]),
    ("X",),
    Sight(1, numbers=True),
    online=["X"],
    note="That cell is taken. Choose a free one.",
    hints=("arrows Enter", "1–9 cell", "r resign", "q quit"),
)


def test_a_wide_window_has_the_players_beside_a_large_board() -> None:
    assert seen(draw_table(TABLE, 80, 24)) == drawing("""
      |  Classic Three
      |
      |    ╭─╮  │┌     ┐│  ╭─╮     ▸ X  Ada (you)                             0
      |    │ │  │   2   │‹ │ │ ›     O  Bo (away)                             0
      |    ╰─╯  │└     ┘│  ╰─╯
      |  ───────┼───────┼───────   Your turn.
      |         │  ╲ ╱  │
      |     4   │   ╳   │   6      That cell is taken. Choose a free one.
      |         │  ╱ ╲  │
      |  ───────┼───────┼───────
      |         │       │  ╲ ╱
      |     7   │   8   │   ╳
      |         │       │  ╱ ╲
      |
      |  arrows Enter · 1–9 cell · r resign · q quit
    """).replace("|", "")


def test_a_narrow_window_has_them_above_and_below_a_small_one() -> None:
    assert seen(draw_table(TABLE, 24, 16)) == drawing("""
        Classic Three
        ▸ X  Ada (you)         0
          O  Bo (away)         0

           O │[2]│‹O›
          ───┼───┼───
           4 │ X │ 6
          ───┼───┼───
           7 │ 8 │ X

        Your turn.
        That cell is taken.
        Choose a free one.

        arrows Enter · 1–9 cell
        r resign · q quit
    """)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [(20, 14), (24, 15), (40, 20), (80, 24), (60, 14), (200, 70)])
def test_every_game_fits_into_the_window(game: str, size: tuple[int, int]) -> None:
    width, height = size
    lines = draw_table(replace(TABLE, state=state_after(game, []), sight=Sight()), width, height)

    text = seen(lines)
    assert "too small" not in text
    assert "Your turn" in text
    assert len(lines) <= height
    assert max(map(width_of, text.splitlines())) <= width


def test_a_window_that_is_too_small_says_how_large_it_must_be() -> None:
    table = replace(TABLE, state=state_after("ultimate", []))

    assert " ".join(seen(draw_table(table, 19, 14)).split()) == (
        "This window is too small: Ultimate Nine needs 20 columns and 14 rows, and there are "
        "19 and 14."
    )
    assert draw_table(table, 1, 1)


def test_a_link_is_never_broken_if_it_fits() -> None:
    link = f"https://noughts.example.org/r/{'x' * 30}"
    table = replace(TABLE, state=state_after("drop", [], waits=True), invitation=("Send:", link))

    for width, height in [(80, 24), (100, 40), (66, 20)]:
        assert link in [line.strip() for line in seen(draw_table(table, width, height)).split("\n")]


def test_the_winner_the_score_and_how_it_ended_are_told() -> None:
    text = seen(draw_table(replace(TABLE, state=state_resigned(), note=""), 80, 24))

    assert "Bo wins. You resigned." in text
    assert "O  Bo (away)                             1" in text


def test_a_clock_runs_for_the_side_to_move_only() -> None:
    state = state_after("3x3", [4])
    state.clock = Clock(60_000, 0, TimeLeft(50_000, 40_000), since=1_000)

    assert left_of(state, "X", now=9_000) == 50_000
    assert left_of(state, "O", now=9_000) == 32_000
    assert left_of(state, "O", now=99_000) == 0
    text = seen(draw_table(Table(state, now=36_000), 80, 24))
    assert "0:50" in text
    assert "0:05.0" in text


def test_a_pipe_gets_one_line_a_board_and_what_the_moment_is_about() -> None:
    assert seen(draw_plainly(replace(TABLE, online=None))) == drawing("""
        Classic Three · X Ada (you) · O Bo · 0:0
         O │[2]│‹O›
        ───┼───┼───
         4 │ X │ 6
        ───┼───┼───
         7 │ 8 │ X
        Your turn.
    """)
