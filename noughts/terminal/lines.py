"""A game without a screen, for pipes and scripts: cells are read line by line, boards are printed.

A line is a cell as `aiming.read_cell` reads it, or one of the words of `HELP`. A cell and `again`
wait until they can be used, in our turn or after the end. Other words are answered at once.
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
OVER = "This game is over. Type again to play another one, or quit."
AT_ONCE = ("", "resign", "board", "help", "?")


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
        self._shown: tuple[object, ...] = ()
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Raises `Error` if the room or the connection ends, also while a line is awaited."""
        if self._door.page:
            self._print(f"{self._door.page}/r/{self._room.id}")
        self._show_news()
        following = asyncio.ensure_future(self._follow())
        reading = asyncio.ensure_future(self._read())
        try:
            await asyncio.wait({following, reading}, return_when=asyncio.FIRST_COMPLETED)
            for task in (following, reading):
                if task.done():
                    task.result()
        finally:
            following.cancel()
            reading.cancel()
            await asyncio.gather(following, reading, return_exceptions=True)

    async def _follow(self) -> None:
        async for _ in self._room.states():
            self._show_news()
            self._changed.set()

    def _show_news(self) -> None:
        """Print the board if it is another one than before."""
        state = self._room.state
        looks = (state.game, state.moves, state.status, state.seats, state.rematch)
        if looks != self._shown and not _is_thinking(state):
            self._shown = looks
            self._show(state)

    async def _read(self) -> None:
        """Use line after line, until the last one or `quit`."""
        while (text := await self._lines.next()) not in (None, "quit", "exit", "q"):
            assert text is not None
            if text not in AT_ONCE:
                await self._until(self._can_use_lines)
            try:
                await self._use(text, self._room.state)
            except Refused as refused:
                is_over = refused.reason == "game_over"
                self._print(OVER if is_over else refused.text)
            self._show_news()
        if text is None:  # a script reads what the computer answers to its last move
            await self._until(lambda: not _is_thinking(self._room.state))
            self._show_news()

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._changed.clear()
            await self._changed.wait()

    def _can_use_lines(self) -> bool:
        state = self._room.state
        return self._room.my_turn or (state.status == "over" and not self._has_asked(state))

    async def _use(self, text: str, state: State) -> None:
        match text:
            case "":
                pass
            case "resign":
                await self._room.resign()
            case "again" | "rematch":
                await self._room.rematch()
            case "board":
                self._show(state)
            case "help" | "?":
                self._print(HELP.format(how=how_to_name(state)))
            case _:
                await self._play(text, state)

    async def _play(self, text: str, state: State) -> None:
        cell = read_cell(state, text)
        if cell is None:
            self._print(f"{text!r} is no cell. " + HELP.format(how=how_to_name(state)))
            return
        await self._room.play(cell)

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
