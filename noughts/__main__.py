"""`noughts COMMAND …`: one program for people who play, write bots or host.

A command is a module with `main(arguments)`, which returns the exit code. Only the module of the
command asked for is imported: a bot needs no web server, and not even its libraries.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from noughts import (
    __version__,
    bundle,  # noqa: F401 (makes `server` importable)
)

COMMANDS = {
    "play": ("noughts.terminal.play", "play in the terminal"),
    "watch": ("noughts.terminal.watch", "watch games in the terminal"),
    "serve": ("server.__main__", "host the game"),
    "bot": ("noughts.bot", "let a function of yours play"),
    "backup": ("server.operate.backup", "copy all rooms into one file, while the server runs"),
    "check": ("server.operate.check", "check that a store is sound and every room replays"),
    "rooms": ("server.operate.rooms", "list the rooms of a store"),
    "log": ("server.operate.log", "show what has happened in a room"),
    "copy": ("server.copy", "copy all rooms from one store to another"),
    "connections": ("server.operate.connections", "list who is connected to a server"),
    "announce": ("server.operate.announce", "show a text to everybody, such as before a restart"),
    "close": ("server.operate.close", "remove a room from a running server"),
    "ban": ("server.operate.ban", "refuse an address or a network"),
    "unban": ("server.operate.unban", "lift a ban"),
    "bans": ("server.operate.bans", "list the bans"),
}
OURS = ("noughts", "server")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit code; 2 if there is no such command."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help", "help"):
        print(_usage())
        return 0
    if given[0] in ("-V", "--version"):
        print(f"noughts {__version__}")
        return 0
    name, *rest = given
    if name not in COMMANDS:
        print(f"noughts: there is no command {name!r}\n\n{_usage()}", file=sys.stderr)
        return 2
    try:
        command = import_module(COMMANDS[name][0])
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] in OURS:
            raise
        print(_incomplete(name, missing.name), file=sys.stderr)
        return 2
    status: int = command.main(rest)
    return status


def _incomplete(command: str, library: str | None) -> str:
    """Explains a library that is missing: a bot's installation leaves out those of the server."""
    return (
        f"noughts {command} needs the library {library!r}, which is not installed here: "
        "install Noughts without --no-deps"
    )


def _usage() -> str:
    lines = [f"  {name:<13}{summary}" for name, (_, summary) in COMMANDS.items()]
    usage = "usage: noughts COMMAND …\n       noughts --version"
    return "\n".join([usage, "", *lines, "", "noughts COMMAND --help explains a command."])


if __name__ == "__main__":
    sys.exit(main())
