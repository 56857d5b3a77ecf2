"""A queue that serves its askers in turn."""

from __future__ import annotations

from server.ai.queue import FairQueue


def filled(*items: str) -> FairQueue[str]:
    """The first letter of an item is its asker."""
    queue = FairQueue[str]()
    for item in items:
        queue.put(item[0], item)
    return queue


def drained(queue: FairQueue[str]) -> list[str]:
    return [queue.take() for _ in range(len(queue))]


def test_one_asker_is_served_in_order() -> None:
    assert drained(filled("a1", "a2", "a3")) == ["a1", "a2", "a3"]


def test_an_asker_with_many_items_delays_another_by_one() -> None:
    queue = filled("a1", "a2", "a3", "a4")
    assert queue.take() == "a1"
    queue.put("b", "b1")

    assert drained(queue) == ["a2", "b1", "a3", "a4"]


def test_an_asker_that_comes_back_at_once_waits_for_all_the_others() -> None:
    queue = filled("a1", "b1", "c1")
    assert queue.take() == "a1"
    queue.put("a", "a2")

    assert drained(queue) == ["b1", "c1", "a2"]


def test_a_round_has_one_item_of_each_asker() -> None:
    queue = filled("a1", "a2", "b1")

    assert list(queue.next_round()) == ["a1", "b1"]
    assert len(queue) == 3
    assert drained(queue) == ["a1", "b1", "a2"]
    assert not queue
    assert list(queue.next_round()) == []
