"""Runs a command to its end, however it ends: by itself, by a signal, or by a problem."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from noughts.errors import Error, Refused, Unreachable
from noughts.terminal.styled import BOX, Look

STOPPING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
EXIT_CODES = """exit codes:
  0 done, 1 the server cannot be reached or refuses, 2 a bad address or option,
  128 and more: ended by a signal, such as 130 by Ctrl-C
"""


def run(name: str, command: Coroutine[Any, Any, int]) -> int:
    """The exit code: that of the command, or the one that `EXIT_CODES` gives for its end."""
    stopped: list[int] = []

    async def main() -> int:
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(command)

        def stop(number: int) -> None:
            stopped.append(128 + number)
            task.cancel()

        for number in (getattr(signal, each, None) for each in STOPPING):
            with suppress(NotImplementedError):  # on Windows, Ctrl-C raises KeyboardInterrupt
                if number is not None:
                    loop.add_signal_handler(number, stop, int(number))
        return await task

    try:
        return asyncio.run(main())
    except (asyncio.CancelledError, KeyboardInterrupt):
        return stopped[0] if stopped else 130
    except BrokenPipeError:  # nobody reads on, as after `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Error as problem:
        print(f"noughts {name}: {problem}", file=sys.stderr)
        return 1 if isinstance(problem, Unreachable | Refused) else 2


def look_of(*, no_color: bool) -> Look:
    """How standard output can be written to."""
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    try:
        BOX.encode(sys.stdout.encoding or "ascii")
        is_ascii = False
    except (UnicodeEncodeError, LookupError):
        is_ascii = True
    with suppress(AttributeError):  # names can have letters that the encoding lacks
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    colour = is_terminal and not no_color and not os.environ.get("NO_COLOR")
    return Look(styled=is_terminal, colour=colour, ascii=is_ascii)
