"""A program at a pseudo-terminal: keys in, and what its window shows."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
HANG = 30.0  # seconds; only a hang takes so long
NOUGHTS = (sys.executable, "-m", "noughts")
STYLES = re.compile(r"\x1b\[[0-9;]*[mK]")


def environment(home: Path, variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of a person with nothing but a home, and these."""
    kept = {name: os.environ[name] for name in os.environ if name.startswith(("PATH", "COVERAGE"))}
    given = {"HOME": str(home), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    return {**kept, **given, "PYTHONPATH": str(ROOT), **(variables or {})}


class Terminal:
    """`output`: everything the program has written."""

    def __init__(self, process: subprocess.Popen[bytes], own: int, other: int) -> None:
        self.process = process
        self.output = ""
        self._own, self._other = own, other
        self._news = asyncio.Event()
        self.before = self.settings
        asyncio.get_running_loop().add_reader(own, self._read)

    @property
    def settings(self) -> list[Any]:
        """What the terminal does with keys. A program leaves it as it was."""
        return termios.tcgetattr(self._other)

    @property
    def shown(self) -> str:
        """The last whole screen, without styles; before and after that, the plain output."""
        plain = STYLES.sub("", self.output).replace("\r", "")
        if "\x1b[?1049h" not in plain or "\x1b[?1049l" in plain:
            return plain.rpartition("\x1b[?1049l")[2]
        whole = plain.rpartition("\x1b[J")[0]
        return whole.rpartition("\x1b[H")[2]

    async def shows(self, *texts: str) -> str:
        """Wait until the window shows all of these, and return what it shows."""
        try:
            async with asyncio.timeout(HANG):
                while not all(text in self.shown for text in texts):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{texts} not in:\n{self.shown}") from None
        return self.shown

    def press(self, *keys: str) -> None:
        for key in keys:
            os.write(self._own, key.encode())

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._own, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    async def ends(self) -> int:
        """Wait for the end of the program and of its output, and return the exit code."""
        async with asyncio.timeout(HANG):
            code = await asyncio.to_thread(self.process.wait)
        self._read()
        return code

    def _read(self) -> None:
        with suppress(BlockingIOError):
            while data := os.read(self._own, 65536):
                self.output += data.decode(errors="replace")
        self._news.set()

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._own)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._own)
        os.close(self._other)


@asynccontextmanager
async def terminal(
    home: Path,
    *arguments: str,
    columns: int = 80,
    rows: int = 24,
    variables: Mapping[str, str] | None = None,
    program: Sequence[str] = NOUGHTS,
) -> AsyncIterator[Terminal]:
    """Run `noughts …` at a terminal of this size. `home`: where it keeps what it remembers."""
    own, other = pty.openpty()
    os.set_blocking(own, False)
    fcntl.ioctl(own, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        [*program, *arguments],
        stdin=other,
        stdout=other,
        stderr=other,
        env=environment(home, variables),
        cwd=home,
        start_new_session=True,
        preexec_fn=_make_it_ours,
    )
    window = Terminal(process, own, other)
    try:
        yield window
    finally:
        window.close()


def _make_it_ours() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C and a new size reach the program
