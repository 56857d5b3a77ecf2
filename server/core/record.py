"""Values that never change, made in a hurry.

A frozen dataclass takes three times as long to make as a plain one, and a move makes several. So a
record is frozen where it counts: the type checker lets nobody assign to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(kind: type[T]) -> type[T]:
    return dataclass(slots=True, unsafe_hash=True)(kind)
