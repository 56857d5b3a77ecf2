"""What a worker process runs, tried in this process. `tests/e2e` kills the real ones."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from server.ai import worker

HANG = 30.0  # seconds; only a hang takes so long


@pytest.fixture
def _keep_sigint() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_keep_sigint")
def test_a_new_worker_ignores_ctrl_c_and_follows_its_parent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    follows = threading.Event()
    monkeypatch.setattr(worker, "_follow_parent", follows.set)

    worker.start()

    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert follows.wait(HANG)


def test_warming_up_returns_the_process_that_did_it() -> None:
    assert worker.warm_up() == os.getpid()


def test_a_worker_exits_as_soon_as_its_parent_has(monkeypatch: pytest.MonkeyPatch) -> None:
    happened: list[Any] = []

    class Parent:
        def join(self) -> None:
            happened.append("the parent has ended")

    monkeypatch.setattr(multiprocessing, "parent_process", Parent)
    monkeypatch.setattr(os, "_exit", happened.append)

    worker._follow_parent()

    assert happened == ["the parent has ended", 1]


def test_a_process_without_a_parent_does_not_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    exits: list[int] = []
    monkeypatch.setattr(os, "_exit", exits.append)

    worker._follow_parent()  # this process was not started by multiprocessing

    assert exits == []
