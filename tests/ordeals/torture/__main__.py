"""`make torture`: every ordeal in full, one after the other, and a table of their figures.

`ORDEALS="kill soak"` runs only these. `LONG=1` multiplies every amount by ten.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.ordeals import simulation
from tests.ordeals.hostile import catalogue as hostile
from tests.ordeals.torture import (
    Ordeal,
    ai_faults,
    browsers,
    fleet,
    kill,
    network,
    power,
    school,
    slow_readers,
    soak,
    store_faults,
    terminate,
    thinking,
)


class Row(NamedTuple):
    """`full` is the amount, in the unit of the ordeal. `within` ends an ordeal that hangs."""

    ordeal: Ordeal
    full: int
    unit: str
    within: float  # seconds


ROWS = {
    "kill": Row(kill.ordeal, 100, "kills", 900),
    "terminate": Row(terminate.ordeal, 20, "restarts", 400),
    "slow_readers": Row(slow_readers.ordeal, 1000, "spectators", 240),
    "soak": Row(soak.ordeal, 600, "seconds", 900),
    "store_faults": Row(store_faults.ordeal, 5, "rounds", 300),
    "ai_faults": Row(ai_faults.ordeal, 200, "rooms", 600),
    "thinking": Row(thinking.ordeal, 50, "rooms", 120),
    "fleet": Row(fleet.ordeal, 250, "disasters", 3600),
    "fleet_on_three": Row(fleet.ordeal_on_three, 80, "disasters", 3600),
    "power": Row(power.ordeal, 10, "cuts", 600),
    "power_on_three": Row(power.ordeal_on_three, 5, "cuts", 600),
    "network": Row(network.ordeal, 1, "rounds", 300),
    "browsers": Row(browsers.ordeal, 5, "rounds", 400),
    "school": Row(school.ordeal, 30, "pupils", 600),
    "hostile": Row(hostile.ordeal, 10, "rounds", 900),
    "simulation": Row(simulation.ordeal, 20_000, "seeds", 1500),
}


async def run(name: str, row: Row, amount: int) -> bool:
    """Run one ordeal, print its line of the table, and return whether the promises held."""
    begin = time.monotonic()
    with TemporaryDirectory(prefix="noughts-") as folder:
        try:
            async with asyncio.timeout(row.within * max(1, amount // row.full)):
                figures = await row.ordeal(Path(folder), amount)
            seen = ", ".join(f"{what} {figure}" for what, figure in figures.items())
            kept = "kept"
        except Exception as problem:
            traceback.print_exc()
            seen, kept = f"{type(problem).__name__}: {problem}".splitlines()[0][:200], "BROKEN"
    took = time.monotonic() - begin
    print(f"| {name} | {amount} {row.unit} | {kept} | {took:.0f} s | {seen} |", flush=True)
    return kept == "kept"


async def main() -> int:
    names = os.environ.get("ORDEALS", "").split() or list(ROWS)
    if unknown := set(names) - ROWS.keys():
        print(f"no such ordeal: {', '.join(unknown)}; there are: {', '.join(ROWS)}")
        return 2
    factor = 10 if os.environ.get("LONG") else 1
    print("| ordeal | amount | promises | took | seen |\n|---|---|---|---|---|", flush=True)
    kept = [await run(name, ROWS[name], ROWS[name].full * factor) for name in names]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
