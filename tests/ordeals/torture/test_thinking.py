"""The quick form: few rooms for a few seconds, and no judgement of times."""

from __future__ import annotations

from pathlib import Path

from tests.ordeals.torture.thinking import ordeal


async def test_the_best_ais_play_each_other_in_many_rooms_and_all_move(tmp_path: Path) -> None:
    await ordeal(tmp_path, 6)
