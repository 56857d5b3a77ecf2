"""The search by rules alone: exact where it reaches the end, and honest where it does not."""

from __future__ import annotations

import pytest

from server.core.lookahead import judge
from server.core.rules import VANISHING, Position, Variant, read_position
from server.core.search import NODES
from server.core.tables import judge_vanishing
from server.core.verdicts import Verdict
from tests.support.positions import random_positions
from tests.support.reference import best, reference

SMALL = [Variant("4x5", 4, 5, 4), Variant("4x4 that fall", 4, 4, 4, falls=True)]
LARGE = Variant("6x6", 6, 6, 4)


@pytest.mark.parametrize("variant", SMALL, ids=str)
def test_what_it_proves_is_what_a_search_to_the_end_finds(variant: Variant) -> None:
    judged = 0
    for position in random_positions(variant, games=60):
        if position.ply >= variant.size - 6:
            found, exact = judge(position, NODES), reference(position)
            proven = {cell: v for cell, v in found.items() if v.value != "unknown"}
            assert {cell: v.value for cell, v in proven.items()} == {
                cell: exact[cell].value for cell in proven
            }
            assert best(proven.values()).value == best(exact.values()).value
            judged += 1
    assert judged > 20


def test_the_fastest_win_is_found_first_and_ends_the_search() -> None:
    for position in random_positions(VANISHING, games=20):
        exact = judge_vanishing(position)
        fastest = best(exact.values())
        if fastest.value == "win" and (fastest.plies or 99) <= 5:
            assert best(v for v in judge(position, NODES).values() if v.plies) == fastest


def test_a_search_out_of_nodes_proves_nothing() -> None:
    assert set(judge(Position(LARGE), 10).values()) == {Verdict("unknown", None)}


def test_few_nodes_are_enough_to_see_an_immediate_win() -> None:
    position = read_position("XXX... OOO... ...... ...... ...... ......", LARGE)

    assert judge(position, 100)[3] == Verdict("win", 1)
