"""The order of verdicts, from the best move to the worst."""

from __future__ import annotations

from itertools import pairwise

import pytest

from server.core.verdicts import Verdict, rank_of

FROM_THE_BEST = [
    Verdict("win", 1),
    Verdict("win", 3),
    Verdict("win", None),
    Verdict("unknown", None, 100),
    Verdict("unknown", None, 1),
    Verdict("draw", 4),
    Verdict("unknown", None, 0),
    Verdict("unknown", None, -100),
    Verdict("loss", None),
    Verdict("loss", 4),
    Verdict("loss", 2),
]


@pytest.mark.parametrize(("better", "worse"), list(pairwise(FROM_THE_BEST)))
def test_a_better_verdict_has_a_higher_rank(better: Verdict, worse: Verdict) -> None:
    assert rank_of(better) > rank_of(worse)


def test_draws_are_equal_however_long_they_take() -> None:
    assert (
        rank_of(Verdict("draw", 2)) == rank_of(Verdict("draw", 8)) == rank_of(Verdict("draw", None))
    )
