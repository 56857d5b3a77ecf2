"""Perfect play, against a slow reference without a cache, and over every position."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.core.rules import CLASSIC, Cell, Position, Variant, cells, read_position
from server.core.search import OutOfNodes, Search, Value, Verdict, best_cell, best_cells, judge
from tests.support.positions import reachable

TURNED: dict[Value, Value] = {"win": "loss", "loss": "win", "draw": "draw"}


def reference(position: Position) -> dict[Cell, Verdict]:
    """The verdict of every free cell by plain minimax without a cache."""
    return {cell: seen_from_before(position.play(cell)) for cell in cells(position.playable())}


def seen_from_before(position: Position) -> Verdict:
    """The verdict on the move that led to `position`, for the side that made it."""
    outcome = position.outcome()
    if outcome is not None:
        return Verdict("draw" if outcome.winner is None else "win", 1)
    value, plies = best(reference(position).values())
    return Verdict(TURNED[value], plies + 1)


def best(verdicts: Iterable[Verdict]) -> Verdict:
    """The fastest win, else a draw, else the slowest loss."""
    rank = {"win": (2, -1), "draw": (1, 0), "loss": (0, 1)}
    return max(verdicts, key=lambda v: (rank[v.value][0], rank[v.value][1] * v.plies))


@st.composite
def midgames(draw: st.DrawFn, variant: Variant = CLASSIC, free: int = 6) -> Position:
    order = draw(st.permutations(range(variant.size)))
    position = Position(variant)
    for cell in order[: variant.size - draw(st.integers(1, free))]:
        if position.play(cell).outcome() is None:
            position = position.play(cell)
    return position


def test_the_empty_board_is_a_draw_wherever_one_begins() -> None:
    assert judge(read_position("... ... ...")) == {cell: Verdict("draw", 9) for cell in range(9)}


def test_an_immediate_win_takes_one_ply_and_a_blunder_loses_in_two() -> None:
    verdicts = judge(read_position("XX. OO. ..."))

    assert verdicts[2] == Verdict("win", 1)
    assert verdicts[8] == Verdict("loss", 2)


def test_a_fork_wins_in_three() -> None:
    assert judge(read_position("XO. .X. ..O"))[3] == Verdict("win", 3)


def test_a_lost_game_is_lost_as_slowly_as_possible() -> None:
    lost = read_position("XX. O.. ...")  # blocking leaves X a fork

    assert best_cells(lost) == [2]
    assert judge(lost)[2] == Verdict("loss", 4)


@pytest.mark.parametrize("drawing", ["XXX OO. ...", "XOX XOO OXX"])
def test_a_finished_position_has_no_moves(drawing: str) -> None:
    finished = read_position(drawing)

    assert judge(finished) == {}
    assert best_cells(finished) == []
    assert best_cell(finished) is None


def test_all_5478_positions_are_judged_in_line_with_the_positions_after_them() -> None:
    assert len(reachable()) == 5478
    for position in reachable():
        verdicts = judge(position)
        over = position.outcome() is not None
        assert list(verdicts) == ([] if over else list(cells(position.playable())))
        for cell, verdict in verdicts.items():
            after = position.play(cell)
            outcome = after.outcome()
            if outcome is None:
                value, plies = best(judge(after).values())
                assert verdict == (TURNED[value], plies + 1)
            else:
                assert verdict == ("draw" if outcome.winner is None else "win", 1)
        if verdicts:
            highest = best(verdicts.values())
            assert best_cells(position) == [c for c in verdicts if verdicts[c] == highest]


@settings(max_examples=60, deadline=None)
@given(midgames())
def test_value_and_distance_are_those_of_a_search_without_a_cache(
    position: Position,
) -> None:
    assert judge(position) == ({} if position.outcome() else reference(position))


@settings(max_examples=40, deadline=None)
@given(midgames(Variant("4x5", 4, 5, 4), free=5))
def test_other_boards_are_judged_exactly_too(position: Position) -> None:
    assert judge(position) == reference(position)


def test_cached_results_of_a_deeper_search_hide_no_faster_win() -> None:
    variant = Variant("4x3", rows=4, columns=3, line=3)
    judge(read_position("..O ... ..X .X.", variant))  # nine cells are free: searched to the end

    early = read_position("..O ... ..X ...", variant)

    assert judge(early)[best_cells(early)[0]] == Verdict("win", 5)


def test_a_search_out_of_nodes_reports_it_and_still_has_a_cell_to_play() -> None:
    position = Position(Variant("never searched", 5, 5, 5))

    verdicts = judge(position, limit=10)

    assert set(verdicts.values()) == {Verdict("unknown", 25)}
    assert best_cell(position, limit=10) in set(cells(position.playable()))


def test_the_searches_of_one_limit_share_it() -> None:
    variant = Variant("searched twice", 4, 4, 4)
    search = Search(variant, limit=20_000)
    first, second = (read_position(f"{row} OX.. X... O...", variant) for row in ("XOX.", "X.XO"))

    assert None not in search.rank_cells(first).values()  # takes about 15 500
    assert None in search.rank_cells(second).values()
    with pytest.raises(OutOfNodes):
        search.spend(1)
    assert None not in Search(variant, limit=20_000).rank_cells(second).values()


def test_the_smallest_limit_still_sees_an_immediate_win() -> None:
    variant = Variant("barely searched", 5, 5, 3)
    position = read_position("XX... OO... ..... ..... .....", variant)

    assert best_cells(position, limit=100) == [2]


def test_several_threads_get_the_same_answers_from_a_cold_start() -> None:
    fresh = Variant("shared by threads", 3, 3, 3)
    asked = [Position(fresh, p.x, p.o) for p in list(reachable())[:500]]

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(judge, asked * 2))

    assert answers == [judge(Position(CLASSIC, p.x, p.o)) for p in asked] * 2


def test_the_same_position_always_gets_the_same_cell() -> None:
    assert {best_cell(Position(CLASSIC)) for _ in range(5)} == {best_cell(Position(CLASSIC))}
