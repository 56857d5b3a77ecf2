"""What a worker process of the AI's pool runs. It imports the core and nothing else of ours."""

from __future__ import annotations

import os
import signal
import threading

from server.core.levels import weights
from server.core.rules import CLASSIC, Position
from server.core.search import judge

__all__ = ["judge", "start", "weights"]


def start() -> None:
    """Prepare a new worker: no noise on Ctrl-C, no orphan when the server is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def warm_up() -> int:
    """Do the first search before anybody waits for it."""
    weights(Position(CLASSIC), "perfect")
    return os.getpid()


def _follow_parent() -> None:
    # The pool's pipes stay open in its workers, so they would wait for work for ever.
    import multiprocessing  # here, because the server loads this file as well

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
