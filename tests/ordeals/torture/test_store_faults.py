"""The quick form: each fault and each kind of damage once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ordeals.torture.patience import NotHere
from tests.ordeals.torture.store_faults import DAMAGES, FAULTS, endure, refuse


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_store_that_cannot_write_accepts_nothing_and_recovers_by_itself(
    tmp_path: Path, fault: str
) -> None:
    try:
        await endure(tmp_path, fault)
    except NotHere as problem:
        pytest.skip(f"{fault}: {problem}")


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_file_is_refused_with_a_sentence_and_left_alone(
    tmp_path: Path, damage: str
) -> None:
    assert await refuse(tmp_path, DAMAGES[damage])
