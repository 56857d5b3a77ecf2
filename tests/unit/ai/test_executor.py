"""Worker processes that die, hang or cannot start are replaced, and no caller waits for ever."""

from __future__ import annotations

import asyncio
import os
import select
import signal
from collections.abc import AsyncIterator

import pytest

from server.ai import worker
from server.ai.executor import Executor
from server.metrics import Metrics
from tests.support.searching import worker_pids


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
async def executor(metrics: Metrics) -> AsyncIterator[Executor]:
    opened = Executor(metrics, workers=1, patience=0.8)
    await opened.run(worker.warm_up, patience=10)
    yield opened
    await opened.close()


async def test_a_job_runs_in_another_process(executor: Executor) -> None:
    pid = await executor.run(worker.warm_up, patience=10)

    assert [pid] == worker_pids(executor)
    assert pid != os.getpid()


@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP], ids=["dies", "hangs"])
async def test_a_worker_that_fails_gives_no_result_and_is_replaced(
    executor: Executor, metrics: Metrics, fault: signal.Signals
) -> None:
    [pid] = worker_pids(executor)
    os.kill(pid, fault)

    async with asyncio.timeout(10):
        assert await executor.run(worker.warm_up) is None
        assert await executor.run(worker.warm_up, patience=10) not in (None, pid)

    assert metrics.ai_replaced == 1


async def test_a_worker_that_is_only_slow_has_its_time_after_a_while(metrics: Metrics) -> None:
    executor = Executor(metrics, workers=1, patience=0.4)

    async def wait() -> object:
        return await executor.run(select.select, [], [], [], 0.9)  # takes so many seconds

    try:
        await executor.run(worker.warm_up, patience=10)
        answers = [await wait() for _ in range(4)]
        assert answers[0] is None
        assert any(answers)
        assert await executor.run(worker.warm_up, patience=10) is not None
        assert await wait() is None  # as patient as usual again
    finally:
        await executor.close()


async def test_processes_that_cannot_be_started_give_no_result(
    metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_descriptors(_: Executor) -> None:
        raise OSError("too many open files")

    monkeypatch.setattr(Executor, "_start", no_descriptors)
    executor = Executor(metrics, workers=1, patience=0.8)

    assert await executor.run(worker.warm_up) is None
    assert metrics.ai_replaced == 1


async def test_a_closed_executor_has_no_processes_and_can_start_again(executor: Executor) -> None:
    [pid] = worker_pids(executor)
    await executor.close()

    assert worker_pids(executor) == []
    assert await executor.run(worker.warm_up, patience=10) not in (None, pid)
