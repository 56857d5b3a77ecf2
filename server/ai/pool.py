"""Questions to the search, answered by worker processes and remembered.

An answer always comes, and soon. If the workers fail twice in a row, a move is answered with casual
play, which needs no search, and an analysis with None.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

from server.ai import worker
from server.ai.executor import Executor
from server.core.levels import Weights, casual
from server.core.rules import Cell, Position
from server.core.verdicts import Verdict
from server.metrics import Metrics

STARTING = 10.0  # seconds for the very first answer, on a machine that is busy starting up
ATTEMPTS = 2
CACHED = 50_000  # answers; 3x3 has 5 478 positions at four levels

T = TypeVar("T")


class SearchPool:
    """`jobs`: how many questions it accepts at once; `nodes`: the limit of each search."""

    def __init__(
        self,
        metrics: Metrics,
        *,
        workers: int,
        jobs: int,
        nodes: int,
        patience: float,
    ) -> None:
        self._metrics = metrics
        self._nodes = nodes
        self._executor = Executor(metrics, workers=workers, patience=patience)
        self._accepted = asyncio.Semaphore(jobs)
        self._idle_workers = asyncio.Semaphore(workers)
        self._answers: dict[Hashable, object] = {}
        self._starting: asyncio.Task[object] | None = None

    async def weights(self, position: Position, level: str) -> Weights:
        """The cells that this level may play here, with their probabilities."""
        found = await self._ask(worker.weights, position, level, self._nodes)
        return casual(position) if found is None else found

    async def judge(self, position: Position) -> dict[Cell, Verdict] | None:
        """Each free cell with its verdict.

        None if too many questions are waiting, or if the workers have failed twice.
        """
        return await self._ask(worker.judge, position, self._nodes, can_wait=False)

    def start_workers(self) -> asyncio.Task[object]:
        """Start a worker before it is needed.

        The first AI in a seat or the first analysis calls this.
        """
        if self._starting is None:
            warm_up = self._executor.run(worker.warm_up, patience=STARTING)
            self._starting = asyncio.get_running_loop().create_task(warm_up)
        return self._starting

    async def close(self) -> None:
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        await self._executor.close()

    async def _ask(
        self, job: Callable[..., T], *question: Hashable, can_wait: bool = True
    ) -> T | None:
        key = (job.__name__, *question)
        known = self._answers.get(key)
        if known is not None:
            return cast(T, known)
        if self._accepted.locked() and not can_wait:
            return None
        async with self._accepted:
            self._metrics.ai_queue += 1
            try:
                return await self._find(key, job, *question)
            finally:
                self._metrics.ai_queue -= 1

    async def _find(self, key: Hashable, job: Callable[..., T], *question: Hashable) -> T | None:
        await asyncio.shield(self.start_workers())
        # Each worker has one question at a time, so that patience measures search, not queueing.
        async with self._idle_workers:
            for _ in range(ATTEMPTS):
                known = self._answers.get(key)  # the same question may have been answered meanwhile
                if known is not None:
                    return cast(T, known)
                answer = await self._executor.run(job, *question)
                if answer is not None:
                    self._remember(key, answer)
                    return answer
        return None

    def _remember(self, key: Hashable, answer: object) -> None:
        if len(self._answers) >= CACHED:
            self._answers.clear()
        self._answers[key] = answer
