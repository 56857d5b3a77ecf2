"""The terminal as a screen: keys in, lines out, and everything as it was when it is left.

Ctrl-Z and a change of size are looked after here. Keys arrive in `inbox` by name; so does
`CHANGED`, which anybody puts there who wants the screen drawn again.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

from noughts.terminal.keys import KeyReader
from noughts.terminal.styled import RESET, Line, Look

try:
    import termios
    import tty
except ImportError:  # not on every platform; there, lines are read instead of keys
    HAS_KEYS = False
else:
    HAS_KEYS = True

CHANGED = "changed"
ESCAPE_AFTER = 0.05  # seconds; an escape sequence arrives at once, Escape alone is followed by none
ENTER_SCREEN, LEAVE_SCREEN = "\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J", f"{RESET}\x1b[?25h\x1b[?1049l"
HOME, END_LINE, CLEAR_BELOW = "\x1b[H", "\x1b[K", "\x1b[J"


def can_be_screen() -> bool:
    """Whether both ends are a terminal that knows escape codes."""
    is_able = HAS_KEYS and os.environ.get("TERM", "dumb") != "dumb"
    return is_able and sys.stdin.isatty() and sys.stdout.isatty()


class Screen:
    """Use it in `with`, inside a running event loop."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._input, self._output = sys.stdin.fileno(), sys.stdout.fileno()
        self._reader = KeyReader()
        self._flushing: asyncio.TimerHandle | None = None
        self._before: list[Any] = []
        self.inbox: asyncio.Queue[str] = asyncio.Queue()

    def __enter__(self) -> Screen:
        loop = asyncio.get_running_loop()
        self._before = termios.tcgetattr(self._input)
        self._take_over()
        loop.add_reader(self._input, self._read)
        loop.add_signal_handler(signal.SIGWINCH, self.change)
        loop.add_signal_handler(signal.SIGTSTP, self._suspend)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._input)
        loop.remove_signal_handler(signal.SIGWINCH)
        loop.remove_signal_handler(signal.SIGTSTP)
        self._give_back()

    def change(self) -> None:
        """Ask for the screen to be drawn again."""
        self.inbox.put_nowait(CHANGED)

    def size(self) -> tuple[int, int]:
        """The columns and rows of the window."""
        with suppress(OSError):
            columns, rows = os.get_terminal_size(self._output)
            if columns and rows:
                return columns, rows
        return 80, 24

    def draw(self, lines: Sequence[Line]) -> None:
        columns, rows = self.size()
        shown = [self._look.show(line, columns) + END_LINE for line in lines[:rows]]
        self._write(HOME + "\r\n".join(shown) + CLEAR_BELOW)

    def _take_over(self) -> None:
        tty.setcbreak(self._input, termios.TCSADRAIN)
        self._write(ENTER_SCREEN)

    def _give_back(self) -> None:
        self._write(LEAVE_SCREEN)
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(self._input, termios.TCSADRAIN, self._before)

    def _suspend(self) -> None:
        """Ctrl-Z: the shell gets its terminal as it was, and we take it over again afterwards."""
        self._give_back()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._take_over()
        self.change()

    def _write(self, text: str) -> None:
        data = text.encode(sys.stdout.encoding or "utf-8", errors="replace")
        with suppress(OSError):  # the terminal is gone: a signal or the end of input says so
            while data:
                data = data[os.write(self._output, data) :]

    def _read(self) -> None:
        try:
            data = os.read(self._input, 1024)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._input)
            self.inbox.put_nowait("end of input")
            return
        if self._flushing is not None:
            self._flushing.cancel()
        self._put(self._reader.feed(data))
        if self._reader.waits:
            loop = asyncio.get_running_loop()
            self._flushing = loop.call_later(ESCAPE_AFTER, self._flush)

    def _flush(self) -> None:
        self._put(self._reader.flush())

    def _put(self, keys: list[str]) -> None:
        for key in keys:
            self.inbox.put_nowait(key)
