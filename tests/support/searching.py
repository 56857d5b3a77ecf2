"""A search pool with one worker and the default limits."""

from __future__ import annotations

from server.ai.executor import Executor
from server.ai.pool import SearchPool
from server.live.limits import Limits
from server.metrics import Metrics


def new_pool(metrics: Metrics | None = None, *, jobs: int | None = None) -> SearchPool:
    usual = Limits()
    return SearchPool(
        metrics or Metrics(),
        workers=1,
        jobs=jobs or usual.ai_jobs,
        nodes=usual.ai_nodes,
        patience=usual.ai_patience,
    )


def worker_pids(executor: Executor) -> list[int]:
    """The ids of the worker processes that run now."""
    return list(executor._processes._processes) if executor._processes else []
