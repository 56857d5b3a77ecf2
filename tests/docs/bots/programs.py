"""The programs that the documentation shows, and somebody to play against them."""

from __future__ import annotations

import asyncio
import os
import random
import re
import sys
import textwrap
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import noughts
from tests.support.serving import ROOT

ADDRESS = "http://127.0.0.1:8080"  # in every example
HANG = 60.0  # seconds; only a hang takes so long


def programs(page: str) -> list[str]:
    """Every Python program on a page: an indented block that begins with an import."""
    blocks = re.findall(r"(?:^    .*\n|^\n)+", (ROOT / page).read_text(), re.MULTILINE)
    return [textwrap.dedent(block).strip("\n") for block in blocks if _is_program(block)]


def _is_program(block: str) -> bool:
    return block.strip("\n").startswith("    import ")


@asynccontextmanager
async def running(folder: Path, *command: str) -> AsyncIterator[Process]:
    """A program in a process of its own, which is killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=PIPE, stderr=PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def run(folder: Path, *command: str) -> tuple[int | None, str, str]:
    """The exit code of a program that ends by itself, and what it has printed."""
    async with running(folder, *command) as process:
        out, err = await asyncio.wait_for(process.communicate(), HANG)
        return process.returncode, out.decode(), err.decode()


def bot(*arguments: str) -> tuple[str, ...]:
    """The command `noughts bot`."""
    return sys.executable, "-m", "noughts", "bot", *arguments


async def oppose(url: str, games: int, variant: str = "3x3") -> list[str]:
    """Open a room and play with whoever comes. For each game: "won", "lost" or "drawn"."""
    ends: list[str] = []
    async with noughts.connect(url, name="Opponent") as me:
        room = await me.create(variant)
        async for state in room.states():
            try:
                if room.my_turn:
                    await room.play(random.choice(state.choices))
                elif state.outcome is not None and state.game > len(ends):
                    winner = state.outcome.winner
                    ends.append("drawn" if not winner else "won" if winner == room.seat else "lost")
                    if len(ends) == games:
                        break
                    await room.rematch()
            except noughts.Refused as refused:
                print(refused)
    return ends
