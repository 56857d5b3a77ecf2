"""A worker process ignores Ctrl-C and ends with its server."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from server.ai import worker
from server.ai.executor import Executor
from server.core import search
from server.core.rules import CLASSIC, DROP, VANISHING, Position, read_position
from server.metrics import Metrics

ROOT = Path(__file__).parents[3]

SERVER = """
import asyncio, os, signal
from server.ai import worker
from server.ai.executor import Executor
from server.metrics import Metrics

async def serve():
    executor = Executor(Metrics(), workers=1, patience=60)
    print(await executor.run(worker.warm_up), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(serve())
"""


async def test_a_worker_ignores_an_interrupt() -> None:
    executor = Executor(Metrics(), workers=1, patience=60)
    try:
        pid = await executor.run(worker.warm_up)
        assert pid is not None
        os.kill(pid, signal.SIGINT)

        async with asyncio.timeout(60):
            assert await executor.run(worker.warm_up) == pid
    finally:
        await executor.close()


def test_an_answer_that_comes_in_time_is_given() -> None:
    assert worker.weights(Position(CLASSIC), "hard", 0) is not None
    assert worker.judge(read_position("XX. OO. ..."), 0) is not None


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that interrupts")
def test_a_search_that_takes_too_long_is_interrupted_and_has_no_answer() -> None:
    def for_ever() -> None:
        while True:
            pass

    assert worker._in_time(for_ever, seconds=0.01) is None
    assert worker._in_time(lambda: 7, seconds=60) == 7
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_table_is_built_however_long_that_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_in_time", lambda answer, seconds: None)  # always too late

    assert worker.judge(Position(VANISHING), 0) == search.judge(Position(VANISHING))
    assert worker.judge(Position(DROP), 100) is None


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that interrupts")
def test_time_that_is_up_between_the_answer_and_the_end_of_the_timer_does_no_harm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_timer = signal.setitimer

    def set_late(which: int, seconds: float) -> None:
        if not seconds:
            signal.raise_signal(signal.SIGALRM)
        set_timer(which, seconds)

    monkeypatch.setattr(signal, "setitimer", set_late)

    assert worker._in_time(lambda: 7, seconds=0.01) is None


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_a_worker_ends_when_its_server_is_killed() -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # the killed server's resource tracker complains there
        text=True,
    )
    with server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())
        assert server.wait(timeout=60) == -signal.SIGKILL
        deadline = time.monotonic() + 30
        while is_running(pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        is_orphan = is_running(pid)
        if is_orphan:
            os.kill(pid, signal.SIGKILL)
    assert not is_orphan


def is_running(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"
