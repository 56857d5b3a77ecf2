"""The scenarios. Each drives one running server and returns its figures by name.

The name of a figure ends in its unit, `us` or `KiB`. Less is better.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from statistics import median

from bench.load import Crowd
from bench.servers import Started

Figures = dict[str, float]
Scenario = Callable[[Started], Awaitable[Figures]]

SECONDS = 3.0


def p50_us(seconds: list[float]) -> float:
    return median(seconds) * 1e6


async def games(server: Started, rooms: int = 50, seconds: float = SECONDS) -> Figures:
    """Games in many rooms at once, each as fast as its two players receive the moves."""
    async with Crowd(server.url) as crowd:
        pairs = await crowd.rooms(rooms)
        await asyncio.gather(*(pair.play_one() for pair in pairs))
        before = sum(pair.moves for pair in pairs)
        cpu = server.cpu()
        await asyncio.gather(*(pair.play_for(seconds) for pair in pairs))
        spent, moves = server.cpu() - cpu, sum(pair.moves for pair in pairs) - before
    return {"CPU for a move, us": spent / moves * 1e6}


async def paced(server: Started, rate: float = 200, seconds: float = SECONDS) -> Figures:
    """Moves at a steady rate: the latency without a queue."""
    async with Crowd(server.url) as crowd:
        [pair] = await crowd.rooms(1)
        await pair.play_one()
        pair.to_players.clear()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await pair.play_one(1 / rate)
    return {"round trip of a move, p50, us": p50_us(pair.to_players)}


async def fan(server: Started, spectators: int = 500, seconds: float = SECONDS) -> Figures:
    """One room with many spectators. Each move waits until all have received the one before."""
    async with Crowd(server.url) as crowd:
        [pair] = await crowd.rooms(1)
        pair.spectators = await crowd.join(spectators)
        for spectator in pair.spectators:
            await spectator.send("watch", room=pair.room)
        await pair.play_one()
        pair.to_players.clear()
        cpu = server.cpu()
        await pair.play_for(seconds)
        spent = server.cpu() - cpu
    deliveries = len(pair.to_players) * (spectators + 2)
    return {
        "CPU for a delivery, us": spent / deliveries * 1e6,
        "move to both players among spectators, p50, us": p50_us(pair.to_players),
    }


async def idle_connections(server: Started, number: int = 1000) -> Figures:
    """Memory per idle socket that follows a room."""
    async with Crowd(server.url) as crowd:
        [pair] = await crowd.rooms(1)
        await settle()
        before = server.memory()
        for peer in await crowd.join(number):
            await peer.send("watch", room=pair.room)
        await settle()
        grown = server.memory() - before
    return {"quiet connection, KiB": grown / number}


async def idle_rooms(server: Started, number: int = 500) -> Figures:
    """Memory per idle room, including its two players."""
    async with Crowd(server.url) as crowd:
        await crowd.rooms(10)
        await settle()
        before = server.memory()
        await crowd.rooms(number)
        await settle()
        grown = server.memory() - before
    return {"quiet room with two players, KiB": grown / number}


async def settle() -> None:
    gc.collect()
    await asyncio.sleep(0.7)


SCENARIOS: tuple[Scenario, ...] = (games, paced, fan, idle_connections, idle_rooms)
