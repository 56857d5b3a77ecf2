"""A queue that serves its askers in turn, however many items each of them has put in.

>>> queue = FairQueue[str]()
>>> for asker, item in [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1")]:
...     queue.put(asker, item)
>>> [queue.take() for _ in range(len(queue))]
['a1', 'b1', 'a2', 'a3']
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    def __init__(self) -> None:
        self._items: dict[Hashable, deque[T]] = {}  # the asker to be served next comes first
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def next_round(self) -> Iterator[T]:
        """The next item of each asker, without taking it."""
        return (items[0] for items in self._items.values())

    def put(self, asker: Hashable, item: T) -> None:
        self._items.setdefault(asker, deque()).append(item)
        self._size += 1

    def take(self) -> T:
        """The oldest item of the asker that has waited longest for its turn."""
        asker = next(iter(self._items))
        items = self._items.pop(asker)
        item = items.popleft()
        if items:
            self._items[asker] = items  # at the end of the line
        self._size -= 1
        return item
