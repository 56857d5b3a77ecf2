"""Every question is answered in time, whatever happens to the workers."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from fractions import Fraction

import pytest

from server.ai import worker
from server.ai.executor import Executor
from server.ai.pool import SearchPool
from server.core.rules import CLASSIC, Position, read_position
from tests.support.searching import new_pool, worker_pids

WIN_IN_ONE = read_position("XX. OO. ...")


@pytest.fixture
async def pool() -> AsyncIterator[SearchPool]:
    opened = new_pool()
    await opened.start_workers()
    yield opened
    await opened.close()


def die(*_: object) -> None:
    os._exit(1)


async def test_a_level_is_answered_by_a_worker(pool: SearchPool) -> None:
    assert await pool.weights(WIN_IN_ONE, "perfect") == {2: Fraction(1)}


async def test_a_known_position_is_answered_from_the_cache(pool: SearchPool) -> None:
    first = await pool.weights(Position(CLASSIC), "hard")
    await pool.close()

    assert await pool.weights(Position(CLASSIC), "hard") == first
    assert worker_pids(pool._executor) == []


async def test_a_dead_worker_is_replaced_and_the_question_answered(pool: SearchPool) -> None:
    [pid] = worker_pids(pool._executor)
    os.kill(pid, signal.SIGKILL)

    async with asyncio.timeout(10):
        assert await pool.weights(WIN_IN_ONE, "perfect") == {2: Fraction(1)}

    assert worker_pids(pool._executor) != [pid]


async def test_a_hanging_worker_is_replaced_and_the_question_answered(pool: SearchPool) -> None:
    [pid] = worker_pids(pool._executor)
    os.kill(pid, signal.SIGSTOP)

    async with asyncio.timeout(10):
        assert await pool.weights(WIN_IN_ONE, "perfect") == {2: Fraction(1)}

    assert worker_pids(pool._executor) != [pid]


async def test_the_ai_still_plays_without_any_worker(
    pool: SearchPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "weights", die)

    async with asyncio.timeout(10):
        weights = await pool.weights(read_position("XX. O.. ..."), "perfect")

    assert weights == {2: Fraction(1)}  # casual play finds this win too


async def test_many_questions_at_once_are_all_answered(pool: SearchPool) -> None:
    positions = [Position(CLASSIC).play(a).play(b) for a in range(9) for b in range(9) if a != b]

    answers = await asyncio.gather(*(pool.weights(p, "hard") for p in positions))

    assert all(sum(answer.values()) == 1 for answer in answers)


async def test_the_more_rooms_wait_the_fewer_nodes_has_each() -> None:
    pool = new_pool()
    most = pool._nodes

    assert pool._share(most, wanted=most) == most
    assert most > pool._share(most, wanted=10 * most) > pool._share(most, wanted=100 * most) > 0


async def test_the_end_of_a_pool_cancels_no_other_question(pool: SearchPool) -> None:
    positions = [Position(CLASSIC).play(a).play(b) for a in range(9) for b in range(9) if a != b]
    asked = asyncio.gather(*(pool.weights(p, "perfect") for p in positions))
    for _ in range(5):
        await asyncio.sleep(0.01)
        await pool.close()

    assert all(sum(answer.values()) == 1 for answer in await asked)


async def test_the_ai_still_plays_if_no_pool_can_be_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = new_pool()

    def no_descriptors(_: Executor) -> None:
        raise OSError("too many open files")

    monkeypatch.setattr(Executor, "_start", no_descriptors)

    assert await pool.weights(read_position("XX. O.. ..."), "perfect") == {2: Fraction(1)}


async def test_one_analysis_too_many_is_declined_while_a_move_waits() -> None:
    pool = new_pool(jobs=1)
    try:
        await pool.start_workers()
        other = read_position("X.. .O. ...")
        first = asyncio.ensure_future(pool.weights(Position(CLASSIC), "hard"))
        await asyncio.sleep(0)
        second = asyncio.ensure_future(pool.weights(other, "hard"))

        assert await pool.judge(other) is None
        async with asyncio.timeout(30):
            assert await first
            assert sum((await second).values()) == 1
            assert await pool.judge(other)
    finally:
        await pool.close()


async def test_a_cached_answer_does_not_count_as_a_job() -> None:
    pool = new_pool(jobs=1)
    try:
        known = await pool.judge(WIN_IN_ONE)
        busy = asyncio.ensure_future(pool.weights(Position(CLASSIC), "hard"))
        await asyncio.sleep(0)
        assert await pool.judge(WIN_IN_ONE) == known
        await busy
    finally:
        await pool.close()
