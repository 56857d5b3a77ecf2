"""The tables, against a slow search without a cache, and in line with themselves everywhere."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.core import tables
from server.core.rules import (
    CLASSIC,
    REVERSE,
    VANISHING,
    Position,
    Variant,
    cells,
    play_all,
    read_position,
)
from server.core.tables import judge_to_the_end, judge_vanishing
from server.core.verdicts import Verdict
from tests.support.positions import positions, random_positions, reachable
from tests.support.reference import best, reference, turned


@st.composite
def midgames(draw: st.DrawFn, variant: Variant) -> Position:
    """A position with at most six free cells."""
    position = Position(variant)
    for cell in draw(st.permutations(range(9)))[: draw(st.integers(3, 8))]:
        if position.play(cell).outcome() is None:
            position = position.play(cell)
    return position


# --------------------------------------------------------------------------- 3x3 and reverse


def test_the_empty_board_is_a_draw_wherever_one_begins() -> None:
    assert judge_to_the_end(Position(CLASSIC)) == {cell: Verdict("draw", 9) for cell in range(9)}


def test_an_immediate_win_takes_one_ply_and_a_blunder_loses_in_two() -> None:
    verdicts = judge_to_the_end(read_position("XX. OO. ..."))

    assert verdicts[2] == Verdict("win", 1)
    assert verdicts[8] == Verdict("loss", 2)


def test_a_fork_wins_in_three() -> None:
    assert judge_to_the_end(read_position("XO. .X. ..O"))[3] == Verdict("win", 3)


def test_a_lost_game_is_lost_as_slowly_as_possible() -> None:
    assert judge_to_the_end(read_position("XX. O.. ..."))[2] == Verdict("loss", 4)  # then a fork


def test_only_the_centre_draws_where_a_line_loses() -> None:
    verdicts = judge_to_the_end(Position(REVERSE))

    assert [cell for cell, verdict in verdicts.items() if verdict.value == "draw"] == [4]
    assert {verdict.value for verdict in verdicts.values()} == {"draw", "loss"}


def test_completing_a_line_loses_at_once_where_a_line_loses() -> None:
    verdicts = judge_to_the_end(read_position("XX. OO. ...", REVERSE))

    assert verdicts[2] == Verdict("loss", 1)
    assert verdicts[5] == reference(read_position("XX. OO. ...", REVERSE))[5]


@pytest.mark.parametrize("variant", [CLASSIC, REVERSE], ids=str)
def test_all_positions_are_judged_in_line_with_the_positions_after_them(variant: Variant) -> None:
    assert len(reachable(variant)) == 5478
    for position in positions(variant):
        verdicts = judge_to_the_end(position)
        assert list(verdicts) == list(cells(position.playable()))
        for cell, verdict in verdicts.items():
            after = position.play(cell)
            if after.outcome() is None:
                assert verdict == turned(best(judge_to_the_end(after).values()))
            else:
                assert verdict == reference(position)[cell]


@settings(max_examples=40, deadline=None)
@given(midgames(CLASSIC) | midgames(REVERSE))
def test_value_and_distance_are_those_of_a_search_without_a_cache(position: Position) -> None:
    assert judge_to_the_end(position) == reference(position)


def test_several_threads_get_the_same_answers_from_a_cold_start() -> None:
    fresh = Variant("shared by threads", 3, 3, 3)
    asked = [Position(fresh, p.x, p.o, p.ply) for p in list(positions())[:500]]

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(judge_to_the_end, asked * 2))

    assert answers == [judge_to_the_end(p) for p in list(positions())[:500]] * 2


# --------------------------------------------------------------------------------- vanishing


def test_the_table_knows_every_position_and_the_longest_win() -> None:
    won, before, escapes = tables._explore()
    distances = set(tables._vanishing().values())

    assert len(before) == len(won) + len(escapes) == 66_682
    assert max(distances) == 17


def test_x_wins_in_thirteen_from_an_edge_only() -> None:
    verdicts = judge_vanishing(Position(VANISHING))

    assert {cell for cell in verdicts if verdicts[cell] == Verdict("win", 13)} == {1, 3, 5, 7}
    assert {verdicts[cell] for cell in (0, 2, 4, 6, 8)} == {Verdict("draw", 100)}


def test_a_line_with_the_mark_that_goes_is_no_win() -> None:
    """X has 0, 1 and 6, the oldest first: 2 completes no row, since 0 goes."""
    position = play_all(VANISHING, [0, 3, 1, 8, 6, 5])

    verdicts = judge_vanishing(position)

    assert verdicts[2] != Verdict("win", 1)
    assert judge_vanishing(play_all(VANISHING, [6, 3, 1, 8, 0, 5]))[2] == Verdict("win", 1)


def test_every_verdict_is_in_line_with_the_position_after_it() -> None:
    """Wins come one ply nearer with each move, and a draw has no winning reply: so all is exact."""
    judged = 0
    for position in random_positions(VANISHING, games=300):
        verdicts = judge_vanishing(position)
        assert list(verdicts) == list(cells(position.playable()))
        for cell, verdict in verdicts.items():
            after = position.play(cell)
            if after.outcome() is None:
                assert verdict == turned(best(judge_vanishing(after).values()))
            else:
                assert verdict == Verdict("win", 1)
        judged += 1
    assert judged > 2_000


@pytest.mark.parametrize("left", range(1, 7))
def test_a_win_that_would_come_after_the_limit_is_a_draw(left: int) -> None:
    late = set()
    for early in random_positions(VANISHING, games=40):
        ply = VANISHING.limit - left
        if (early.ply - ply) % 2 == 0 and len(early.last) == 6:
            position = early._replace(ply=ply)
            verdicts = judge_vanishing(position)
            assert verdicts == reference(position)
            late |= {verdict.value for verdict in verdicts.values()}
    assert late >= {"win", "draw"}
