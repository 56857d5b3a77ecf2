"""The functions that run in a worker process. Of our modules, this imports only the core."""

from __future__ import annotations

import os
import signal
import threading

from server.core.levels import weights
from server.core.rules import CLASSIC, Position
from server.core.search import judge

__all__ = ["judge", "start", "warm_up", "weights"]


def start() -> None:
    """Prepare a new worker: it ignores Ctrl-C, and exits when the server is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def warm_up() -> int:
    """Do the first search before a player waits for it; returns the worker's process id."""
    weights(Position(CLASSIC), "perfect")
    return os.getpid()


def _follow_parent() -> None:
    # Workers inherit each other's pipes, so they never see the server's end close.
    import multiprocessing  # not at the top: the server imports this module, too

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
