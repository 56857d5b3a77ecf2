"""What all commands of `noughts` for an operator share: help, exit codes and a progress bar.

The exit codes are 0 if all is done and well, 1 if something is wrong or cannot be done, and 2 if
the command was used in a wrong way. Results go to standard output, everything else to standard
error.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from textwrap import fill

from server.store import BadAddress, CannotOpen, Unavailable

HELP_WIDTH = 80
WIDTH = 40  # characters of the progress bar
BESIDE = 32  # characters beside it
INTERRUPTED = 130  # the exit code after Ctrl+C, as shells have it


class Failed(Exception):
    """The command cannot do what was asked; the text says why."""


def new_parser(name: str, summary: str, example: str, code_1: str) -> argparse.ArgumentParser:
    """A parser with help that has an example and the exit codes."""
    codes = f"Exit codes: 0 if done; {code_1}; 2 for wrong usage."
    return argparse.ArgumentParser(
        prog=f"noughts {name}",
        description=fill(" ".join(summary.split()), HELP_WIDTH),
        epilog=f"Example: {example}\n\n{fill(codes, HELP_WIDTH)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def answer(work: Callable[[], int]) -> int:
    """Do the work, and return the exit code. Every problem is a sentence on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="replace")  # a terminal may not know every letter
    try:
        code = work()
        sys.stdout.flush()
        return code
    except (CannotOpen, Failed, Unavailable) as problem:
        print(problem, file=sys.stderr)
        return 2 if isinstance(problem, BadAddress) else 1
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as problem:
        print(f"cannot do that: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "ban"), counted(2, "address", "addresses")
    ('1 ban', '2 addresses')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


class Bar:
    """A progress bar on standard error, if that is a terminal. Call it with how much is done."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._drawn = ""

    def __call__(self, done: int, total: int) -> None:
        if not sys.stderr.isatty():
            return
        width = min(WIDTH, shutil.get_terminal_size().columns - BESIDE)
        drawn = draw(done, total, self._unit, max(1, width))
        if drawn != self._drawn or done == total:
            self._drawn = drawn
            end = "\n" if done == total else ""
            print(f"\r{drawn}", end=end, file=sys.stderr, flush=True)


def draw(done: int, total: int, unit: str, width: int = WIDTH) -> str:
    """A progress bar.

    >>> draw(25, 100, "rooms")
    '[##########..............................] 25 of 100 rooms'
    """
    filled = width * done // max(1, total)
    return f"[{'#' * filled}{'.' * (width - filled)}] {done} of {total} {unit}"
