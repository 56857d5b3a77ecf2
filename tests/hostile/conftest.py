"""Failed assertions in the catalogue explain themselves, as in the tests."""

from __future__ import annotations

import pytest

from tests.hostile.catalogue import GROUPS

pytest.register_assert_rewrite(*(f"tests.hostile.{group}" for group in GROUPS))
