"""Values that never change and are equal when they hold the same.

A `Record` is a frozen dataclass to mypy and a msgspec Struct at run time: msgspec makes and copies
it in C, several times as fast, and a move makes several. msgspec declares its `replace` with `Any`,
so mypy is shown the `replace` of `dataclasses`, whose arguments it checks by name and type. Both
take the same arguments and do the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, dataclass_transform

from msgspec import Struct

if TYPE_CHECKING:
    from dataclasses import replace
else:
    from msgspec.structs import replace

__all__ = ["Record", "replace"]


@dataclass_transform(frozen_default=True)
class Record(Struct, frozen=True, gc=False):
    """The base of every such value. It cannot contain itself, so the garbage collector skips it."""
