"""The quick form of the ordeal beside it."""

from __future__ import annotations

from pathlib import Path

from tests.ordeals.torture import terminate


async def test_a_server_told_to_stop_says_goodbye_to_all_and_loses_nothing(tmp_path: Path) -> None:
    figures = await terminate.ordeal(tmp_path, terminate.QUICK)
    assert figures["restarts"] == terminate.QUICK
