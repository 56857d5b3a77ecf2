"""One room at a screen: keys in, a `Table` out. What takes time runs beside it, as a task."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from noughts.errors import Error
from noughts.messages import State
from noughts.shapes import OpenSeat
from noughts.terminal.aiming import WAYS, cell_of, digits_needed, how_to_name, nearest, step
from noughts.terminal.board import Sight, playable
from noughts.terminal.doors import Door, Room
from noughts.terminal.styled import Line, line, wrap
from noughts.terminal.table import Table, draw_table
from noughts.terminal.words import OTHER, name_in, seat_of

VI_KEYS = {"h": "left", "j": "down", "k": "up", "l": "right"}
LEAVE, MENU = "leave", "menu"
HELP = (
    ("arrows, h j k l", "choose a cell"),
    ("Enter, space", "play it; after the end, play again"),
    ("digits", "play a cell by its number"),
    ("r", "resign"),
    ("n", "another game, level or side"),
    ("q, Ctrl-C", "leave"),
)


class Sitting:
    """`changed` is called when there is something new to draw. `leads` to `LEAVE` or `MENU`."""

    def __init__(
        self, door: Door, room: Room, changed: Callable[[], None], *, watches: bool = False
    ) -> None:
        self.room = room
        self.note = ""
        self.leads = ""
        self._door = door
        self._changed = changed
        self._watches = watches
        self._state = room.state
        self._cursor: int | None = None
        self._digits = ""
        self._asks = False  # whether to resign
        self._helps = False
        self._old_presence: object = None  # from before the last change of seats
        self._doing: asyncio.Task[None] | None = None
        self._aim()

    # ------------------------------------------------------------------------------ what happens

    async def follow(self) -> None:
        """Take every state of the room in, until there will be none. Raises `Error`."""
        async for state in self.room.states():
            self.take(state)
            self._changed()

    def take(self, state: State) -> None:
        """A new state: an old note is no longer true, and the cursor stays on what is playable."""
        before, self._state = self._state, state
        if (before.game, len(before.moves)) != (state.game, len(state.moves)):
            self.note, self._digits = "", ""
        if before.game != state.game:
            self._cursor = None
        if before.seats != state.seats:
            self._old_presence = self.room.presence
        for mark in OTHER:
            if mark in self.room.marks or before.game != state.game:
                continue
            was, now = seat_of(before, mark), seat_of(state, mark)
            if isinstance(was, OpenSeat) and not isinstance(now, OpenSeat):
                self.note = f"{name_in(state, mark)} sits down."
            elif isinstance(now, OpenSeat) and not isinstance(was, OpenSeat):
                self.note = f"{name_in(before, mark)} has left."
        self._asks = self._asks and state.status == "playing"
        self._aim()

    def _aim(self) -> None:
        if self.room.my_turn and self._cursor not in playable(self._state):
            self._cursor = nearest(self._state, self._cursor)

    async def close(self) -> None:
        if self._doing is not None:
            self._doing.cancel()
            await asyncio.gather(self._doing, return_exceptions=True)

    # --------------------------------------------------------------------------------------- keys

    def press(self, key: str) -> None:
        key = VI_KEYS.get(key, key)
        if self._helps:
            self._helps = False
        elif self._asks:
            self._asks = False
            if key == "y":
                self._do(self.room.resign())
        elif key in ("q", "escape", "end of input") and not self._digits:
            self.leads = LEAVE
        elif self._watches:
            return
        elif key == "n":
            self.leads = MENU
        elif key == "?":
            self._helps = True
        else:
            self._press_in_game(key)

    def _press_in_game(self, key: str) -> None:
        self.note = ""
        digits, self._digits = self._digits, ""
        if key in ("enter", "space") and self._state.status == "over":
            self._do(self.room.rematch())
        elif key == "r" and self._state.status == "playing" and self.room.marks:
            self._asks = True
        elif key in WAYS and self.room.my_turn and self._cursor is not None:
            self._cursor = step(self._state, self._cursor, key)
        elif key in ("enter", "space"):
            self._play(self._cursor)
        elif len(key) == 1 and key.isdigit() and key.isascii():
            self._type(digits + key)

    def _type(self, digits: str) -> None:
        """Take a digit more. The last one that is needed plays."""
        if self._state.status != "playing":
            self.note = "There is nothing to play now."
        elif len(digits) < digits_needed(self._state):
            self._digits = digits
        else:
            cell = cell_of(self._state, digits)
            if cell is None:
                self.note = f"{digits} names no cell. Use {how_to_name(self._state)}."
            else:
                self._play(cell)

    def _play(self, cell: int | None) -> None:
        if not self.room.my_turn:
            is_waiting = self._state.status == "waiting"
            self.note = "Nobody is there to play against yet." if is_waiting else "Not your turn."
        elif cell is not None:
            self._cursor = cell if cell in playable(self._state) else self._cursor
            self._do(self.room.play(cell, state=self._state))

    def _do(self, command: Coroutine[Any, Any, None]) -> None:
        """Carry a command out, one at a time; a refusal becomes the note."""
        if self._doing is not None and not self._doing.done():
            command.close()
            self.note = "The last one is still being sent …"
            return

        async def carry_out() -> None:
            try:
                await command
            except Error as problem:
                self.note = str(problem)
            self._changed()

        self._doing = asyncio.get_running_loop().create_task(carry_out())

    # --------------------------------------------------------------------------------- to be seen

    def draw(self, width: int, height: int, news: str = "") -> list[Line]:
        if self._helps:
            return _draw_help(width)[:height]
        state, room = self._state, self.room
        numbers = room.my_turn
        note = "Resign this game? y yes · any other key no" if self._asks else self.note
        if self._digits:
            note = f"{self._digits}, and then?"
        presence = room.presence if room.presence is not self._old_presence else None
        return draw_table(
            Table(
                state,
                room.marks,
                Sight(self._cursor if room.my_turn else None, numbers),
                online=None if presence is None else presence.online,
                now=self._door.now(),
                note=news or note,
                invitation=self._invitation(),
                hints=self._hints(),
            ),
            width,
            height,
        )

    def _invitation(self) -> tuple[str, ...]:
        if self._state.status != "waiting" or self._state.moves or not self._door.page:
            return ()
        link = f"{self._door.page}/r/{self.room.id}"
        if self._state.public:
            return ("Or send this link:", link)
        return ("Send this link to a friend:", link)

    def _hints(self) -> tuple[str, ...]:
        state = self._state
        if self._watches:
            return ("q back",)
        if state.status == "over":
            return ("Enter again", "n another game", "? keys", "q quit")
        if self.room.my_turn:
            ways = ("arrows Enter", how_to_name(state))
            return (*ways, "r resign", "n new", "? keys", "q quit")
        return ("r resign", "n new", "? keys", "q quit") if state.turn else ("n new", "q quit")

    @property
    def clock_runs(self) -> bool:
        return self._state.clock is not None and self._state.clock.since is not None


def _draw_help(width: int) -> list[Line]:
    lines = [line("Keys", "bold"), line("")]
    for keys, use in HELP:
        lines += [line(text) for text in wrap(f"{keys:<16}{use}", width)]
    signs = "‹X› the last mark · (X) goes next · *X* has won · [ ] your cursor"
    lines += [line(""), *(line(text, "dim") for text in wrap(signs, width))]
    return [*lines, line(""), *(line(text, "dim") for text in wrap("Any key goes on.", width))]
