"""The files that `make schema` writes are up to date in the repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from noughts.schema import FILES


@pytest.mark.parametrize(("path", "render"), FILES.items(), ids=[path.name for path in FILES])
def test_a_generated_file_is_up_to_date(path: Path, render: Callable[[], str]) -> None:
    assert path.read_text(encoding="utf-8") == render(), "run `make schema`"
