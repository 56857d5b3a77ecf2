"""The quick form of the ordeal beside it."""

from __future__ import annotations

from pathlib import Path

from tests.ordeals.torture import kill


async def test_nothing_accepted_is_lost_or_doubled_when_the_server_is_killed(
    tmp_path: Path,
) -> None:
    figures = await kill.ordeal(tmp_path, kill.QUICK)
    assert figures["kills"] == kill.QUICK
