"""The newest value, and the newest state of a room, which has promises to keep."""

from __future__ import annotations

import asyncio

import pytest

from noughts.errors import Unreachable
from noughts.messages import State
from noughts.newest import LAG, Newest, NewestState
from noughts.shapes import HumanSeat, OpenSeat, Score, Seats, Variant


def state(seq: int) -> State:
    return State(
        room="r", public=True, variant=Variant(name="3x3", rows=3, columns=3, line=3), seq=seq,
        game=1, board=[None] * 9, moves=[], turn=None, status="waiting", outcome=None,
        seats=Seats(HumanSeat("a", "Ada"), OpenSeat()), score=Score(0, 0, 0), rematch=[],
        clock=None,
    )  # fmt: skip


async def test_a_slow_reader_gets_only_the_newest_value() -> None:
    numbers = Newest[int]()
    seen = []
    for number in range(3):
        numbers.put(number)
    async for number in numbers.values():
        seen.append(number)
        if number == 2:
            for more in range(3, 10):
                numbers.put(more)
        else:
            numbers.end()

    assert seen == [2, 9]


async def test_every_reader_is_told_why_there_is_no_more() -> None:
    numbers = Newest[int]()

    async def read() -> int:
        return await anext(numbers.values())

    waiting = [asyncio.create_task(read()) for _ in range(2)]
    await asyncio.sleep(0)

    numbers.end(Unreachable("gone"))

    for each in waiting:
        with pytest.raises(Unreachable, match="gone"):
            await each


def test_the_highest_seq_wins_and_the_first_after_hello_counts_whatever_it_is() -> None:
    newest = NewestState()
    shown = []
    for seq in (5, 4, 6, 6):
        newest.offer(state(seq))
        shown.append(newest.value and newest.value.seq)
    newest.begin_again()
    for seq in (3, 2, 4):
        newest.offer(state(seq))
        shown.append(newest.value and newest.value.seq)

    assert shown == [5, 5, 6, 6, 3, 3, 4]


def test_the_same_state_after_a_reconnect_is_no_change() -> None:
    newest = NewestState()
    newest.offer(state(5))
    before = newest.value
    newest.begin_again()
    newest.offer(state(5))

    assert newest.value is before


async def test_a_state_below_the_promised_seq_is_held_back() -> None:
    newest = NewestState()
    newest.offer(state(5))
    newest.promise(7)
    kept = asyncio.create_task(newest.kept())
    newest.offer(state(6))
    await asyncio.sleep(LAG / 2)

    assert newest.value == state(5)
    newest.offer(state(7))
    assert await kept == state(7)


async def test_a_promise_that_a_younger_server_does_not_keep_is_given_up() -> None:
    newest = NewestState()
    newest.offer(state(5))
    newest.promise(7)
    newest.begin_again()
    newest.offer(state(2))
    began = asyncio.get_running_loop().time()

    assert await newest.kept() == state(2)
    assert asyncio.get_running_loop().time() - began == LAG


async def test_waiting_for_a_promise_ends_with_the_room() -> None:
    newest = NewestState()
    newest.promise(7)
    kept = asyncio.create_task(newest.kept())
    await asyncio.sleep(0)

    newest.end(Unreachable("gone"))

    with pytest.raises(Unreachable, match="gone"):
        await kept
