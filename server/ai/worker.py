"""The functions that run in a worker process. Of our modules, this imports only the core.

Searches are limited by nodes, so that an answer is the same on any machine. The clock is a safety
net: on a machine so slow that a search would not end in time, the answer is None. A table is built
once, however long that takes: half of one would be of no use to the next question.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import TypeVar

from server.core import levels, search
from server.core.levels import Weights
from server.core.rules import CLASSIC, Cell, Position
from server.core.verdicts import Verdict

IN_TIME = 1.5  # seconds for one answer

T = TypeVar("T")


class _Overtime(Exception):
    """The answer takes too long."""


def start() -> None:
    """Prepare a new worker: it ignores Ctrl-C, and exits when the server is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def warm_up() -> int:
    """Do the first search before a player waits for it; returns the worker's process id."""
    levels.weights(Position(CLASSIC), "perfect")
    return os.getpid()


def weights(position: Position, level: str, nodes: int) -> Weights | None:
    return _answer(position, lambda: levels.weights(position, level, nodes))


def judge(position: Position, nodes: int) -> dict[Cell, Verdict] | None:
    return _answer(position, lambda: search.judge(position, nodes))


def _answer(position: Position, answer: Callable[[], T]) -> T | None:
    return answer() if search.is_exact(position.variant) else _in_time(answer, IN_TIME)


def _in_time(answer: Callable[[], T], seconds: float) -> T | None:
    """The answer; None if it takes longer. Where there is no such timer, it may take longer."""
    if not hasattr(signal, "setitimer"):
        return answer()
    signal.signal(signal.SIGALRM, _interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return answer()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _Overtime:  # also if the time is up just before the timer is stopped
        return None


def _interrupt(*_: object) -> None:
    raise _Overtime


def _follow_parent() -> None:
    # Workers inherit each other's pipes, so they never see the server's end close.
    import multiprocessing  # not at the top: the server imports this module, too

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
