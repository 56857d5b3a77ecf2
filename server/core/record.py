"""Values that never change and are equal when they hold the same.

Like a frozen dataclass, but made and copied in C: many times as fast, and a move makes several.
"""

from __future__ import annotations

from typing import dataclass_transform

from msgspec import Struct
from msgspec.structs import replace

__all__ = ["Record", "replace"]


@dataclass_transform(frozen_default=True)
class Record(Struct, frozen=True, gc=False):
    """What never changes cannot hold itself either, so the garbage collector need not look."""
