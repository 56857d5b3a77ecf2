"""A game without a screen, for pipes and scripts: cells are read line by line, boards are printed.

A line is a cell as `aiming.read_cell` reads it, or one of the words of `HELP`. A line is only read
once it can be used: in our turn, or after the end.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from noughts.errors import Refused
from noughts.messages import State
from noughts.shapes import AISeat
from noughts.terminal.aiming import how_to_name, read_cell
from noughts.terminal.board import Sight
from noughts.terminal.doors import Door, Room
from noughts.terminal.styled import Look, line
from noughts.terminal.table import Table, draw_plainly
from noughts.terminal.words import seat_of

HELP = "A cell ({how}), resign, again (after the end), board, help or quit."


class Lines:
    """The lines of a file, read by a thread, so that waiting for one stops nothing."""

    def __init__(self, file: TextIO) -> None:
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def read() -> None:
            with suppress(RuntimeError, OSError, ValueError):  # the loop or the file is closed
                for text in file:
                    loop.call_soon_threadsafe(self._queue.put_nowait, text)
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._queue.put_nowait, None)

        threading.Thread(target=read, daemon=True).start()

    async def next(self) -> str | None:
        """The next line without white space around it; None at the end."""
        text = await self._queue.get()
        if text is None:
            self._queue.put_nowait(None)
            return None
        return text.strip()


class LineGame:
    """Plays in one room until the input ends or somebody says `quit`."""

    def __init__(self, door: Door, room: Room, lines: Lines, look: Look) -> None:
        self._door = door
        self._room = room
        self._lines = lines
        self._look = look

    async def run(self) -> None:
        """Raises `Error` if the connection ends for good."""
        if self._door.page:
            self._print(f"{self._door.page}/r/{self._room.id}")
        shown: tuple[object, ...] = ()
        async for state in self._room.states():
            looks = (state.game, state.moves, state.status, state.seats, state.rematch)
            if looks != shown and not _is_thinking(state):
                shown = looks
                self._show(state)
            wants = self._room.my_turn or (state.status == "over" and not self._has_asked(state))
            if wants and not await self._use_lines(state):
                return

    async def _use_lines(self, state: State) -> bool:
        """Read lines until one has changed the room; False at the end of all."""
        while True:
            text = await self._lines.next()
            if text is None or text in ("quit", "exit", "q"):
                return False
            if self._room.state != state and not self._room.my_turn:
                state = self._room.state  # it was read for a moment that has passed
            try:
                if await self._use(text, state):
                    return True
            except Refused as refused:
                self._print(refused.text)

    async def _use(self, text: str, state: State) -> bool:
        """Whether the line has changed the room."""
        match text:
            case "":
                return False
            case "resign":
                await self._room.resign()
                return True
            case "again" | "rematch":
                await self._room.rematch()
                return True
            case "board":
                self._show(state)
            case "help" | "?":
                self._print(HELP.format(how=how_to_name(state)))
            case _:
                return await self._play(text, state)
        return False

    async def _play(self, text: str, state: State) -> bool:
        cell = read_cell(state, text)
        if cell is None:
            self._print(f"{text!r} is no cell. " + HELP.format(how=how_to_name(state)))
            return False
        await self._room.play(cell)
        return True

    def _has_asked(self, state: State) -> bool:
        return bool(set(self._room.marks) & set(state.rematch))

    def _show(self, state: State) -> None:
        table = Table(state, self._room.marks, Sight(numbers=True), now=self._door.now())
        for each in draw_plainly(table):
            print(self._look.show(each))
        print(flush=True)

    def _print(self, text: str) -> None:
        print(self._look.show(line(text)), flush=True)


def _is_thinking(state: State) -> bool:
    """Whether the computer is about to move: the board after that is enough."""
    return state.turn is not None and isinstance(seat_of(state, state.turn), AISeat)


def printing(look: Look) -> Callable[[str], None]:
    """A function that prints a sentence."""
    return lambda text: print(look.show(line(text)), flush=True)
