"""Many spectators: ten read 1 KB a second, and some read nothing (promises P5 and P6).

The players' waits are measured before, during and after the presence of the bad readers.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from tests.ordeals.torture import Figures, players
from tests.ordeals.torture.load import HANG, metric
from tests.ordeals.torture.spectators import BadReader, Spectator, read_badly
from tests.support.fetching import fetch
from tests.support.serving import Served, serving

QUICK = 200
SLOW, PACE = 10, 1024  # readers, and their bytes a second
MEASURED = 20.0  # seconds without bad readers in the full form, and at least as long with them
ABORTED_WITHIN = 15.0  # seconds
HARM = 0.010  # seconds more at p99, at most


async def ordeal(folder: Path, amount: int) -> Figures:
    is_full = amount > QUICK
    patience, measured = (10.0, MEASURED) if is_full else (4.0, 1.0)
    limits = ("--no-limits", f"--limit=patience={patience}", "--limit=ping=600")
    async with (
        serving(folder, *limits) as served,
        players.playing(served.ws) as people,
        AsyncExitStack() as stack,
    ):
        crowd = [Spectator(served.port, people.room) for _ in range(amount)]
        await _come(crowd, stack)
        without = await people.measure(asyncio.sleep(measured))
        slow = [BadReader(served.port, people.room, PACE) for _ in range(SLOW)]
        silent = [
            BadReader(served.port, people.room) for _ in range(amount // 100 if is_full else 1)
        ]
        bad = [*slow, *silent]
        await _come(bad, stack)
        with_them = await people.measure(_endure(bad, crowd[0], patience, measured))
        kept = sum(not each.is_gone.is_set() for each in slow)
        for each in bad:
            each.leave()
        await _check_others(served, people.room, crowd, players.NUMBER + amount)
        if is_full:  # machines vary, so compare with the worse of before and after
            without = max(without, await people.measure(asyncio.sleep(measured)))
        assert "Traceback" not in served.log, served.log
    aborted = max(each.gone_at - each.full_at for each in silent)
    if is_full:
        assert aborted < ABORTED_WITHIN, f"aborted after {aborted:.1f} s"
        assert with_them < without + HARM, f"p99 {without * 1e3:.1f}, then {with_them * 1e3:.1f} ms"
    return {
        "spectators": amount,
        "never read": len(silent),
        "aborted after": f"{aborted:.1f} s",
        "slow ones kept": f"{kept} of {SLOW}",
        "players' p99 without them": f"{without * 1e3:.1f} ms",
        "with them": f"{with_them * 1e3:.1f} ms",
    }


async def _come(crowd: Sequence[Spectator], stack: AsyncExitStack) -> None:
    for begin in range(0, len(crowd), 50):
        await asyncio.gather(*(each.come() for each in crowd[begin : begin + 50]))
    for spectator in crowd:
        stack.callback(spectator.leave)


async def _endure(
    bad: Sequence[BadReader], witness: Spectator, patience: float, at_least: float
) -> None:
    """Wait until all who never read are gone, and a while longer. The game must go on."""
    reading = asyncio.create_task(read_badly(bad, patience))
    begin = moved = time.monotonic()
    seq = witness.seq
    try:
        while (now := time.monotonic()) < begin + at_least or not all(
            each.is_gone.is_set() for each in bad[SLOW:]
        ):
            assert now < begin + HANG, "a spectator who never reads was not aborted"
            assert now < moved + 0.75 * patience, "the game stands still"
            await asyncio.sleep(0.05)
            if witness.seq != seq:
                seq, moved = witness.seq, now
    finally:
        reading.cancel()


async def _check_others(
    served: Served, room: str, crowd: list[Spectator], connections: int
) -> None:
    """Check that readers keep up with the room and that the server has no extra connection."""
    seq = json.loads((await asyncio.to_thread(fetch, served, f"/api/rooms/{room}")).body)["seq"]
    async with asyncio.timeout(HANG):
        while any(spectator.seq < seq for spectator in crowd):
            await asyncio.sleep(0.05)
        while await metric(served, "noughts_connections") != connections:
            await asyncio.sleep(0.05)
    assert not any(spectator.is_gone.is_set() for spectator in crowd)
