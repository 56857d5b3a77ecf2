"""The best AIs play each other in many rooms at once, in the games that take the most thought.

Every move is made within three seconds, and the event loop stays free. The AIs make no pause, so
that every room has a question in the queue all the time. The lag of the loop is measured from
outside, as the round trip of a ping, so it includes what the clients of this ordeal take.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from contextlib import AsyncExitStack, suppress
from itertools import cycle, islice
from pathlib import Path

from tests.ordeals.torture import Figures
from tests.support.dialling import Frame, Player, dialled
from tests.support.fetching import fetch
from tests.support.history import Broken
from tests.support.serving import Served, serving

GAMES = (("drop", "best"), ("ultimate", "best"), ("5x5", "perfect"))
FULL = 50  # rooms; only with so many the times are judged
FOLLOWED = 50  # rooms that one spectator follows
PING_EVERY = 0.02  # seconds
LONGEST_MOVE = 3.0  # seconds
LONGEST_P99 = 10.0  # ms for a ping


class Spectator:
    """Follows exhibitions, starts the next game in each as soon as one is over, and takes the time.

    `waits`: the seconds that each move took.
    """

    def __init__(self, player: Player) -> None:
        self.waits: list[float] = []
        self._player = player
        self._since: dict[str, tuple[float, int, int]] = {}  # room → instant, game and ply

    async def open(self, game: str, level: str) -> None:
        seats = {mark: {"ai": level} for mark in "XO"}
        await self._player.send("create", variant=game, seats=seats)

    async def watch(self) -> None:
        """Until cancelled."""
        async for text in self._player.socket:
            frame: Frame = json.loads(text)
            if frame["type"] == "state":
                await self._note(frame, time.monotonic())

    def unmoved(self) -> list[float]:
        """Since when each room waits for a move."""
        return [since for since, _, _ in self._since.values()]

    async def _note(self, state: Frame, now: float) -> None:
        room, game, ply = state["room"], state["game"], len(state["moves"])
        since, last_game, last_ply = self._since.get(room, (now, game, ply))
        if game == last_game and ply > last_ply:
            self.waits.append(now - since)
        if state["status"] == "over":
            self._since.pop(room, None)
            await self._player.send("rematch", room=room, game=game)
        elif (game, ply) != (last_game, last_ply) or room not in self._since:
            self._since[room] = now, game, ply


async def ping(player: Player, trips: list[float]) -> None:
    """Until cancelled."""
    while True:
        begin = time.monotonic()
        await player.ask("ping")
        trips.append(time.monotonic() - begin)
        player.seen.clear()
        await asyncio.sleep(PING_EVERY)


async def rest(served: Served, seconds: float) -> list[float]:
    """The seconds that each ping took while nobody plays."""
    trips: list[float] = []
    async with dialled(served.ws) as bystander:
        with suppress(TimeoutError):
            await asyncio.wait_for(ping(bystander, trips), seconds)
    return trips


async def exhibit(served: Served, rooms: int, seconds: float) -> tuple[list[float], list[float]]:
    """The seconds that each move and each ping took."""
    trips: list[float] = []
    spectators: list[Spectator] = []
    async with AsyncExitStack() as stack:
        bystander = await stack.enter_async_context(dialled(served.ws))
        tasks = [asyncio.create_task(ping(bystander, trips))]
        for number, (game, level) in enumerate(islice(cycle(GAMES), rooms)):
            if number % FOLLOWED == 0:
                player = await stack.enter_async_context(dialled(served.ws))
                spectators.append(Spectator(player))
                tasks.append(asyncio.create_task(spectators[-1].watch()))
            await spectators[-1].open(game, level)
        ended, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            await task  # raises what ended it
        end = time.monotonic()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    waits = [wait for spectator in spectators for wait in spectator.waits]
    return waits + [end - since for each in spectators for since in each.unmoved()], trips


def metric(served: Served, name: str) -> int:
    text = fetch(served, "/metrics").text
    found = re.search(rf"^{name} (\d+)", text, re.MULTILINE)
    assert found, text
    return int(found[1])


async def ordeal(folder: Path, amount: int) -> Figures:
    """`amount` rooms, for as many seconds."""
    async with serving(folder, "--no-limits") as served:
        rested = await rest(served, amount / 10)
        waits, trips = await exhibit(served, amount, amount)
        hurried, replaced = await asyncio.gather(
            asyncio.to_thread(metric, served, "noughts_ai_hurried_total"),
            asyncio.to_thread(metric, served, "noughts_ai_pools_replaced_total"),
        )
        assert await served.stop() == 0
        assert "Traceback" not in served.log, served.log
    if len(waits) < 2 * amount:
        raise Broken(f"{amount} rooms have made {len(waits)} moves")
    slowest, lag, lag_at_rest = max(waits), at(trips, 0.99) * 1000, at(rested, 0.99) * 1000
    if amount >= FULL and slowest > LONGEST_MOVE:
        raise Broken(f"a move took {slowest:.2f} s")
    if amount >= FULL and lag > max(LONGEST_P99, 2 * lag_at_rest):  # the machine may be busy
        raise Broken(f"a ping took {lag:.1f} ms at p99, and {lag_at_rest:.1f} ms at rest")
    return {
        "moves": len(waits),
        "with fewer nodes": hurried,
        "workers replaced": replaced,
        "slowest move": f"{slowest:.2f} s",
        "half of them within": f"{at(waits, 0.5):.2f} s",
        "99 % within": f"{at(waits, 0.99):.2f} s",
        "ping p50": f"{at(trips, 0.5) * 1000:.1f} ms",
        "p99": f"{lag:.1f} ms",
        "p99 at rest": f"{lag_at_rest:.1f} ms",
    }


def at(values: list[float], share: float) -> float:
    """The value below which this share of all lies."""
    return sorted(values)[int(len(values) * share)]
