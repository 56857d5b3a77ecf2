"""Functions run in worker processes that are replaced when they fail.

A call never waits longer than its patience. If a worker dies, hangs or cannot be started, all
processes are killed, the next call starts new ones, and the caller gets None. A worker that seems
to hang may only be slow: until one has answered, each next call may take twice as long.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from noughts import bundle
from server.ai import worker
from server.metrics import Metrics

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

NICENESS = 5  # so that workers leave the CPU to the event loop
LONGEST = 8  # times the patience
CLOSE_WITHIN = 2.0  # seconds for a worker that is still starting when the server stops

log = logging.getLogger(__name__)

T = TypeVar("T")


class Executor:
    """`patience`: the seconds a call may take, unless it names its own."""

    def __init__(self, metrics: Metrics, *, workers: int, patience: float) -> None:
        self._metrics = metrics
        self._workers = workers
        self._patience = patience
        self._times = 1  # as patient as usual
        self._processes: ProcessPoolExecutor | None = None
        self._submitting: set[asyncio.Future[Any]] = set()

    async def run(
        self, job: Callable[..., T], *arguments: object, patience: float | None = None
    ) -> T | None:
        """The result of `job` in a worker; None if the worker failed or took too long."""
        processes = self._processes
        try:
            if processes is None:
                processes = self._processes = self._start()
            async with asyncio.timeout(patience or self._patience * self._times):
                # Submitting may start a process, which would block the event loop for too long.
                submitting = asyncio.ensure_future(in_thread(_submit, processes, job, *arguments))
                self._submitting.add(submitting)
                submitting.add_done_callback(self._submitted)
                result: T = await asyncio.wrap_future(await asyncio.shield(submitting))
            self._times = 1
            return result
        except (BrokenExecutor, TimeoutError, RuntimeError, OSError) as problem:
            self._replace(processes, problem)
            return None

    async def close(self) -> None:
        """End the processes. Waits for one that is starting: if killed, it prints a traceback."""
        if self._submitting:
            await asyncio.wait(self._submitting, timeout=CLOSE_WITHIN)
        if self._processes is not None:
            ending = asyncio.ensure_future(in_thread(_end, self._processes))
            self._processes = None
            await asyncio.wait({ending}, timeout=CLOSE_WITHIN)

    def _start(self) -> ProcessPoolExecutor:
        # Never `fork`: this process has threads. A fork server has the core loaded already, so a
        # replacement is ready within milliseconds.
        import multiprocessing  # both take a while to load, and not every server has an AI
        from concurrent.futures import ProcessPoolExecutor

        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        # `bundle` first: it leads the fork server to the worker in an installed copy.
        context.set_forkserver_preload([bundle.__name__, worker.__name__])
        return ProcessPoolExecutor(self._workers, mp_context=context, initializer=worker.start)

    def _replace(self, failed: ProcessPoolExecutor | None, problem: Exception) -> None:
        if self._processes is not failed:
            return  # another call has replaced them already
        log.warning("the AI's workers are replaced: %s", str(problem) or type(problem).__name__)
        self._metrics.ai_replaced += 1
        if isinstance(problem, TimeoutError):
            self._times = min(2 * self._times, LONGEST)
        self._processes = None
        if failed is not None:
            threading.Thread(target=_end, args=(failed,), daemon=True).start()

    def _submitted(self, submitting: asyncio.Future[Any]) -> None:
        self._submitting.discard(submitting)
        if not submitting.cancelled():
            submitting.exception()  # marks it as retrieved; `run` has raised it, or has timed out


def _submit(processes: ProcessPoolExecutor, job: Callable[..., T], *arguments: object) -> Future[T]:
    """Submit a job, in a thread of its own: a worker that this starts inherits its niceness."""
    if sys.platform == "linux":  # elsewhere it belongs to the process, not to the thread
        with suppress(OSError):  # not allowed: then workers run with the usual priority
            os.nice(NICENESS)
    return processes.submit(job, *arguments)


def _end(processes: ProcessPoolExecutor) -> None:
    """Kill the workers, since `shutdown` alone would wait for one that hangs.

    Call this once for each executor: two calls at the same time would close the same pipes twice.
    """
    # Python 3.14 has `kill_workers`; before, there is no public way to reach them. Jobs in progress
    # end as broken. If they were cancelled, their callers would seem to have been cancelled.
    for process in list((getattr(processes, "_processes", None) or {}).values()):
        process.kill()
    with suppress(OSError):  # the executor may be breaking at this very moment
        processes.shutdown()


async def in_thread(call: Callable[..., T], *arguments: object) -> T:
    """Like `asyncio.to_thread`, but the program can end without waiting for the thread."""
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
        with suppress(RuntimeError):  # the loop is closed: nobody awaits the result any more
            loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=run, daemon=True).start()
    return await done
