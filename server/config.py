"""Settings, from the command line or from environment variables of the same name."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from server.live.limits import Limits

EPILOG = """\
Every option is also an environment variable: --ai-pause is NOUGHTS_AI_PAUSE, and so on. Several
origins are separated by spaces, switches are set with 1, and the command line wins.

The first line on standard output is "listening on http://HOST:PORT", once the server accepts
connections. Logs go to standard error. SIGTERM and SIGINT end it in good order.
"""

SWITCHES = {
    "--open": "open the browser",
    "--no-limits": "lift rates and counts for each address and connection, where all are trusted",
}


@dataclass(frozen=True, slots=True)
class Settings:
    host: str = "127.0.0.1"
    port: int = 8080
    store: str = "sqlite:noughts.db"
    origins: tuple[str, ...] = ()
    ai_pause: int = 500
    open: bool = False
    limits: Limits = field(default_factory=Limits)


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """The settings asked for; ends the program with a sentence if they make no sense."""
    parser = _parser(environment)
    try:
        also = tuple(_origin(url) for url in environment.get("NOUGHTS_ORIGIN", "").split())
    except argparse.ArgumentTypeError as problem:
        parser.error(f"NOUGHTS_ORIGIN: {problem}")
    given = parser.parse_args(arguments)
    return Settings(
        host=given.host,
        port=given.port,
        store=given.store,
        origins=(*also, *given.origin),
        ai_pause=given.ai_pause,
        open=given.open,
        limits=Limits().lifted() if given.no_limits else Limits(),
    )


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    usual = Settings()

    def default(name: str, otherwise: object) -> str:
        return environment.get("NOUGHTS_" + name, str(otherwise))

    def is_on(name: str) -> bool:
        return default(name, "").lower() not in ("", "0", "no", "false", "off")

    parser = _new_parser()
    option = parser.add_argument
    option(
        "--host",
        default=default("HOST", usual.host),
        help=f"address to listen on; 0.0.0.0 opens it to the network ({usual.host})",
    )
    option(
        "--port",
        type=_port,
        default=default("PORT", usual.port),
        help=f"port to listen on; 0 takes a free one ({usual.port})",
    )
    option(
        "--store",
        metavar="URL",
        default=default("STORE", usual.store),
        help=f"where rooms are kept: sqlite:PATH, or memory: to forget them ({usual.store})",
    )
    option(
        "--origin",
        metavar="URL",
        type=_origin,
        action="append",
        default=[],
        help="a further page that may open the socket, such as https://play.example; repeatable",
    )
    option(
        "--ai-pause",
        metavar="MS",
        type=_milliseconds,
        default=default("AI_PAUSE", usual.ai_pause),
        help=f"mean pause before an AI's move in milliseconds, 0 for none ({usual.ai_pause})",
    )
    for switch, text in SWITCHES.items():
        name = switch.strip("-").replace("-", "_").upper()
        option(switch, action="store_true", default=is_on(name), help=text)
    return parser


def _new_parser() -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog="python -m server",
        description="Noughts: tic-tac-toe in real time, for people, AIs and spectators.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _port(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (0 to 65535)")
    return number


def _milliseconds(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= number <= 60_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a pause of 0 to 60000 ms")
    return number


def _origin(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise argparse.ArgumentTypeError(f"{text!r} is not an origin such as https://play.example")
    return f"{parts.scheme}://{parts.netloc}".lower()
