from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from fractions import Fraction

import pytest

from server.core.rules import CLASSIC, Position, read_position
from server.live import worker
from server.live.thinker import Thinker
from server.metrics import Metrics

WIN_IN_ONE = read_position("XX. OO. ...")


@pytest.fixture
async def thinker() -> AsyncIterator[Thinker]:
    opened = Thinker(Metrics(), workers=1, patience=0.8)
    await opened.wake()
    yield opened
    await opened.close()


def worker_pids(thinker: Thinker) -> list[int]:
    assert thinker._pool is not None
    return list(thinker._pool._processes)


def die(*_: object) -> None:
    os._exit(1)


async def test_a_level_is_asked_in_another_process(thinker: Thinker) -> None:
    pid = await thinker._try(worker.warm_up)

    assert pid in worker_pids(thinker)
    assert pid != os.getpid()
    assert await thinker.weights(WIN_IN_ONE, "perfect") == {2: Fraction(1)}


async def test_a_known_position_makes_no_trip(thinker: Thinker) -> None:
    first = await thinker.weights(Position(CLASSIC), "hard")
    await thinker.close()

    assert await thinker.weights(Position(CLASSIC), "hard") == first
    assert thinker._pool is None


async def test_a_dead_worker_is_replaced_and_the_question_answered(thinker: Thinker) -> None:
    [pid] = worker_pids(thinker)
    os.kill(pid, signal.SIGKILL)

    async with asyncio.timeout(10):
        assert await thinker.weights(WIN_IN_ONE, "perfect") == {2: Fraction(1)}

    assert worker_pids(thinker) != [pid]


async def test_a_hanging_worker_is_replaced_and_the_question_answered(thinker: Thinker) -> None:
    [pid] = worker_pids(thinker)
    os.kill(pid, signal.SIGSTOP)

    async with asyncio.timeout(10):
        assert await thinker.weights(WIN_IN_ONE, "perfect") == {2: Fraction(1)}

    assert worker_pids(thinker) != [pid]


async def test_without_any_worker_the_ai_still_plays(
    thinker: Thinker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "weights", die)

    async with asyncio.timeout(10):
        weights = await thinker.weights(read_position("XX. O.. ..."), "perfect")

    assert weights == {2: Fraction(1)}  # casual play sees this, too


async def test_many_questions_at_once_are_all_answered(thinker: Thinker) -> None:
    positions = [Position(CLASSIC).play(a).play(b) for a in range(9) for b in range(9) if a != b]

    answers = await asyncio.gather(*(thinker.weights(p, "hard") for p in positions))

    assert all(sum(answer.values()) == 1 for answer in answers)


async def test_a_pool_that_ends_leaves_no_other_question_cancelled(thinker: Thinker) -> None:
    positions = [Position(CLASSIC).play(a).play(b) for a in range(9) for b in range(9) if a != b]
    asked = asyncio.gather(*(thinker.weights(p, "perfect") for p in positions))
    for _ in range(5):
        await asyncio.sleep(0.01)
        await thinker.close()

    assert all(sum(answer.values()) == 1 for answer in await asked)


async def test_a_pool_that_cannot_be_made_is_no_reason_not_to_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    thinker = Thinker(Metrics(), workers=1)

    def no_descriptors(_: Thinker) -> None:
        raise OSError("too many open files")

    monkeypatch.setattr(Thinker, "_new_pool", no_descriptors)

    assert await thinker.weights(read_position("XX. O.. ..."), "perfect") == {2: Fraction(1)}


async def test_an_analysis_too_many_is_declined_and_a_move_waits_for_its_place() -> None:
    thinker = Thinker(Metrics(), workers=1, jobs=1)
    try:
        await thinker.wake()
        other = read_position("X.. .O. ...")
        first = asyncio.ensure_future(thinker.weights(Position(CLASSIC), "hard"))
        await asyncio.sleep(0)
        second = asyncio.ensure_future(thinker.weights(other, "hard"))

        assert await thinker.judge(other) is None
        async with asyncio.timeout(30):
            assert await first
            assert sum((await second).values()) == 1
            assert await thinker.judge(other)
    finally:
        await thinker.close()


async def test_what_is_known_needs_no_place() -> None:
    thinker = Thinker(Metrics(), workers=1, jobs=1)
    try:
        known = await thinker.judge(WIN_IN_ONE)
        busy = asyncio.ensure_future(thinker.weights(Position(CLASSIC), "hard"))
        await asyncio.sleep(0)
        assert await thinker.judge(WIN_IN_ONE) == known
        await busy
    finally:
        await thinker.close()
