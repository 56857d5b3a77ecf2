"""`noughts bot MODULE:choose URL`: any function `choose(state)` as a bot.

It plays in one room after the other. Exit codes: 0 done, 1 the function is wrong, 2 a bad command,
3 the server cannot be reached or does not let us in, 130 and 143 interrupted.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import math
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

from noughts import address
from noughts.chooser import Chooser, Wrong, load
from noughts.client import Connection, connect
from noughts.errors import Error, Refused, Unreachable
from noughts.messages import State
from noughts.room import Room
from noughts.shapes import MARKS, HumanSeat, ListedRoom

WRONG, USAGE, AWAY, INTERRUPTED, TERMINATED = 1, 2, 3, 130, 143
BAD_CELLS = {"no_such_cell", "cell_taken", "not_playable"}
PATIENCE = 60.0  # seconds with somebody who is not there
LEAVE_WITHIN = 2.0

log = logging.getLogger("noughts")


def main(arguments: Sequence[str]) -> int:
    given = _parser().parse_args(arguments)
    logging.basicConfig(level="INFO", format="%(message)s", stream=sys.stderr)
    try:
        chooser = load(given.function)
        return asyncio.run(_until_stopped(chooser, given))
    except KeyboardInterrupt:
        return INTERRUPTED
    except Wrong as problem:
        print(problem, file=sys.stderr)
        return WRONG
    except Error as problem:
        print(f"noughts bot: {problem}", file=sys.stderr)
        return AWAY if isinstance(problem, Unreachable | Refused) else USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="noughts bot",
        description="Let a function choose(state) play. It returns a cell, such as one of"
        " state.choices.",
        epilog="Example: noughts bot examples/minimax.py:choose http://127.0.0.1:8080",
    )
    parser.add_argument("function", metavar="MODULE:choose", help="or FILE.py:choose")
    parser.add_argument("url", metavar="URL", help="the page's address, or a room's")
    parser.add_argument("--name", help="what others read (default: the function's module)")
    parser.add_argument(
        "--room", help="play in this room only; by default, wherever a seat is free"
    )
    parser.add_argument("--variant", help="play this game only, such as drop")
    parser.add_argument("--token-file", help="be the same player, with its seats, next time")
    parser.add_argument("--games", type=_games, help="stop after this many games")
    return parser


def _games(given: str) -> int:
    if not given.isdecimal() or int(given) < 1:
        problem = f"{given!r} is not a number of games: give 1 or more."
        raise argparse.ArgumentTypeError(problem)
    return int(given)


async def _until_stopped(chooser: Chooser, given: argparse.Namespace) -> int:
    """Play until the work is done, or the process is asked to end."""
    playing = asyncio.ensure_future(_play(chooser, given))
    stopped: list[int] = []
    loop = asyncio.get_running_loop()

    def stop(sent: int, _frame: object) -> None:
        code = INTERRUPTED if sent == signal.SIGINT else TERMINATED
        if stopped:  # somebody's async function may never let the loop go on
            os._exit(code)
        stopped.append(code)
        with suppress(RuntimeError):  # the loop has ended by itself
            loop.call_soon_threadsafe(playing.cancel)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    try:
        await playing
    except asyncio.CancelledError:
        if not stopped:
            raise
    return stopped[0] if stopped else 0


async def _play(chooser: Chooser, given: argparse.Namespace) -> None:
    room = given.room or address.read(given.url).room
    name = given.name or given.function.rpartition(":")[0].removesuffix(".py").split("/")[-1]
    async with connect(given.url, name=name, token_file=given.token_file) as me:
        if given.variant not in (None, *(variant.name for variant in me.variants)):
            known = ", ".join(variant.name for variant in me.variants)
            raise Error(f"There is no game {given.variant!r}. There are {known}.")
        bot = Bot(me, chooser, games=given.games)
        if room is not None:
            await bot.play(await take_seat(me, room))
            return
        async for found in free_seats(me, given.variant):
            await bot.play(found, PATIENCE)
            if bot.games == 0:
                return


async def free_seats(me: Connection, variant: str | None) -> AsyncIterator[Room]:
    """Rooms with a seat just taken, one after the other. No room comes twice."""
    seen: set[str] = set()

    def is_wanted(listed: ListedRoom) -> bool:
        return listed.room not in seen and variant in (None, listed.variant)

    async for rooms in me.lobby():
        for listed in filter(is_wanted, rooms):
            if len(listed.seats.open) == 1 and listed.online:
                seen.add(listed.room)
                with suppress(Refused):  # somebody else was faster
                    yield await take_seat(me, listed.room)
                    break  # the list has changed meanwhile


async def take_seat(me: Connection, room: str) -> Room:
    """Sit down. A bot that is stopped meanwhile gives up the seat that it gets."""
    sitting = asyncio.ensure_future(me.sit(room))
    try:
        return await asyncio.shield(sitting)
    except asyncio.CancelledError:
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(LEAVE_WITHIN):
                await (await sitting).leave()
        raise


class Bot:
    """`games`: how many are left to play; None for any number."""

    def __init__(self, me: Connection, chooser: Chooser, games: int | None) -> None:
        self.games = games
        self._me = me
        self._chooser = chooser

    async def play(self, room: Room, patience: float = math.inf) -> None:
        """Play game after game, until nothing has happened for `patience`. Leaves the seat."""
        print(f"{room.seat} in {self._me.address.page}/r/{room.id}", flush=True)
        guard = asyncio.create_task(_end_when_idle(room, patience))
        was_over = room.state.status == "over"  # then others have played that game
        counted = room.state.game if was_over else 0  # the last game that has ended
        try:
            async for state in room.states():
                if state.status == "over" and state.game > counted:
                    counted = state.game
                    self._count(room, state)
                if self.games == 0:
                    return
                await self._act(room, state)
        finally:
            guard.cancel()
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(LEAVE_WITHIN):
                    await room.leave()
                    await room.unwatch()

    async def _act(self, room: Room, state: State) -> None:
        try:
            if not room.marks:  # an AI covers it
                await self._me.sit(room.id)
            elif room.my_turn:
                await self._move(room, state)
            elif state.status == "over":
                await room.rematch()
        except Refused as refused:  # something else was faster
            log.info("%s", refused)

    async def _move(self, room: Room, state: State) -> None:
        cell = await self._chooser.choose(state)
        try:
            await room.play(cell, state=state)
        except Refused as refused:
            if refused.reason in BAD_CELLS:
                raise self._chooser.wrong_cell(cell, state, refused.text) from None
            raise

    def _count(self, room: Room, state: State) -> None:
        if self.games is not None:
            self.games -= 1
        assert state.outcome is not None
        winner = state.outcome.winner
        end = "drawn" if winner is None else "won" if winner in room.marks else "lost"
        print(f"game {state.game} {end} ({state.outcome.by})", flush=True)


async def _end_when_idle(room: Room, patience: float) -> None:
    """Stop following a room in which nobody has played with us for so long."""
    waited = 0.0
    while waited < patience:
        await asyncio.sleep(1)
        waited = waited + 1 if _is_idle(room) else 0
    with suppress(Error):
        await room.leave()
        await room.unwatch()


def _is_idle(room: Room) -> bool:
    if room.state.status != "playing":
        return True
    online = [] if room.presence is None else room.presence.online
    others = [mark for mark in MARKS if mark not in room.marks]
    return any(isinstance(room.state.seats[it], HumanSeat) and it not in online for it in others)
