"""The AI's workers die and hang while people play against it (promise P5).

The AI answers within three seconds of each crash, games between people are not affected, and no
killed or stopped process is left behind.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.ordeals.torture import Figures
from tests.ordeals.torture.patience import HANG, until
from tests.support.dialling import Frame, Player, dialled, seated_pair
from tests.support.fetching import fetch
from tests.support.history import Broken, playable
from tests.support.serving import Served, outlived, running, serving

LEVELS = ["gentle", "easy", "medium", "hard", "perfect"]
PAIRS = 5  # rooms without an AI, in which the waits of people are measured
THINKING = 0.05  # seconds between two moves in such a room
PACE = 0.01  # seconds per room: the longest pause of a person who plays against an AI
REPLACED = re.compile(r"^noughts_ai_pools_replaced_total (\d+)", re.MULTILINE)
FULL = 200  # rooms; the waits of people are judged only with this many
LONGEST_P99 = 50  # ms until a person has an answer

Hit = Callable[[Served], int]


class Duel:
    """A person who plays game after game against the AI, as long as it answers.

    `asked`: the instant at which the AI's turn began, 0 while it is not its turn. `waits`: for each
    move, when its turn began and when it moved.
    """

    def __init__(self, player: Player, level: str, pause: float) -> None:
        self.asked = 0.0
        self.waits: list[tuple[float, float]] = []
        self._player = player
        self._level = level
        self._pause = pause
        self._dice = Random()

    async def play(self, is_over: asyncio.Event) -> None:
        seats = {"X": "me", "O": {"ai": self._level}}
        room = str((await self._player.accept("create", seats=seats))["room"])
        state = await self._player.state(room)
        while not is_over.is_set():
            await asyncio.sleep(self._dice.uniform(0, self._pause))
            if state["status"] == "over":
                answer = await self._player.accept("rematch", room=room, game=state["game"])
            else:
                move = {"cell": self._dice.choice(playable(state)), "ply": len(state["moves"])}
                answer = await self._player.accept("play", room=room, game=state["game"], **move)
            state = await self._up_to_us(room, int(answer["seq"]))
            self._player.seen.clear()

    async def _up_to_us(self, room: str, seq: int) -> Frame:
        """The next state in which it is not the AI's turn."""
        self.asked = time.monotonic()
        state = await self._player.state(room, lambda state: _is_ours(state, seq))
        last = "XO"[(len(state["moves"]) - 1) % 2]
        if state["moves"] and state["seats"][last]["kind"] == "ai":
            self.waits.append((self.asked, time.monotonic()))
        self.asked = 0.0
        return state


def _is_ours(state: Frame, seq: int) -> bool:
    turn = state["turn"]
    return bool(state["seq"] >= seq and (turn is None or state["seats"][turn]["kind"] != "ai"))


async def converse(x: Player, o: Player, is_over: asyncio.Event, waits: list[float]) -> None:
    """Two people play at a slow pace. The time until each answer is added to `waits`."""
    room = await seated_pair(x, o)
    while not is_over.is_set():
        for ply, cell in enumerate([0, 1, 2, 4, 3, 5, 7, 6, 8]):
            await asyncio.sleep(THINKING)
            begin = time.monotonic()
            await (x, o)[ply % 2].accept("play", room=room, cell=cell, ply=ply)
            waits.append(time.monotonic() - begin)
        for player in (x, o):
            await player.accept("rematch", room=room)
        x, o = o, x
        for player in (x, o):
            await player.state(room, lambda state: state["moves"] == [])
            player.seen.clear()


# ------------------------------------------------------------------------------------- the faults


def workers(served: Served) -> set[int]:
    """The ids of the worker processes: children of the server's fork server."""
    parents = running()
    rest = served.family - {served.pid}
    return {pid for pid in rest if parents.get(pid) not in (None, served.pid)}


def fork_server(served: Served) -> int:
    parents = running()
    return parents[next(iter(workers(served)))]


def kill_worker(served: Served) -> int:
    return _send(next(iter(workers(served))), signal.SIGKILL)


def stop_worker(served: Served) -> int:
    return _send(next(iter(workers(served))), signal.SIGSTOP)


def kill_fork_server(served: Served) -> int:
    return _send(fork_server(served), signal.SIGKILL)


