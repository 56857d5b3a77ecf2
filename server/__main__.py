"""`python -m server`: serve until SIGTERM or SIGINT."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from socket import AF_INET, SOCK_DGRAM, socket

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from server.app import ADMISSION, create_app
from server.backend import NotInstalled
from server.config import Settings, read_settings
from server.store import CannotOpen
from server.web.assets import BrokenClient

with suppress(ImportError):  # not on every platform
    import uvloop

ALL_INTERFACES = ("0.0.0.0", "::", "")
DRAIN_WITHIN = 3.0  # seconds for requests under way when the server stops
GARBAGE_EVERY = 10_000  # new objects; a busy tick alone makes thousands, and hardly ever a cycle


def main(arguments: Sequence[str] | None = None) -> int:
    settings = read_settings(sys.argv[1:] if arguments is None else arguments, os.environ)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    _filter_log()
    gc.set_threshold(GARBAGE_EVERY)
    new_loop = uvloop.new_event_loop if "uvloop" in globals() else None
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(serve(settings))
    except (CannotOpen, BrokenClient) as problem:
        print(problem, file=sys.stderr)
        return 2 if isinstance(problem, NotInstalled) else 1
    except OSError as problem:
        print(f"cannot listen on {settings.host}:{settings.port}: {problem}", file=sys.stderr)
        return 1
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
    app = await create_app(settings)
    runner = web.AppRunner(
        app,
        access_log=None,
        handle_signals=False,
        shutdown_timeout=DRAIN_WITHIN,
        keepalive_timeout=settings.limits.handshake,
        lingering_time=settings.limits.handshake,
    )
    await runner.setup()
    assert runner.server is not None
    try:
        listening = await app[ADMISSION].listen(runner.server, settings.host, settings.port)
        try:
            _announce(settings, listening.sockets[0].getsockname()[1])
            await stop.wait()
        finally:
            listening.close()
    finally:
        await runner.cleanup()


def _on_signals(stop: Callable[[], None]) -> None:
    """Call `stop` on the event loop after SIGTERM or SIGINT."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))


def _announce(settings: Settings, port: int) -> None:
    address = _address(settings.host, port)
    print(f"listening on {address}", flush=True)
    if settings.host in ALL_INTERFACES:
        _announce_on_network(port)
    if settings.open:
        threading.Thread(target=_open_browser, args=(address,), daemon=True).start()


def _open_browser(address: str) -> None:
    import_module("webbrowser").open(address)  # slow to import, and rarely needed


def _announce_on_network(port: int) -> None:
    """Print the address for others on the same network, if this computer knows its own."""
    with socket(AF_INET, SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # only looks up the route; nothing is sent
        print(f"on this network: {_address(probe.getsockname()[0], port)}", flush=True)


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


if __name__ == "__main__":
    sys.exit(main())
