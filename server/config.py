"""Settings, from the command line or from environment variables of the same names.

`options.py` reads the value of each.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches

from server import options
from server.live.limits import Limits
from server.options import Endpoint
from server.web.proxies import Network

EPILOG = """\
Every option is also an environment variable: --ai-pause is NOUGHTS_AI_PAUSE, and so on. Separate
several origins, proxies or limits with spaces, and set switches with 1. The command line wins.

Limits and their usual values (times in seconds):
{limits}

The first line on standard output is "listening on http://HOST:PORT", once the server accepts
connections. Logs go to standard error. On SIGTERM and SIGINT the server closes its sockets and
exits.

Example: noughts serve --port 9000 --store sqlite:/var/lib/noughts/noughts.db
Exit codes: 0 stopped as asked; 1 could not start; 2 wrong usage.
"""
PREFIX = "NOUGHTS_"


@dataclass(frozen=True, slots=True)
class Settings:
    """`admin`: the path of the admin door, None for none. `bans`: where bans are kept; None for a
    file beside the store. `metrics`: where /metrics is instead of on the public port.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    public_url: str | None = None
    store: str = "sqlite:noughts.db"
    origins: tuple[str, ...] = ()
    trusted_proxies: tuple[Network, ...] = ()
    ai_pause: int = 500
    admin: str | None = None
    bans: str | None = None
    metrics: Endpoint | None = None
    log_level: str = "info"
    log_format: str = "text"
    open: bool = False
    limits: Limits = field(default_factory=Limits)

    def describe(self) -> str:
        """What a reader of the log wants to know: everything that is not as usual."""
        usual = asdict(Limits())
        limits = [
            f"{name}={value:.10g}"
            for name, value in asdict(self.limits).items()
            if value != usual[name]
        ]
        return "; ".join(
            f"{what}: {value or 'none'}"
            for what, value in (
                ("store", self.store),
                ("limits changed", " ".join(limits)),
                ("trusted proxies", " ".join(map(str, self.trusted_proxies))),
                ("origins", " ".join(self.origins)),
                ("public address", self.public_url),
                ("admin door", self.admin and f"unix:{self.admin}"),
            )
        )


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """The settings asked for. If one makes no sense, the program exits with an explanation."""
    parser = _new_parser(environment)
    parser.set_defaults(**_read_lists(parser, environment))
    given = parser.parse_args(arguments)
    _read_variables(parser, given, environment)
    limits = Limits().lift() if given.no_limits else Limits()
    return Settings(
        origins=tuple(given.origin),
        trusted_proxies=tuple(given.trusted_proxy),
        open=given.open,
        limits=replace(limits, **dict(given.limit)),
        **{_name(flag): getattr(given, _name(flag)) for flag, *_ in SINGLE},
    )


def unknown_variables(environment: Iterable[str]) -> list[str]:
    """A sentence for each variable that begins like ours, and is none."""
    flags = [*SINGLE, *REPEATABLE, *SWITCHES]
    known = {_variable(str(flag)) for flag, *_ in flags} | OTHER_VARIABLES
    sentences = []
    for name in sorted(set(environment) - known):
        if name.startswith(PREFIX):
            short = {each.removeprefix(PREFIX) for each in known}
            near = get_close_matches(name.removeprefix(PREFIX), short, n=1)
            hint = (
                f"did you mean {PREFIX}{near[0]}?" if near else "noughts serve --help has them all"
            )
            sentences.append(f"the variable {name} means nothing to this program: {hint}")
    return sentences


def _new_parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="noughts serve",
        description="Host Noughts: tic-tac-toe in real time, for people, AIs and spectators.",
        epilog=EPILOG.format(limits=_list_limits()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add, usual = parser.add_argument, Settings()
    for flag, metavar, read, help in SINGLE:
        add(
            flag,
            metavar=metavar,
            type=read,
            help=f"{help} ({getattr(usual, _name(flag)) or 'none'})",
        )
    for flag, metavar, read, help in REPEATABLE:
        help = f"{help}; repeatable"
        add(flag, metavar=metavar, type=read, action="append", default=[], help=help)
    for flag, help in SWITCHES:
        is_on = environment.get(_variable(flag), "").lower() not in OFF
        add(flag, action="store_true", default=is_on, help=help)
    return parser


def _read_variables(
    parser: argparse.ArgumentParser, given: argparse.Namespace, environment: Mapping[str, str]
) -> None:
    """Complete what the command line does not set: from the variables, or with the usual value."""
    usual = Settings()
    for flag, _, read, _ in SINGLE:
        name, variable = _name(flag), _variable(flag)
        if getattr(given, name) is not None:
            continue
        text = environment.get(variable)  # an empty variable sets nothing
        try:
            setattr(given, name, read(text) if text else getattr(usual, name))
        except argparse.ArgumentTypeError as problem:
            parser.error(f"{variable}: {problem}")


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
    return PREFIX + _name(flag).upper()


def _list_limits() -> str:
    return "\n".join(f"  {name} = {getattr(Limits(), name):.10g}" for name in options.LIMITS)


Reader = Callable[[str], object]

# Each with its placeholder in the help text and its reader; the default is in `Settings`.
SINGLE: tuple[tuple[str, str, Reader, str], ...] = (
    ("--host", "HOST", str, "address to listen on; 0.0.0.0 or :: opens it to the network"),
    ("--port", "PORT", options.port, "port to listen on; 0 takes a free one"),
    (
        "--public-url",
        "URL",
        options.public_url,
        "where others reach the server, such as https://play.example; begins every link",
    ),
    (
        "--store",
        "URL",
        str,
        "where rooms are kept: sqlite:PATH, nats://HOST:PORT, or memory: to forget them",
    ),
    (
        "--ai-pause",
        "MS",
        options.pause,
        "mean pause before an AI's move in milliseconds, 0 for none",
    ),
    (
        "--admin",
        "unix:PATH",
        options.socket_path,
        "a socket for the operator's commands, which only this user may open",
    ),
    (
        "--bans",
        "PATH",
        str,
        "the file that keeps bans; without it, PATH.bans beside a sqlite: store",
    ),
    (
        "--metrics",
        "HOST:PORT",
        options.endpoint,
        "serve /metrics there, and no longer on the public port",
    ),
    ("--log-level", "LEVEL", options.log_level, "debug, info, warning or error"),
    ("--log-format", "FORMAT", options.log_format, "text, or json for one object on each line"),
)
REPEATABLE: tuple[tuple[str, str, Reader, str], ...] = (
    (
        "--origin",
        "URL",
        options.origin,
        "another page that may open sockets, such as https://play.example",
    ),
    (
        "--trusted-proxy",
        "NETWORK",
        options.network,
        "whose X-Forwarded-For counts, such as 10.0.0.0/8",
    ),
    (
        "--limit",
        "NAME=NUMBER",
        options.limit,
        "change one of the limits below, such as connections=500",
    ),
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
OTHER_VARIABLES = {"NOUGHTS_CHROMIUM"}  # the browser of the tests
