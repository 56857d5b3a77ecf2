"""Nine boards in one as text."""

from __future__ import annotations

from noughts.terminal.board import Sight
from noughts.terminal.nested import NESTS, draw_nest, measure_nest
from tests.support.tables import drawing, seen, state_after

# A whole game: O has won with the boards from the lower left to the upper right.
ULTIMATE = [
    *(73, 57, 18, 74, 60, 9, 46, 77, 71, 35, 6, 11, 53, 69, 28, 12),
    *(37, 30, 10, 39, 2, 25, 67, 48, 72, 65, 42, 56, 8, 7, 21, 16),
]


def test_of_nested_boards_the_playable_one_has_dots_and_a_closed_one_its_owners_mark() -> None:
    assert seen(draw_nest(state_after("ultimate", ULTIMATE[:-6]), NESTS[1], Sight())) == drawing("""
          ╲   ╱  ║         ║ X
            ╳    ║ O       ║
          ╱   ╲  ║         ║    O
        ═════════╬═════════╬═════════
          ╲   ╱  ║  ╭───╮  ║ ·  ·  O
            ╳    ║  │   │  ║ ·  ·  ·
          ╱   ╲  ║  ╰───╯  ║ ·  ·  X
        ═════════╬═════════╬═════════
                 ║ O       ║ X
              ‹O›║    X    ║ O     X
         X  X  O ║       O ║
    """)


def test_the_three_boards_that_won_have_stars() -> None:
    assert seen(draw_nest(state_after("ultimate", ULTIMATE), NESTS[2], Sight())) == drawing("""
        ╲   ╱ ║      ║╭───╮*
          ╳   ║ O    ║│   │*
        ╱   ╲ ║ X    ║╰───╯*
        ══════╬══════╬══════
        ╲   ╱ ║╭───╮*║     O
          ╳   ║│   │*║ X
        ╱   ╲ ║╰───╯*║     X
        ══════╬══════╬══════
        ╭───╮*║ O    ║ X
        │   │*║   X  ║ O   X
        ╰───╯*║     O║
    """)


def test_the_cursor_and_the_playable_board_are_to_be_seen_among_the_rules() -> None:
    lines = seen(draw_nest(state_after("ultimate", [40]), NESTS[0], Sight(cursor=30))).splitlines()

    assert lines[6].startswith("   │   │   ║[·]│ · │ · ║")
    assert lines[8].startswith("   │   │   ║ · │‹X›│ · ║")


def test_the_smallest_takes_twenty_columns() -> None:
    assert measure_nest(NESTS[-1]) == (20, 11)