def _send(pid: int, what: signal.Signals) -> int:
    os.kill(pid, what)
    return pid


HITS: tuple[Hit, ...] = (kill_worker, stop_worker, kill_fork_server)


async def replaced(served: Served) -> int:
    """The number of pools that the server has replaced, from its metrics."""
    text = (await asyncio.to_thread(fetch, served, "/metrics")).text
    found = REPLACED.search(text)
    assert found, text
    return int(found[1])


class Crash(NamedTuple):
    """`pid` was hit at the instant `begin`. By `end` everybody who waited had an answer."""

    hit: Hit
    pid: int
    begin: float
    end: float

    def slowest(self, duels: list[Duel]) -> float:
        """The longest wait for the AI after the crash."""
        return max(
            (
                answered - max(asked, self.begin)
                for duel in duels
                for asked, answered in duel.waits
                if asked < self.end and answered > self.begin
            ),
            default=0.0,
        )


async def crash(served: Served, hit: Hit, duels: list[Duel]) -> Crash:
    """Hit a worker while the AI is thinking, and wait until the server has replaced it.

    A crash counts once the server has replaced a pool: a cached answer needs no worker.
    """
    before = await replaced(served)
    await until(lambda: bool(workers(served)), "there is a worker")
    await until(lambda: any(duel.asked for duel in duels), "somebody waits for the AI")
    pid, begin = hit(served), time.monotonic()
    async with asyncio.timeout(HANG):
        while await replaced(served) == before:
            await asyncio.sleep(0.02)
    end = time.monotonic()
    await until(lambda: not any(0 < duel.asked < end for duel in duels), "the AI has answered all")
    return Crash(hit, pid, begin, time.monotonic())


async def endure(served: Served, rooms: int, number: int) -> Figures:
    """Play in `rooms` rooms through `number` crashes, and on until every room has moved."""
    duels, talk, is_over = list[Duel](), list[float](), asyncio.Event()
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:

        async def come() -> Player:
            return await stack.enter_async_context(dialled(served.ws))

        for level in islice(cycle(LEVELS), rooms):
            duels.append(Duel(await come(), level, rooms * PACE))
            group.create_task(duels[-1].play(is_over))
        for _ in range(PAIRS):
            group.create_task(converse(await come(), await come(), is_over, talk))
        await until(lambda: len(talk) >= rooms, "people play")
        before = len(talk)
        crashes = [await crash(served, hit, duels) for hit in islice(cycle(HITS), number)]
        calm = time.monotonic()
        await until(
            lambda: all(duel.waits[-1:] > [(calm, calm)] for duel in duels), "no room is stuck"
        )
        is_over.set()
    if left := await outlived({crash.pid for crash in crashes}):
        raise Broken(f"processes are left behind: {left}")
    return _figures(crashes, duels) | {
        "people's p99 ms before": _p99(talk[:before]),
        "people's p99 ms": _p99(talk[before:]),
    }


def _p99(waits: list[float]) -> float:
    return round(sorted(waits)[len(waits) * 99 // 100] * 1000, 1)


def _figures(crashes: list[Crash], duels: list[Duel]) -> Figures:
    figures: Figures = {"crashes": len(crashes), "AI moves": sum(len(duel.waits) for duel in duels)}
    for hit in HITS:
        slowest = max(crash.slowest(duels) for crash in crashes if crash.hit is hit)
        figures[f"answer after {hit.__name__} within s"] = round(slowest, 2)
    return figures


async def ordeal(folder: Path, amount: int) -> Figures:
    """`amount` rooms with an AI, and half as many crashes."""
    async with serving(folder, "--no-limits") as served:
        figures = await endure(served, amount, amount // 2)
        assert await served.stop() == 0
        assert "Traceback" not in served.log, served.log
    if amount >= FULL:
        _judge(
            float(str(figures["people's p99 ms before"])), float(str(figures["people's p99 ms"]))
        )
    return figures


def _judge(before: float, then: float) -> None:
    """Check the waits. On a busy machine people wait even without a crash."""
    if then >= LONGEST_P99 and then >= 2 * before:
        raise Broken(f"people notice: they wait {then} ms at p99, and {before} ms without crashes")
