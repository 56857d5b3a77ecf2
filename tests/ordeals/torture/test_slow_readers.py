"""The quick form of the ordeal beside it."""

from __future__ import annotations

from pathlib import Path

from tests.ordeals.torture import slow_readers


async def test_a_spectator_who_never_reads_is_aborted_and_nobody_else_notices(
    tmp_path: Path,
) -> None:
    figures = await slow_readers.ordeal(tmp_path, slow_readers.QUICK)
    assert figures["spectators"] == slow_readers.QUICK
