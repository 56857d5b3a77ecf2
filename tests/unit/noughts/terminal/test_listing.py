"""The lobby as a screen, and as lines for a pipe."""

from __future__ import annotations

from noughts.shapes import ListedAI, ListedHuman, ListedRoom, ListedSeats, OpenSeat
from noughts.terminal.listing import as_text, draw_list, in_order
from tests.support.tables import drawing, seen

PLAYING = ListedRoom(
    "a1", "drop", 2, "." * 42, "playing", "X",
    ListedSeats(ListedHuman("Ada"), ListedAI("hard")), 3, 1,
)  # fmt: skip
WAITING = ListedRoom(
    "b2", "3x3", 1, "." * 9, "waiting", None,
    ListedSeats(ListedHuman("Hal", bot=True), OpenSeat()), 0, 1,
)  # fmt: skip
OVER = ListedRoom(
    "c3", "3x3", 1, "XXXOO....", "over", None,
    ListedSeats(ListedHuman("Bo"), ListedHuman("Cy")), 0, 1, "X",
)  # fmt: skip
PAGE = "https://example.org"


def test_each_game_is_a_line() -> None:
    assert seen(draw_list(PAGE, in_order([WAITING, OVER, PLAYING]), 1, 64, 20)) == drawing("""
        Public games at https://example.org

          Drop Four        Ada – Hard computer       playing, 3 watching
        ▸ Classic Three    Hal (bot) – nobody yet                waiting
          Classic Three    Bo – Cy                             X has won

        arrows choose · Enter watch · q quit
    """)


def test_a_narrow_window_leaves_the_game_out() -> None:
    assert seen(draw_list(PAGE, [PLAYING], 0, 40, 20)).splitlines()[2] == (
        "▸ Ada – Hard compu…  playing, 3 watching"
    )


def test_a_long_list_is_scrolled_to_the_chosen_one() -> None:
    rooms = [PLAYING] * 50
    lines = seen(draw_list(PAGE, rooms, 49, 60, 10)).splitlines()

    assert len(lines) == 10
    assert [line.startswith("▸") for line in lines[2:8]] == [*[False] * 5, True]


def test_an_empty_list_says_so() -> None:
    assert "No public game" in seen(draw_list(PAGE, [], 0, 60, 10))
    assert len(draw_list(PAGE, [], 0, 20, 3)) == 3


def test_a_pipe_gets_one_line_for_each() -> None:
    assert as_text(OVER) == "c3  3x3  X has won  Bo – Cy  XXXOO...."
