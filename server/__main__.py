"""`python -m server`: serve until SIGTERM or SIGINT."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from time import monotonic

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from noughts import __version__
from server.announce import announce
from server.app import ADMISSION, HOUSE, create_app, create_metrics_app
from server.config import Settings, read_settings, unknown_variables
from server.log import set_up
from server.operate.door import bind_door, close_door, new_door
from server.store import BadAddress, CannotOpen
from server.web.assets import BrokenClient
from server.web.binding import bind
from server.web.reach import address

with suppress(ImportError):  # not on every platform
    import uvloop

DRAIN_WITHIN = 3.0  # seconds for requests under way when the server stops
GARBAGE_EVERY = 10_000  # new objects; a busy tick alone makes thousands, and hardly ever a cycle


log = logging.getLogger("server")


class CannotListen(Exception):
    """Nobody could connect; the text says where and why."""


def main(arguments: Sequence[str] | None = None) -> int:
    settings = read_settings(sys.argv[1:] if arguments is None else arguments, os.environ)
    set_up(settings.log_level, settings.log_format)
    _filter_log()
    for sentence in unknown_variables(os.environ):
        log.warning(sentence)
    gc.set_threshold(GARBAGE_EVERY)
    new_loop = uvloop.new_event_loop if "uvloop" in globals() else None
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(serve(settings))
    except (CannotOpen, CannotListen, BrokenClient) as problem:
        print(problem, file=sys.stderr)
        return 2 if isinstance(problem, BadAddress) else 1
    return 0


def _filter_log() -> None:
    """Drop aiohttp's records of malformed requests: not our fault, and they may hold secrets."""

    def is_our_fault(record: logging.LogRecord) -> bool:
        return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))

    logging.getLogger("aiohttp.server").addFilter(is_our_fault)


async def serve(settings: Settings) -> None:
    """Listen, print the address, and wait for SIGTERM or SIGINT."""
    stop = asyncio.Event()
    _on_signals(stop.set)
    begin = monotonic()
    app = await create_app(settings)
    async with AsyncExitStack() as stack:
        runner = await _set_up(app, settings, stack)
        beside = await _open_side_doors(app, settings, stack)
        assert runner.server is not None
        with _explained(f"cannot listen on {settings.host}:{settings.port}"):
            listening = await app[ADMISSION].listen(runner.server, settings.host, settings.port)
        stack.callback(listening.close)
        announce(settings.host, listening.port, open_browser=settings.open)
        where = address(settings.host, listening.port)
        told = "; ".join([settings.describe(), *beside])
        log.info("noughts %s has started on %s; %s", __version__, where, told)
        await stop.wait()
    log.info("noughts %s has stopped after %.0f s", __version__, monotonic() - begin)


async def _open_side_doors(
    app: web.Application, settings: Settings, stack: AsyncExitStack
) -> list[str]:
    """Listen for the operator and for Prometheus, where that is asked for."""
    told = []
    if settings.metrics is not None:
        runner = await _set_up(create_metrics_app(app[HOUSE]), settings, stack)
        with _explained(f"cannot listen on {settings.metrics}"):
            [socket, *_] = bind(*settings.metrics)
            await web.SockSite(runner, socket).start()
        port = socket.getsockname()[1]
        told.append(f"metrics on {address(settings.metrics.host, port)}/metrics")
    if settings.admin is not None:
        runner = await _set_up(new_door(app[HOUSE]), settings, stack)
        with _explained(f"cannot listen on unix:{settings.admin}"):
            door = bind_door(settings.admin)
        stack.callback(close_door, settings.admin)
        assert runner.server is not None
        listening = await asyncio.get_running_loop().create_unix_server(runner.server, sock=door)
        stack.callback(listening.close)
    return told


async def _set_up(app: web.Application, settings: Settings, stack: AsyncExitStack) -> web.AppRunner:
    """A runner of an application, which is cleaned up with the stack."""
    runner = web.AppRunner(
        app,
        access_log=None,
        handle_signals=False,
        shutdown_timeout=DRAIN_WITHIN,
        keepalive_timeout=settings.limits.handshake,
        lingering_time=settings.limits.handshake,
    )
    stack.push_async_callback(runner.cleanup)
    await runner.setup()
    return runner


@contextmanager
def _explained(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise CannotListen(f"{what}: {problem}") from problem


def _on_signals(stop: Callable[[], None]) -> None:
    """Call `stop` on the event loop after SIGTERM or SIGINT."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))


if __name__ == "__main__":
    sys.exit(main())
