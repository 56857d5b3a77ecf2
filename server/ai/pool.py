"""Questions to the search, answered by worker processes and remembered.

A worker has one question at a time, so that its patience measures search and not waiting. The other
questions wait in a queue that serves the rooms in turn: a room with many questions delays each of
the others by one at most.

Under load the search thinks less. If the next questions of all rooms want more nodes than `ROUND`
full searches per worker have, each gets its share of that, so that a room waits about as long
however many others do. On a machine that searches slower than usual, there is less to share. An
answer found with a share is counted, and not remembered. A question that waits alone always has all
its nodes.

A move is always answered, within the time that its pace allows once the first worker has started.
If the search raises, if the workers fail twice, or if the queue is too long even so, the answer is
casual play, which needs no search.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, cast

from server.ai import worker
from server.ai.executor import Executor
from server.ai.pace import LEAST, NODES_PER_SECOND, UNHURRIED, Pace
from server.ai.queue import FairQueue
from server.core import levels
from server.core.levels import Weights
from server.core.rules import Cell, Position
from server.core.search import is_exact
from server.core.verdicts import Verdict
from server.metrics import Metrics

STARTING = 10.0  # seconds for the first worker, on a machine that is busy starting up
ANALYSE_WITHIN = 10.0
ATTEMPTS = 2
SECOND_ATTEMPT = 8  # has so many times fewer nodes, since the first one failed or took too long
ROUND = 2  # full searches per worker, shared by one question of each room
CACHED = 50_000  # answers

log = logging.getLogger(__name__)


class _Question(NamedTuple):
    """`job` is called in a worker, with all that is `asked` and a number of nodes.

    `nodes`: how many it can use; 0 if they make no difference.
    """

    job: Callable[..., Any]
    asked: tuple[Hashable, ...]
    nodes: int
    answer: asyncio.Future[Any]

    @property
    def key(self) -> Hashable:
        return self.job.__name__, self.asked, self.nodes

    def settle(self, answer: object) -> None:
        if not self.answer.done():  # else nobody waits for it any more
            self.answer.set_result(answer)


class SearchPool:
    """`jobs`: with so many questions waiting, it declines an analysis.

    `nodes`: the limit of a full search. `patience`: the seconds after which a worker is replaced.
    """

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
        self._workers = workers
        self._jobs = jobs
        self._nodes = nodes
        self._executor = Executor(metrics, workers=workers, patience=patience)
        self._queue = FairQueue[_Question]()
        self._serving: set[asyncio.Task[None]] = set()  # one for each busy worker
        self._answers: dict[Hashable, object] = {}
        self._slowness = 1.0  # how many times longer than usual a node takes; a moving average
        self._starting: asyncio.Task[object] | None = None

    async def weights(
        self, position: Position, level: str, asker: Hashable = None, pace: Pace = UNHURRIED
    ) -> Weights:
        """The cells that this level may play here, with their probabilities.

        `asker`: the room, or whatever else is to have its turn in the queue.
        """
        if level in levels.WITHOUT_SEARCH:
            return levels.weights(position, level)
        nodes = levels.nodes_for(position.variant, level, pace.fewer(self._nodes))
        question = self._question(worker.weights, (position, level), nodes)
        found: Weights | None = await self._ask(question, asker, pace.within)
        return levels.casual(position) if found is None else found

    async def judge(self, position: Position, asker: Hashable = None) -> dict[Cell, Verdict] | None:
        """Each playable cell with its verdict.

        None if too many questions are waiting, or if the workers have failed twice.
        """
        nodes = 0 if is_exact(position.variant) else self._nodes
        question = self._question(worker.judge, (position,), nodes)
        if question.key not in self._answers and self._metrics.ai_queue >= self._jobs:
            return None
        found: dict[Cell, Verdict] | None = await self._ask(question, asker, ANALYSE_WITHIN)
        return found

    def start_workers(self) -> asyncio.Task[object]:
        """Start a worker before it is needed.

        The first AI in a seat or the first analysis calls this.
        """
        if self._starting is None:
            warm_up = self._executor.run(worker.warm_up, patience=STARTING)
            self._starting = asyncio.get_running_loop().create_task(warm_up)
        return self._starting

    async def close(self) -> None:
        """End the processes. Questions that still wait have no answer."""
        tasks = self._serving | ({self._starting} if self._starting else set())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        while self._queue:
            self._queue.take().settle(None)
        await self._executor.close()

    def _question(
        self, job: Callable[..., Any], asked: tuple[Hashable, ...], nodes: int
    ) -> _Question:
        return _Question(job, asked, nodes, asyncio.get_running_loop().create_future())

    async def _ask(self, question: _Question, asker: Hashable, within: float) -> Any:
        """The answer to a question; None if there is none in time."""
        known = self._answers.get(question.key)
        if known is not None:
            return known
        self._metrics.ai_queue += 1
        try:
            # `wait` and not `await`: all who ask share this task, and one may be cancelled.
            await asyncio.wait({self.start_workers()})
            self._queue.put(asker, question)
            if len(self._serving) < self._workers:
                self._serving.add(asyncio.get_running_loop().create_task(self._serve()))
            async with asyncio.timeout(within):
                found = await question.answer
        except TimeoutError:
            found = None
        finally:
            self._metrics.ai_queue -= 1
        if found is None:
            self._metrics.ai_hurried += 1
        return found

    async def _serve(self) -> None:
        """Answer questions until none is left, one at a time; this keeps one worker busy."""
        try:
            while self._queue:
                wanted = sum(question.nodes for question in self._queue.next_round())
                question = self._queue.take()
                try:
                    if not question.answer.done():
                        nodes = self._share(question.nodes, wanted)
                        question.settle(await self._find(question, nodes))
                except Exception:
                    log.exception("our fault: the search failed on %s", question.asked)
                finally:
                    question.settle(None)
        finally:
            # Here and not in a callback: a question put in between would find nobody to serve it.
            self._serving.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    async def _find(self, question: _Question, nodes: int) -> object:
        loop = asyncio.get_running_loop()
        for _ in range(ATTEMPTS):
            known = self._answers.get(question.key)  # it may have been answered meanwhile
            if known is not None:
                return known
            begin = loop.time()
            found: object = await self._executor.run(question.job, *question.asked, nodes)
            self._note_pace(nodes, loop.time() - begin)
            if found is not None:
                if nodes < question.nodes:
                    self._metrics.ai_hurried += 1
                else:
                    self._remember(question.key, found)
                return found
            nodes //= SECOND_ATTEMPT
        return None

    def _share(self, nodes: int, wanted: int) -> int:
        """How many of these nodes a question gets, if one of each room wants so many together."""
        offered = int(ROUND * self._nodes * self._workers / self._slowness)
        if wanted <= max(nodes, offered):  # no load, or no other question
            return nodes
        return min(nodes, max(LEAST, nodes * offered // wanted))

    def _note_pace(self, nodes: int, took: float) -> None:
        if nodes >= LEAST:
            # A search that ends early seems fast, so this may be too low, but never below 1.
            measured = took * NODES_PER_SECOND / nodes
            self._slowness = max(1.0, 0.8 * self._slowness + 0.2 * measured)

    def _remember(self, key: Hashable, answer: object) -> None:
        if len(self._answers) >= CACHED:
            self._answers.clear()
        self._answers[key] = answer
