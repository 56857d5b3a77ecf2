"""The quick form of the ordeal beside it."""

from __future__ import annotations

from pathlib import Path

from tests.ordeals.torture import soak


async def test_nothing_is_left_open_or_awake_after_a_busy_while(tmp_path: Path) -> None:
    figures = await soak.ordeal(tmp_path, soak.QUICK)
    assert figures["rooms awake"] == 0
