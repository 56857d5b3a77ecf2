"""Ordeals: each breaks something on purpose, under load, and checks that the promises still hold.

An ordeal is a function of a folder to work in and an amount. It returns figures to print, and
raises if a promise was broken. The test beside it runs a small amount with every `make test`;
`make torture` runs the full amount of each ordeal and prints a table.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

Figures = dict[str, object]
Ordeal = Callable[[Path, int], Awaitable[Figures]]
