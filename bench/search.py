"""The search on fixed positions: nodes per second, and how deep it looks.

    python -m bench.search [COMMIT]

Prints the figures of the working tree and their ratios to another commit, by default the one
before. Both run in turn, three times, and the fastest run counts. A position that is decided by a
table, or before the nodes are spent, has no depth. `make bench` ends with this.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.servers import ROOT

ROUNDS = 3
POSITIONS = {
    "vanishing, opening": ("VANISHING", []),
    "5x5, four stones": ("FIVE", [12, 7, 6, 17]),
    "5x5, eight stones": ("FIVE", [12, 7, 6, 18, 8, 16, 11, 13]),
    "drop, opening": ("DROP", []),
    "drop, ten moves": ("DROP", [38, 31, 24, 37, 36, 39, 30, 29, 32, 23]),
    "ultimate, opening": ("ULTIMATE", []),
    "ultimate, nine moves": ("ULTIMATE", [40, 39, 28, 12, 38, 33, 20, 69, 46]),
}

# Runs in either tree, so it asks for nothing that an older one may lack.
PROBE = """
import json, sys, time
from server.core import rules, search
try:
    from server.core import engine
except ImportError:
    engine = None
seen = {}
if engine:
    deepen = engine._deepen
    def noted(question, roots, depth, *rest):
        seen.update(question=question, depth=depth)
        deepen(question, roots, depth, *rest)
    engine._deepen = noted
found = {}
for name, (variant, moves) in json.loads(sys.argv[1]).items():
    position = rules.play_all(getattr(rules, variant), moves)
    seen.clear()
    begin = time.perf_counter()
    verdicts = search.judge(position, 120_000)
    took = time.perf_counter() - begin
    figures = {"ms": took * 1e3}
    figures["proven cells"] = sum(verdict.value != "unknown" for verdict in verdicts.values())
    if seen:
        figures["nodes/s"] = (120_000 - seen["question"].left) / took
        figures["depth"] = seen["depth"]
    found[name] = figures
print(json.dumps(found))
"""

Figures = dict[str, dict[str, float]]


def probe(tree: Path) -> Figures:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(POSITIONS)],
        cwd=tree, check=True, capture_output=True, text=True,
    )  # fmt: skip
    found: Figures = json.loads(done.stdout)
    return found


def check_out(commit: str, folder: str) -> Path:
    """The server of another commit, in a folder of its own."""
    archive = subprocess.run(
        ["git", "archive", commit, "server"], cwd=ROOT, check=True, capture_output=True
    )
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return Path(folder)


def compare(commit: str) -> list[list[Figures]]:
    """The rounds of the working tree, and those of the commit unless it cannot be measured."""
    with tempfile.TemporaryDirectory() as folder:
        trees = [ROOT]
        try:
            trees.append(check_out(commit, folder))
            probe(trees[-1])
        except (OSError, subprocess.CalledProcessError):  # no git, no such commit, another API
            print(f"The search of {commit} cannot be measured here, so there are no ratios to it.")
            del trees[1:]
        rounds = [[probe(tree) for tree in trees] for _ in range(ROUNDS)]
    return [list(runs) for runs in zip(*rounds, strict=True)]


def fastest(runs: list[Figures], name: str) -> dict[str, float]:
    return min((run[name] for run in runs), key=lambda figures: figures["ms"])


def report(commit: str = "HEAD~1") -> None:
    ours, *others = compare(commit)
    for name in POSITIONS:
        theirs = fastest(others[0], name) if others else {}
        told = (tell(figure, n, theirs.get(figure)) for figure, n in fastest(ours, name).items())
        print(f"{name:24}" + "  ".join(told), flush=True)


def tell(figure: str, ours: float, theirs: float | None) -> str:
    return f"{figure} {ours:.0f}" + (f" (× {ours / theirs:.2f})" if theirs else "")


if __name__ == "__main__":
    report(*sys.argv[1:2])
