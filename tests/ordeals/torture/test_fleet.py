"""The quick form of the ordeal beside it."""

from __future__ import annotations

from pathlib import Path

from tests.ordeals.torture import fleet


async def test_nothing_accepted_is_lost_or_doubled_when_nodes_and_the_engine_are_killed(
    tmp_path: Path,
) -> None:
    figures = await fleet.ordeal(tmp_path, len(fleet.QUICK))
    assert figures["node killed"] == figures["engine killed"] == figures["node restarted"] == 1
