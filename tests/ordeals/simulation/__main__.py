"""`python -m tests.ordeals.simulation SEED` prints one seed's story; `--seeds N` counts many.

python -m tests.ordeals.simulation 84
python -m tests.ordeals.simulation --seeds 20000 [--first 0]
"""

from __future__ import annotations

import argparse
import sys

from tests.ordeals.simulation import run_many
from tests.ordeals.simulation.world import World, run
from tests.support.history import Broken


def tell(seed: int) -> int:
    """Print everything that happened, even if the seed breaks a promise."""
    world = World(seed)
    problem = ""
    try:
        run(world)
    except Broken as broken:
        problem = str(broken)
    for at, *what in world.trace:
        print(f"{at:11.6f}", *what)
    print(*(f"{count:6} {event}" for event, count in world.seen.most_common()), sep="\n")
    print(problem or "every promise was kept")
    return 1 if problem else 0


def count(first: int, amount: int) -> int:
    broken, seen = run_many(range(first, first + amount))
    print(*(f"{count:9} {event}" for event, count in seen.most_common()), sep="\n")
    print(*broken, f"{amount} seeds, {len(broken)} broken", sep="\n")
    return 1 if broken else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.ordeals.simulation", description=__doc__)
    parser.add_argument("seed", type=int, nargs="?")
    parser.add_argument("--seeds", type=int, help="run so many and count")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    options = parser.parse_args()
    if options.seeds is not None:
        return count(options.first, options.seeds)
    if options.seed is None:
        parser.error("which seed?")
    return tell(options.seed)


if __name__ == "__main__":
    sys.exit(main())
