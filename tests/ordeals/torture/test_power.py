"""The quick form of the ordeal beside it, and the setting that it must catch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ordeals.torture import power
from tests.support.history import Broken

pytestmark = pytest.mark.skipif(not power.is_possible(), reason="needs root and a loop device")


async def test_nothing_accepted_is_lost_when_the_power_fails(tmp_path: Path) -> None:
    figures = await power.ordeal(tmp_path, 1)
    assert figures["cuts"] == 1


async def test_an_engine_that_syncs_later_is_caught(tmp_path: Path) -> None:
    with pytest.raises((ExceptionGroup, Broken)):  # rooms are gone, or what was accepted in them
        await power.ordeal(tmp_path, 1, sync="2m")
