"""The quick form: few rooms, and no judgement of waits."""

from __future__ import annotations

from pathlib import Path

from tests.ordeals.torture.ai_faults import ordeal


async def test_an_ai_whose_workers_die_and_hang_leaves_no_room_waiting(tmp_path: Path) -> None:
    await ordeal(tmp_path, 20)
