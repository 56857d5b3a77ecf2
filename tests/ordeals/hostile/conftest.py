"""Rewrites the assertions of the catalogue, so that they explain themselves as in tests."""

from __future__ import annotations

import pytest

from tests.ordeals.hostile.catalogue import GROUPS

pytest.register_assert_rewrite(*(f"tests.ordeals.hostile.{group}" for group in GROUPS))
