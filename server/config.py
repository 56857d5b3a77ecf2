"""Settings, from the command line or from environment variables of the same names."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from ipaddress import ip_network
from urllib.parse import urlsplit

from server.live.limits import Limits
from server.web.proxies import Network

EPILOG = """\
Every option is also an environment variable: --ai-pause is NOUGHTS_AI_PAUSE, and so on. Separate
several origins, proxies or limits with spaces, and set switches with 1. The command line wins.

Limits and their usual values (times in seconds):
{limits}

The first line on standard output is "listening on http://HOST:PORT", once the server accepts
connections. Logs go to standard error. On SIGTERM and SIGINT the server closes its sockets and
exits.
"""


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
    """The settings asked for. If one makes no sense, the program exits with an explanation."""
    parser = _new_parser(environment)
    parser.set_defaults(**_read_lists(parser, environment))
    given = parser.parse_args(arguments)
    limits = Limits().lift() if given.no_limits else Limits()
    return Settings(
        host=given.host,
        port=given.port,
        store=given.store,
        origins=tuple(given.origin),
        trusted_proxies=tuple(given.trusted_proxy),
        ai_pause=given.ai_pause,
        open=given.open,
        limits=replace(limits, **dict(given.limit)),
    )


def _new_parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m server",
        description="Noughts: tic-tac-toe in real time, for people, AIs and spectators.",
        epilog=EPILOG.format(limits=_list_limits()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add, usual = parser.add_argument, Settings()
    for flag, metavar, read, help in SINGLE:
        default = getattr(usual, _name(flag))
        value = environment.get(_variable(flag), default)
        add(flag, metavar=metavar, type=read, default=value, help=f"{help} ({default})")
    for flag, metavar, read, help in REPEATABLE:
        help = f"{help}; repeatable"
        add(flag, metavar=metavar, type=read, action="append", default=[], help=help)
    for flag, help in SWITCHES:
        is_on = environment.get(_variable(flag), "").lower() not in OFF
        add(flag, action="store_true", default=is_on, help=help)
    return parser


def _read_lists(
    parser: argparse.ArgumentParser, environment: Mapping[str, str]
) -> dict[str, list[object]]:
    """The repeatable options that are set by environment variables, by their names."""
    found: dict[str, list[object]] = {}
    for flag, _, read, _ in REPEATABLE:
        variable = _variable(flag)
        try:
            found[_name(flag)] = [read(text) for text in environment.get(variable, "").split()]
        except argparse.ArgumentTypeError as problem:
            parser.error(f"{variable}: {problem}")
    return found


def _name(flag: str) -> str:
    return flag.strip("-").replace("-", "_")


def _variable(flag: str) -> str:
    return f"NOUGHTS_{_name(flag).upper()}"


def _port(text: str) -> int:
    return _whole(text, 65_535, "a port (0 to 65535)")


def _pause(text: str) -> int:
    return _whole(text, 60_000, "a pause of 0 to 60000 ms")


def _whole(text: str, most: int, meaning: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= number <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not {meaning}")
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
    """A limit and its value. If the usual value is a whole number, this one must be, too."""
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


def _list_limits() -> str:
    return "\n".join(f"  {name} = {getattr(Limits(), name):.10g}" for name in _LIMITS)


_LIMITS = tuple(field.name for field in fields(Limits))

Reader = Callable[[str], object]

# Each with its placeholder in the help text and its reader; the default is in `Settings`.
SINGLE: tuple[tuple[str, str, Reader, str], ...] = (
    ("--host", "HOST", str, "address to listen on; 0.0.0.0 opens it to the network"),
    ("--port", "PORT", _port, "port to listen on; 0 takes a free one"),
    (
        "--store",
        "URL",
        str,
        "where rooms are kept: sqlite:PATH, nats://HOST:PORT, or memory: to forget them",
    ),
    ("--ai-pause", "MS", _pause, "mean pause before an AI's move in milliseconds, 0 for none"),
)
REPEATABLE: tuple[tuple[str, str, Reader, str], ...] = (
    (
        "--origin",
        "URL",
        _origin,
        "another page that may open sockets, such as https://play.example",
    ),
    ("--trusted-proxy", "NETWORK", _network, "whose X-Forwarded-For counts, such as 10.0.0.0/8"),
    ("--limit", "NAME=NUMBER", _limit, "change one of the limits below, such as connections=500"),
)
SWITCHES = (
    ("--open", "open the browser"),
    (
        "--no-limits",
        "lift rates and counts for each address and connection, where all are trusted; "
        "malformed_per_minute and rooms_followed stay",
    ),
)
OFF = ("", "0", "no", "false", "off")
