"""`python -m server`: its exit codes, its output, and the filter of its log."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Iterator

import pytest
from aiohttp.http_exceptions import BadHttpMessage

from server import __main__ as program
from server.backend import NotInstalled
from server.config import Settings
from server.store import BadAddress, CannotOpen
from server.web.assets import BrokenClient

Run = Callable[[Exception | None], int]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `main` with a `serve` that raises `problem` or returns."""

    def run(problem: Exception | None) -> int:
        async def serve(_: Settings) -> None:
            if problem is not None:
                raise problem

        monkeypatch.setattr(program, "serve", serve)
        monkeypatch.setattr(
            program, "_filter_log", lambda: None
        )  # it would last for all other tests
        monkeypatch.setattr(sys, "argv", ["server", "--port", "8123"])
        return program.main()

    return run


def test_a_server_that_was_stopped_exits_with_0(run: Run) -> None:
    assert run(None) == 0


@pytest.mark.parametrize(
    "problem",
    [
        CannotOpen("rooms.db is a database of another program"),
        BrokenClient("client/main.js refers to ./x.js, which does not exist."),
        program.CannotListen("cannot listen on 127.0.0.1:8123: address in use"),
    ],
)
def test_a_server_that_cannot_start_says_why_and_exits_with_1(
    run: Run, problem: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(problem) == 1
    assert capsys.readouterr().err == f"{problem}\n"


def test_a_library_that_is_missing_is_a_mistake_of_the_command_and_exits_with_2(run: Run) -> None:
    assert run(NotInstalled("install it")) == 2


@pytest.mark.real_loop
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_signals_stop_the_server_where_the_loop_has_no_handlers_for_them_as_on_windows(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(asyncio.get_running_loop(), "add_signal_handler", refuse)
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    stop = asyncio.Event()
    try:
        program._on_signals(stop.set)
        signal.raise_signal(number)
        async with asyncio.timeout(10):
            await stop.wait()
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def test_an_address_that_is_no_store_is_wrong_usage(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(BadAddress("'redis:x' is not a store")) == 2
    assert capsys.readouterr().err == "'redis:x' is not a store\n"


@pytest.fixture
def filtered() -> Iterator[logging.Logger]:
    """The logger of aiohttp's server, filtered as in a server of ours."""
    server, websocket = logging.getLogger("aiohttp.server"), logging.getLogger("aiohttp.websocket")
    filters, level = list(server.filters), websocket.level
    program._filter_log()
    yield server
    server.filters[:] = filters
    websocket.setLevel(level)


@pytest.mark.parametrize(
    ("problem", "is_logged"), [(BadHttpMessage("a secret"), False), (OSError("our own"), True)]
)
def test_broken_requests_are_not_logged_and_our_own_faults_are(
    filtered: logging.Logger,
    problem: Exception,
    is_logged: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    filtered.error("Error handling request", exc_info=problem)

    assert bool(caplog.records) is is_logged
