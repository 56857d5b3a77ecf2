"""`python -m server`: its exit codes, its output, and the filter of its log."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import webbrowser
from collections.abc import Callable, Iterator

import pytest
from aiohttp.http_exceptions import BadHttpMessage

from server import __main__ as program
from server.backend import NotInstalled
from server.config import Settings, read_settings
from server.store import CannotOpen
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
    ("problem", "sentence"),
    [
        (CannotOpen("rooms.db is a database of another program"), None),
        (BrokenClient("client/main.js refers to ./x.js, which does not exist."), None),
        (OSError("address in use"), "cannot listen on 127.0.0.1:8123: address in use"),
    ],
)
def test_a_server_that_cannot_start_says_why_and_exits_with_1(
    run: Run, problem: Exception, sentence: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(problem) == 1
    assert capsys.readouterr().err == f"{sentence or problem}\n"


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


@pytest.mark.parametrize(
    ("host", "line"),
    [
        ("127.0.0.1", "listening on http://127.0.0.1:8123"),
        ("::1", "listening on http://[::1]:8123"),
    ],
)
def test_the_server_prints_the_address_it_listens_on(
    host: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    program._announce(read_settings(["--host", host], {}), 8123)

    assert capsys.readouterr().out.splitlines() == [line]


class Probe:
    """A socket with or without a route to the network."""

    def __init__(self, *_: object) -> None:
        pass

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def connect(self, _: object) -> None:
        pass

    def getsockname(self) -> tuple[str, int]:
        return ("192.168.1.7", 40_000)


class Offline(Probe):
    def connect(self, _: object) -> None:
        raise OSError("network is unreachable")


@pytest.mark.parametrize(
    ("probe", "more"), [(Probe, ["on this network: http://192.168.1.7:8123"]), (Offline, [])]
)
def test_a_server_on_all_interfaces_prints_its_address_on_the_network(
    probe: type[Probe],
    more: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program, "socket", probe)

    program._announce(read_settings(["--host", "0.0.0.0"], {}), 8123)

    assert capsys.readouterr().out.splitlines() == ["listening on http://0.0.0.0:8123", *more]


def test_the_server_opens_the_browser_at_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)

    program._open_browser("http://127.0.0.1:8123")

    assert opened == ["http://127.0.0.1:8123"]


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
