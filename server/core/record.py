"""Immutable values, compared by what they contain.

A `Record` is a frozen dataclass to mypy and a msgspec Struct at run time, which is created and
copied in C. The `replace` of msgspec accepts anything as far as mypy knows, so mypy is shown that
of `dataclasses`, whose arguments it checks by name and type. Both behave the same.
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
    """The base of these values. None can contain itself, so the garbage collector skips them."""
