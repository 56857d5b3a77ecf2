"""`make bench`: every scenario, our server on both stores and the naive one, interleaved.

    python -m bench [--rounds 1] [--growth]

Prints medians, and ratios to the naive server of the same run. Compare ratios, not figures, between
machines: on a busy machine both servers slow down together. `--growth` also measures the curves of
docs/performance.md and draws its plots. `--plots` only draws them, from the last figures. The last
section is the search, with ratios to the commit before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

from bench import plots, search
from bench.exercise import first_move
from bench.growth import CURVES, loop_lag
from bench.load import dialled
from bench.scenarios import SCENARIOS, Figures
from bench.servers import MEMORY, NAIVE, SQLITE, Contender, started

CONTENDERS = (NAIVE, MEMORY, SQLITE)
FIGURES = plots.FOLDER / "figures.json"
REPEATS = 3  # per curve, each through all sizes, so that a slow moment does not bend the curve

Results = dict[str, dict[str, list[float]]]  # figure → server → one value per round


async def measure(contender: Contender, folder: Path) -> Figures:
    figures: Figures = {}
    for scenario in SCENARIOS:
        begin = time.perf_counter()
        async with started(contender, folder) as server:
            async with dialled(server.url):
                cold = (time.perf_counter() - begin) * 1000
            figures |= await scenario(server)
            figures["start to first welcome, ms"] = min(
                cold, figures.get("start to first welcome, ms", cold)
            )
    return figures


async def run(rounds: int) -> Results:
    results: Results = defaultdict(lambda: defaultdict(list))
    for number in range(rounds):
        for contender in CONTENDERS:
            with tempfile.TemporaryDirectory() as folder:
                for name, value in (await measure(contender, Path(folder))).items():
                    results[name][contender.name].append(value)
        print(f"round {number + 1} of {rounds} done", flush=True)
    return results


def show(results: Results) -> None:
    names = [contender.name for contender in CONTENDERS]
    print(f"\n{'':48}" + "".join(f"{name:>10}" for name in names) + "   ratio to naive")
    for figure, by_server in results.items():
        values = {name: median(by_server[name]) for name in names}
        ratios = [
            median(
                ours / naive
                for ours, naive in zip(by_server[name], by_server["naive"], strict=True)
            )
            for name in names[1:]
        ]
        told = "  ".join(
            f"{name} {ratio:.2f}" for name, ratio in zip(names[1:], ratios, strict=True)
        )
        print(f"{figure:48}" + "".join(f"{values[name]:10.1f}" for name in names) + f"   {told}")


async def grow() -> plots.Growth:
    growth: plots.Growth = {}
    for name, (curve, sizes) in CURVES.items():
        rounds = [[await curve(size) for size in sizes] for _ in range(REPEATS)]
        print(f"\n{name}")
        growth[name] = {}
        for size, figures in zip(sizes, zip(*rounds, strict=True), strict=True):
            middle = {name: median(each[name] for each in figures) for name in figures[0]}
            growth[name][size] = middle
            told = "  ".join(f"{figure} {value:.2f}" for figure, value in middle.items())
            print(f"{size:>8}  {told}", flush=True)
    return growth


def load_growth() -> plots.Growth:
    growth = json.loads(FIGURES.read_text())
    return {
        name: {int(size): figures for size, figures in curve.items()}
        for name, curve in growth.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--growth", action="store_true", help="also measure and draw the curves")
    parser.add_argument("--plots", action="store_true", help="draw the last figures")
    chosen = parser.parse_args()
    if chosen.plots:
        plots.draw(load_growth())
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # thousands of sockets on either side
    if chosen.rounds:
        show(asyncio.run(run(chosen.rounds)))
    print()
    for figure, value in (loop_lag() | first_move()).items():
        print(f"{figure:48}{value:10.1f}")
    if chosen.growth:
        growth = asyncio.run(grow())
        plots.FOLDER.mkdir(exist_ok=True)
        FIGURES.write_text(json.dumps(growth, indent=1) + "\n")
        plots.draw(growth)
    print("\nthe search, and its ratios to the commit before")
    search.report()


if __name__ == "__main__":
    main()
