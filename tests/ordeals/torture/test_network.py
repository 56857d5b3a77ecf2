"""The quick form: each fault once, with a short ping interval."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ordeals.torture.network import TROUBLES, Trouble, endure, noticed


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.__name__)
async def test_every_move_is_made_once_whatever_the_network_does(
    tmp_path: Path, trouble: Trouble
) -> None:
    await endure(tmp_path, trouble)


async def test_a_peer_that_is_silently_gone_is_noticed_by_the_server(tmp_path: Path) -> None:
    await noticed(tmp_path, "--limit=ping=1")
