"""Boards as text. What matters is to be seen without colour."""

from __future__ import annotations

import pytest

from noughts.messages import State
from noughts.terminal.board import LARGE, SMALL, TINY, Sight, Size, draw, measure, sizes_of
from noughts.terminal.styled import Look, width_of
from tests.support.tables import drawing, seen, state_after

NUMBERS = Sight(cursor=1, numbers=True)


def test_small_cells_show_digits_the_cursor_and_the_last_mark() -> None:
    assert seen(draw(state_after("3x3", [4, 0, 8]), SMALL, NUMBERS)) == drawing("""
         O │[2]│ 3
        ───┼───┼───
         4 │ X │ 6
        ───┼───┼───
         7 │ 8 │‹X›
    """)


def test_large_cells_show_the_same() -> None:
    assert seen(draw(state_after("3x3", [4, 0, 8]), LARGE, NUMBERS)) == drawing("""
          ╭─╮  │┌     ┐│
          │ │  │   2   │   3
          ╰─╯  │└     ┘│
        ───────┼───────┼───────
               │  ╲ ╱  │
           4   │   ╳   │   6
               │  ╱ ╲  │
        ───────┼───────┼───────
               │       │  ╲ ╱
           7   │   8   │‹  ╳  ›
               │       │  ╱ ╲
    """)


def test_the_line_that_won_is_marked() -> None:
    assert seen(draw(state_after("3x3", [0, 3, 1, 4, 2]), SMALL, Sight())) == drawing("""
        *X*│*X*│*X*
        ───┼───┼───
         O │ O │
        ───┼───┼───
           │   │
    """)


def test_the_mark_that_vanishes_next_is_in_brackets() -> None:
    state = state_after("vanishing", [0, 1, 4, 5, 2, 6])

    assert seen(draw(state, SMALL, Sight())) == drawing("""
        (X)│ O │ X
        ───┼───┼───
           │ X │ O
        ───┼───┼───
        ‹O›│   │
    """)


def test_a_large_mark_that_vanishes_next_is_in_brackets_too() -> None:
    state = state_after("vanishing", [0, 1, 4, 5, 2, 6])

    assert seen(draw(state, LARGE, Sight())[:3]) == drawing("""
        ╭ ╲ ╱ ╮│  ╭─╮  │  ╲ ╱
        │  ╳  ││  │ │  │   ╳
        ╰ ╱ ╲ ╯│  ╰─╯  │  ╱ ╲
    """)


def test_five_by_five_has_the_digits_of_rows_and_columns_outside() -> None:
    state = state_after("5x5", [12, 0])

    assert seen(draw(state, SMALL._replace(labels=True), Sight())) == drawing("""
           1   2   3   4   5
        1 ‹O›│ · │ · │ · │ ·
          ───┼───┼───┼───┼───
        2  · │ · │ · │ · │ ·
          ───┼───┼───┼───┼───
        3  · │ · │ X │ · │ ·
          ───┼───┼───┼───┼───
        4  · │ · │ · │ · │ ·
          ───┼───┼───┼───┼───
        5  · │ · │ · │ · │ ·
    """)


def test_marks_fall_between_walls_and_an_arrow_shows_the_column() -> None:
    state = state_after("drop", [3, 3, 2])

    assert seen(draw(state, Size(3, 1, False), Sight(cursor=24))) == drawing("""
          1  2  3 ▼4  5  6  7
        │ ·  ·  ·  ·  ·  ·  · │
        │ ·  ·  ·  ·  ·  ·  · │
        │ ·  ·  ·  ·  ·  ·  · │
        │ ·  ·  · [·] ·  ·  · │
        │ ·  ·  ·  O  ·  ·  · │
        │ ·  · ‹X› X  ·  ·  · │
        ╰─────────────────────╯
    """)


@pytest.mark.parametrize(
    "state",
    [state_after(name, []) for name in ("3x3", "reverse", "vanishing", "5x5", "drop")],
    ids=lambda state: state.variant.name,
)
def test_a_drawing_has_the_size_that_was_measured(state: State) -> None:
    for size in sizes_of(state.variant):
        width, height = measure(state.variant, size)
        lines = draw(state, size, Sight())
        assert len(lines) == height
        assert all(sum(width_of(text) for text, _ in line) == width for line in lines)


def test_every_game_fits_into_twenty_columns() -> None:
    for name in ("3x3", "reverse", "vanishing", "5x5", "drop"):
        variant = state_after(name, []).variant
        assert measure(variant, sizes_of(variant)[-1])[0] <= 20
    assert sizes_of(state_after("3x3", []).variant)[-1] is TINY


def test_ascii_has_every_sign_too() -> None:
    lines = draw(state_after("3x3", [4, 0, 8]), SMALL, NUMBERS)

    assert seen(lines, Look(ascii=True)) == drawing("""
         O |[2]| 3
        ---+---+---
         4 | X | 6
        ---+---+---
         7 | 8 |<X>
    """)
