"""Every bug can still be sown, and names tests that exist."""

from __future__ import annotations

import pytest

from tests.ordeals.seeded.bugs import BUGS, Bug
from tests.support.serving import ROOT


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.promise)
def test_it_can_be_sown(bug: Bug) -> None:
    assert bug.before in (ROOT / bug.file).read_text(encoding="utf-8"), bug.file
    assert bug.before != bug.after
    for path in bug.caught_by.split():
        assert (ROOT / path).exists(), path
