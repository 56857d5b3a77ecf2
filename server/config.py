"""Settings, from the command line or from environment variables of the same name."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from ipaddress import ip_network
from typing import TypeVar
from urllib.parse import urlsplit

from server.live.limits import Limits
from server.web.proxies import Network

EPILOG = """\
Every option is also an environment variable: --ai-pause is NOUGHTS_AI_PAUSE, and so on. Several
origins, proxies or limits are separated by spaces, switches are set with 1, and the command line
wins.

Limits and what they usually are (times in seconds):
{limits}

The first line on standard output is "listening on http://HOST:PORT", once the server accepts
connections. Logs go to standard error. SIGTERM and SIGINT end it in good order.
"""

T = TypeVar("T")

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
    trusted_proxies: tuple[Network, ...] = ()
    ai_pause: int = 500
    open: bool = False
    limits: Limits = field(default_factory=Limits)


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """The settings asked for; ends the program with a sentence if they make no sense."""
    parser = _parser(environment)

    def listed(name: str, read: Callable[[str], T]) -> list[T]:
        try:
            return [read(text) for text in environment.get(name, "").split()]
        except argparse.ArgumentTypeError as problem:
            parser.error(f"{name}: {problem}")

    origins = listed("NOUGHTS_ORIGIN", _origin)
    proxies = listed("NOUGHTS_TRUSTED_PROXY", _network)
    limits = listed("NOUGHTS_LIMIT", _limit)
    given = parser.parse_args(arguments)
    usual = Limits().lifted() if given.no_limits else Limits()
    return Settings(
        host=given.host,
        port=given.port,
        store=given.store,
        origins=(*origins, *given.origin),
        trusted_proxies=(*proxies, *given.trusted_proxy),
        ai_pause=given.ai_pause,
        open=given.open,
        limits=replace(usual, **dict([*limits, *given.limit])),
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
        "--trusted-proxy",
        metavar="NETWORK",
        type=_network,
        action="append",
        default=[],
        help="whose X-Forwarded-For counts, such as 127.0.0.1 or 10.0.0.0/8; repeatable",
    )
    option(
        "--ai-pause",
        metavar="MS",
        type=_milliseconds,
        default=default("AI_PAUSE", usual.ai_pause),
        help=f"mean pause before an AI's move in milliseconds, 0 for none ({usual.ai_pause})",
    )
    option(
        "--limit",
        metavar="NAME=NUMBER",
        type=_limit,
        action="append",
        default=[],
        help="change one of the limits below, such as connections_per_address=500; repeatable",
    )
    for switch, text in SWITCHES.items():
        name = switch.strip("-").replace("-", "_").upper()
        option(switch, action="store_true", default=is_on(name), help=text)
    return parser


def _new_parser() -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog="python -m server",
        description="Noughts: tic-tac-toe in real time, for people, AIs and spectators.",
        epilog=EPILOG.format(limits=_limits()),
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


def _network(text: str) -> Network:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an address or a network such as 10.0.0.0/8"
        ) from None


def _limit(text: str) -> tuple[str, float]:
    """One limit by its name; a count stays a whole number."""
    name, _, number = text.partition("=")
    usual = getattr(Limits(), name, None) if name in _LIMITS else None
    if usual is None:
        raise argparse.ArgumentTypeError(f"{name!r} is not a limit; --help lists them")
    try:
        value: float = type(usual)(number)
    except ValueError:
        value = 0
    if not 0 < value < 1e12:
        kind = "whole number" if isinstance(usual, int) else "number"
        raise argparse.ArgumentTypeError(f"{text!r}: {name} wants a {kind} above 0")
    return name, value


def _limits() -> str:
    return "\n".join(f"  {name} = {getattr(Limits(), name):.10g}" for name in _LIMITS)


_LIMITS = tuple(field.name for field in fields(Limits))
