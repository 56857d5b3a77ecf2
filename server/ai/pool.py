"""Minimax in a process pool, and a memory of what it has found.

The event loop only ever waits here, and never for long: a worker that dies or gives no answer is
replaced with its whole pool and the question is asked again. Should that fail too, the answer is
casual play, which needs no search. So the AI cannot hang, whatever happens to its processes.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from server.ai import worker
from server.core.levels import Weights, casual
from server.core.rules import Cell, Position
from server.core.search import Verdict
from server.metrics import Metrics

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

POLITE = 5  # how far workers stand back from the event loop, in the units of `nice`
STARTING = 10.0  # seconds for the very first answer, on a machine that is busy starting up
CLOSE_WITHIN = 2.0  # seconds for a worker that is just starting when the server stops
ATTEMPTS = 2
REMEMBERED = 50_000  # answers; 3x3 has 5 478 positions at four levels

log = logging.getLogger(__name__)

T = TypeVar("T")


class SearchPool:
    """`jobs`: how many questions it takes on at once; `nodes`: how far a search may go."""

    def __init__(
        self,
        metrics: Metrics,
        *,
        workers: int,
        jobs: int,
        nodes: int,
        patience: float,
    ) -> None:
        self._workers = workers
        self._nodes = nodes
        self._patience = patience
        self._metrics = metrics
        self._memory: dict[Hashable, object] = {}
        self._places = asyncio.Semaphore(jobs)
        self._free = asyncio.Semaphore(workers)
        self._pool: ProcessPoolExecutor | None = None
        self._submitting: set[asyncio.Future[Any]] = set()
        self._waking: asyncio.Task[object] | None = None

    async def weights(self, position: Position, level: str) -> Weights:
        """What this level may play here, each cell with its probability."""
        found = await self._ask(worker.weights, position, level, self._nodes)
        return casual(position) if found is None else found

    async def judge(self, position: Position) -> dict[Cell, Verdict] | None:
        """Each free cell with what it leads to; None if nobody has the time to tell."""
        return await self._ask(worker.judge, position, self._nodes, waits=False)

    def wake(self) -> asyncio.Task[object]:
        """Have a worker ready before it is needed; where no AI plays there is none at all."""
        if self._waking is None:
            starting = self._try(worker.warm_up, patience=STARTING)
            self._waking = asyncio.get_running_loop().create_task(starting)
        return self._waking

    async def close(self) -> None:
        """End the pool; a worker that is just being born would cry out if it were orphaned."""
        if self._waking is not None:
            self._waking.cancel()
            await asyncio.wait({self._waking})
        if self._submitting:
            await asyncio.wait(self._submitting, timeout=CLOSE_WITHIN)
        if self._pool is not None:
            ending = asyncio.ensure_future(_in_thread(_end, self._pool))
            self._pool = None
            await asyncio.wait({ending}, timeout=CLOSE_WITHIN)

    async def _ask(
        self, job: Callable[..., T], *question: Hashable, waits: bool = True
    ) -> T | None:
        key = (job.__name__, *question)
        known = self._memory.get(key)
        if known is not None:
            return cast(T, known)
        if self._places.locked() and not waits:
            return None
        async with self._places:
            self._metrics.ai_queue += 1
            try:
                return await self._find(key, job, *question)
            finally:
                self._metrics.ai_queue -= 1

    async def _find(self, key: Hashable, job: Callable[..., T], *question: Hashable) -> T | None:
        await asyncio.shield(self.wake())
        # One question for each worker at a time: patience measures thinking, not queueing.
        async with self._free:
            for _ in range(ATTEMPTS):
                known = self._memory.get(key)  # somebody else may have asked meanwhile
                answer = await self._try(job, *question) if known is None else cast(T, known)
                if answer is not None:
                    self._remember(key, answer)
                    return answer
        return None

    async def _try(
        self, job: Callable[..., T], *question: Hashable, patience: float | None = None
    ) -> T | None:
        pool = self._pool
        try:
            if pool is None:
                pool = self._pool = self._new_pool()
            async with asyncio.timeout(patience or self._patience):
                # Submitting may start a process, which takes too long for the event loop.
                submitting = asyncio.ensure_future(_in_thread(_submit, pool, job, *question))
                self._submitting.add(submitting)
                submitting.add_done_callback(self._submitted)
                return await asyncio.wrap_future(await asyncio.shield(submitting))
        except (BrokenExecutor, TimeoutError, RuntimeError, OSError) as problem:
            if self._pool is pool:  # if not, somebody else has seen to it
                what = str(problem) or type(problem).__name__
                log.warning("the AI's workers are replaced: %s", what)
                self._metrics.ai_replaced += 1
                self._pool = None
                if pool is not None:
                    threading.Thread(target=_end, args=(pool,), daemon=True).start()
            return None

    def _submitted(self, submitting: asyncio.Future[Any]) -> None:
        self._submitting.discard(submitting)
        if not submitting.cancelled():
            submitting.exception()  # whoever asked has heard of it, or no longer wants to

    def _remember(self, key: Hashable, answer: object) -> None:
        if len(self._memory) >= REMEMBERED:
            self._memory.clear()
        self._memory[key] = answer

    def _new_pool(self) -> ProcessPoolExecutor:
        # Never `fork`: this process has threads. A fork server has the core loaded already, so that
        # a replacement is there in milliseconds.
        import multiprocessing  # both take a while to load, and not every server has an AI
        from concurrent.futures import ProcessPoolExecutor

        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        context.set_forkserver_preload([worker.__name__])
        return ProcessPoolExecutor(self._workers, mp_context=context, initializer=worker.start)


def _submit(pool: ProcessPoolExecutor, job: Callable[..., T], *question: Hashable) -> Future[T]:
    """Hand a question to the pool, in a thread of its own."""
    if sys.platform == "linux":  # it is the thread's there, and a new process inherits it
        with suppress(OSError):  # where that is not allowed, they are simply not so polite
            os.nice(POLITE)
    return pool.submit(job, *question)


def _end(pool: ProcessPoolExecutor) -> None:
    """End a pool at once: shutting down alone would wait for a worker that hangs.

    Once for each pool: twice at the same time would close the same pipes twice.
    """
    # There is no public way to reach the workers before Python 3.14 (`kill_workers`). Questions
    # still in the pool end with it as broken; cancelled, they would look like cancelled callers.
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.kill()
    with suppress(OSError):  # it may be breaking at this very moment
        pool.shutdown()


async def _in_thread(call: Callable[..., T], *arguments: object) -> T:
    """Like `asyncio.to_thread`, but nobody waits for the thread when the program ends."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, problem: BaseException | None) -> None:
        if done.cancelled():
            return
        if problem is not None:
            done.set_exception(problem)
        else:
            done.set_result(cast(T, result))

    def run() -> None:
        try:
            outcome: tuple[T | None, BaseException | None] = (call(*arguments), None)
        except BaseException as problem:
            outcome = (None, problem)
        with suppress(RuntimeError):  # the loop is closed: nobody is interested any more
            loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=run, daemon=True).start()
    return await done
